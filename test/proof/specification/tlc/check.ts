import { type Check, PROMISES, REASONS } from '../checks.ts'
import { textOfModule } from '../moduleOf.ts'
import { configOf } from './config.ts'
import { runTlc } from './runTlc.ts'

/** A search takes seconds. */
const LIMIT_MS = 3 * 60_000
const SAID_LENGTH = 3_000

/** @returns what TLC says against the search, or undefined where it agrees */
export async function check({ module, constants, states }: Check): Promise<string | undefined> {
  const { code, said } = await runTlc({
    module,
    text: textOfModule(module),
    // A state from which nothing follows fails too.
    config: configOf(constants, [...PROMISES[module], ...REASONS[module]]),
    options: [],
    limit: LIMIT_MS,
  })
  if (code === undefined) return `was ended after ${LIMIT_MS / 60_000} minutes`
  const found = /(\d+) distinct states found, 0 states left/.exec(said)?.[1]
  if (code !== 0 || found === undefined)
    return `TLC ended with ${code}:\n${said.slice(-SAID_LENGTH)}`
  return Number(found) === states ? undefined : `${found} states, and not ${states}`
}
