import { type Check, PROMISES } from '../checks.ts'
import type { Mutant } from '../leaveOut.ts'
import { treeOf } from '../moduleOf.ts'
import { configOf } from './config.ts'
import { runTlc } from './runTlc.ts'
import { withoutEach } from './withoutEach.ts'

/** All mutants of a module: minutes. */
const LIMIT_MS = 60 * 60_000
const SAID_LENGTH = 3_000

/** By the number of the mutant; 0 is the module itself. */
export interface FoundEach {
  /** The promise that breaks first. */
  readonly breaks: ReadonlyMap<number, string>
  /** How many states there are, until one breaks a promise. */
  readonly states: ReadonlyMap<number, number>
}

/** Searches a module and all its mutants in one run of TLC. */
export async function searchEach(
  { module, what, constants }: Pick<Check, 'module' | 'what' | 'constants'>,
  mutants: ReadonlyMap<number, Mutant>,
): Promise<FoundEach> {
  const { code, said } = await runTlc({
    module,
    text: withoutEach(module, treeOf(module), mutants, PROMISES[module]),
    config: `${configOf(constants, ['Counted'])}CONSTRAINT GoesOn\n`,
    // A mutant from which nothing follows must not end the search of the others.
    options: ['-deadlock'],
    limit: LIMIT_MS,
  })
  if (code !== 0)
    throw new Error(`${module}, ${what}: TLC ended with ${code}:\n${said.slice(-SAID_LENGTH)}`)
  return foundIn(said)
}

function foundIn(said: string): FoundEach {
  const breaks = new Map<number, string>()
  const states = new Map<number, number>()
  for (const [, digits = '', promise] of said.matchAll(/^(?:<<)?(\d+)(?:, "(\w+)">>)?$/gm)) {
    const number = Number(digits)
    if (promise === undefined) states.set(number, (states.get(number) ?? 0) + 1)
    else breaks.set(number, promise)
  }
  return { breaks, states }
}
