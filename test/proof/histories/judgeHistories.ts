import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { resolve } from 'node:path'
import type { Planted } from './planted.ts'
import { PORCUPINE } from './porcupine.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const HERE = 'test/proof/histories'

export interface Verdict {
  readonly histories: number
  readonly operations: number
  /** Of the shortest history. */
  readonly least: number
  readonly refused: number
  readonly undecided: number
  /** All that the judge said. */
  readonly said: string
}

interface Asked {
  readonly seed: number
  readonly histories: number
  readonly planted?: Planted
  /** On the local cloud. Default false. */
  readonly live?: boolean
}

/** Writes histories in one process, which another one judges. @throws Error when one of them did not do its work */
export async function judgeHistories({
  seed,
  histories,
  planted,
  live = false,
}: Asked): Promise<Verdict> {
  const writer = spawn(
    process.execPath,
    [
      ...(planted === undefined ? [] : [`--import=./${HERE}/without.ts`]),
      '--conditions=lineclear:source',
      `${HERE}/run.ts`,
      '--write',
      ...(live ? ['--live'] : []),
      `--seed=${seed}`,
      `--histories=${histories}`,
    ],
    {
      cwd: ROOT,
      env: { ...process.env, LINECLEAR_PLANTED: JSON.stringify(planted) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const judge = spawn(PORCUPINE.binary, { stdio: [writer.stdout, 'pipe', 'inherit'] })
  const [said, [written]] = await Promise.all([text(judge.stdout), once(writer, 'exit')])
  if (written !== 0)
    throw new Error(`the histories could not be written: ended with ${String(written)}`)
  return readVerdict(said)
}

const SUM =
  /^judged (\d+) histories, (\d+) operations, at least (\d+) in each: (\d+) refused, (\d+) undecided$/m

function readVerdict(said: string): Verdict {
  const numbers = SUM.exec(said)?.slice(1).map(Number)
  if (numbers === undefined) throw new Error(`the judge gave no verdict:\n${said}`)
  const [histories = 0, operations = 0, least = 0, refused = 0, undecided = 0] = numbers
  return { histories, operations, least, refused, undecided, said: said.trim() }
}
