import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv, stdout } from 'node:process'
import { runMode, type ModeRun } from './runMode.ts'
import { type ModeName, HOSTILE_MODES } from './modes.ts'
import { closingLine, reasons, table } from './table.ts'

/** Test processes at once: they wait for queues most of the time. */
const SIDE_BY_SIDE = 3

/** The campaign has functions that die at random; here they die at each await. */
const HOSTILE = [...HOSTILE_MODES.keys()].filter((name) => name !== 'calm' && name !== 'dying')

const [first = '', ...others] = argv.slice(2)
const one = HOSTILE.find((name) => name === first)
const modes = one === undefined ? HOSTILE : [one]
const paths = one === undefined && first !== '' ? [first, ...others] : others

const tell = (text: string): void => void stdout.write(text)
const folder = await mkdtemp(join(tmpdir(), 'hostile-'))
try {
  const runs = await inLanes(modes, (mode) => runMode(mode, paths, folder, tell))
  stdout.write(`${reasons(runs)}\n${table(runs)}`)
  for (const { failures } of runs) for (const failure of failures) stdout.write(`${failure}\n`)
  stdout.write(closingLine(runs))
  process.exitCode = runs.some(({ isSound }) => !isSound) ? 1 : 0
} finally {
  await rm(folder, { recursive: true })
}

async function inLanes(
  names: readonly ModeName[],
  run: (name: ModeName) => Promise<ModeRun>,
): Promise<readonly ModeRun[]> {
  const waiting = names.values()
  const done: ModeRun[] = []
  const lane = async (): Promise<void> => {
    for (const name of waiting) done.push(await run(name))
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane))
  return done.toSorted((one, other) => names.indexOf(one.mode) - names.indexOf(other.mode))
}
