import type { Counts } from 'lineclear/local'
import type { BothSides } from './demoCloud.ts'

export interface Snapshot extends BothSides<{ readonly done: number; readonly counts: Counts }> {
  /** How many there are to be done. */
  readonly calls: number
}

/** Shows what `look` gives until the returned function is called. */
export type Watch = (look: () => Snapshot) => () => void

const FRAMES_MS = 100
const LINES_MS = 1_000
const BAR = 16

/** One line that changes on a terminal; elsewhere a line a second. */
export function progressOn(stream: NodeJS.WriteStream): Watch {
  return stream.isTTY ? changing(stream) : lines(stream)
}

function changing(stream: NodeJS.WriteStream): Watch {
  return (look) => {
    const start = Date.now()
    const draw = (): void => {
      const text = describe(look(), Date.now() - start, bar)
      stream.write(`\r${text.slice(0, stream.columns - 1)}\u001B[K`)
    }
    stream.write('\u001B[?25l')
    const timer = setInterval(draw, FRAMES_MS)
    return () => {
      clearInterval(timer)
      stream.write('\r\u001B[K\u001B[?25h')
    }
  }
}

function lines(stream: NodeJS.WriteStream): Watch {
  return (look) => {
    const start = Date.now()
    const timer = setInterval(() => {
      stream.write(`${describe(look(), Date.now() - start, () => '')}\n`)
    }, LINES_MS)
    return () => clearInterval(timer)
  }
}

function describe(
  { calls, naive, lineclear }: Snapshot,
  elapsed: number,
  draw: (part: number) => string,
): string {
  const sideOf = (name: string, done: number): string =>
    `${name} ${draw(done / calls)}${String(Math.max(done, 0)).padStart(String(calls).length)}/${calls}`
  const sum = (count: (counts: Counts) => number): number =>
    count(naive.counts) + count(lineclear.counts)
  return [
    `  ${String(Math.floor(elapsed / 1_000)).padStart(2)} s`,
    sideOf('naive', naive.done),
    sideOf('Lineclear', lineclear.done),
    `${sum(({ kills }) => kills)} killed`,
    `${sum(({ lostAnswers }) => lostAnswers)} answers lost`,
  ].join('   ')
}

function bar(part: number): string {
  const full = Math.round(Math.min(Math.max(part, 0), 1) * BAR)
  return `${'━'.repeat(full)}${'╌'.repeat(BAR - full)} `
}
