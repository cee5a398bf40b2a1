import type { Note, ModeRun } from './runMode.ts'
import { HOSTILE_MODES } from './modes.ts'

const WIDTHS = [10, 34, 8, 8, 8, 10, 10, 9]
const HEAD = ['mode', '', 'tests', 'passed', 'failed', 'left out', 'narrowed', 'seconds']

/** A line for each mode. `tests` are those that ran; `narrowed` are assertions that were not made. */
export function table(runs: readonly ModeRun[]): string {
  const rows = runs.map(({ mode, passed, failed, leftOut, notes, seconds }) => {
    const narrowed = notes.filter(({ kind }) => kind === 'narrowed').length
    const name = HOSTILE_MODES.get(mode)?.name ?? ''
    return [mode, name, passed + failed, passed, failed, leftOut, narrowed, seconds]
  })
  return [HEAD, ...rows].map((cells) => `${line(cells)}\n`).join('')
}

/** Why tests were left out, and the subjects of the assertions that were not made. */
export function reasons(runs: readonly ModeRun[]): string {
  const notes = runs.flatMap(({ mode, notes: all }) => all.map((note) => ({ ...note, mode })))
  const kinds: readonly Note['kind'][] = ['left out', 'narrowed']
  return kinds
    .flatMap((kind) => {
      const same = Map.groupBy(
        notes.filter((note) => note.kind === kind),
        ({ why }) => why,
      )
      return [...same].map(([why, of]) => {
        const modes = new Set(of.map(({ mode }) => mode))
        return `${kind}: ${why} (${[...modes].join(', ')})\n`
      })
    })
    .join('')
}

/** For `.ci/run`. A mode without tests, or whose process ended by itself, is a failure. */
export function closingLine(runs: readonly ModeRun[]): string {
  let passed = 0
  let failed = 0
  for (const run of runs) {
    passed += run.passed
    failed += run.isSound ? 0 : Math.max(1, run.failed)
  }
  return `${passed} passed, ${failed} failed\n`
}

function line(cells: readonly (string | number)[]): string {
  return cells
    .map((cell, index) => {
      const width = WIDTHS[index] ?? 0
      return typeof cell === 'number' || index > 1 ? `${cell}`.padStart(width) : cell.padEnd(width)
    })
    .join('')
    .trimEnd()
}
