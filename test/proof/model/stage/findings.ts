import { explore, type Report } from './explore.ts'
import type { Mutation } from './mutation.ts'
import { shipped } from './protocol.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'
import { randomWalks } from './randomWalks.ts'

/** `LINECLEAR_MODEL=deep`: every state up to the bounds of each scenario. */
export const isDeep: boolean = process.env['LINECLEAR_MODEL'] === 'deep'

const QUICK = { states: 1_000, walks: 25 }
/** Where nothing breaks, a quick run explores the first states only. */
const QUICK_OF_NOTHING = 500

/** All states up to the bounds; quick: the nearest ones, and some whole histories by chance. */
export function exploreWell(scenario: Scenario): Report {
  if (isDeep) return explore(scenario, shipped)
  const near = explore({ ...scenario, limit: QUICK.states }, shipped)
  if (!near.cut) return near
  const far = randomWalks(scenario, shipped, { walks: QUICK.walks, seed: scenario.name.length })
  return { ...far, states: near.states + far.states }
}

/** With one part taken away, until a check fails. */
export function exploreWithout(mutation: Mutation): Report {
  const { limit } = scenarioOf(mutation)
  const most = mutation.breaks === undefined && !isDeep ? QUICK_OF_NOTHING : limit
  return explore({ ...scenarioOf(mutation), limit: most }, mutation.removal(shipped))
}

function scenarioOf({ scenario: name, change }: Mutation): Scenario {
  const scenario = SCENARIOS.find((one) => one.name === name)
  if (scenario === undefined) throw new Error(`there is no scenario '${name}'`)
  return { ...scenario, limit: LIMIT, ...change }
}

/** A removal that breaks nothing within this many states counts as harmless. */
const LIMIT = 100_000

export function rowOf(scenario: Scenario, report: Report, milliseconds: number): string[] {
  const { states, cut, violation } = report
  const all = cut ? `${states} cut` : String(states)
  const seconds = (milliseconds / 1_000).toFixed(1)
  return [scenario.name, String(scenario.faults), all, seconds, violation ?? 'none']
}

export const SCENARIO_HEAD: string[] = ['scenario', 'faults', 'states', 'seconds', 'broken']

export function mutationRow(mutation: Mutation, { violation, trace, states }: Report): string[] {
  const found = violation ?? `nothing: ${mutation.because ?? ''}`
  return [mutation.name, found, String(trace.length), String(states)]
}

export const MUTATION_HEAD: string[] = ['switched off', 'what breaks', 'steps', 'states']
