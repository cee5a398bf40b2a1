import * as SQS from '../../limits/sqs.ts'
import type { Option } from './call.ts'
import type { Choices } from './choices.ts'
import type { Finding } from './judge.ts'
import type { Lab } from './scheduleContext.ts'
import { nextOptions, type Setting } from './nextOptions.ts'
import { stateOf } from './stateOf.ts'
import { drained } from './timers.ts'
import type { World } from './simulation.ts'

export const STUCK: Finding = { trouble: 'stuck', what: 'it never came to rest' }

/** The longest that SQS keeps a message. What still comes and goes then would be gone, and nobody told. */
const RETENTION_MS = SQS.longestRetention * 1_000
/** Deliveries within that time: of what comes again at once, each time. */
const RESTLESS = 2_000

export type End = 'at rest' | 'known' | 'stuck'

/** Lets everything happen that can, as chosen, until nothing is left. */
export async function play(
  lab: Lab,
  setting: Setting,
  choices: Choices,
  known: Set<string>,
): Promise<End> {
  const { world } = lab
  const until = world.now + RETENTION_MS
  const most = world.actors.length + RESTLESS
  for (;;) {
    await quietIn(world)
    if (world.actors.length > most || world.now > until) return 'stuck'
    const options = nextOptions(lab, setting)
    if (choices.isNew() && isKnown(lab, known)) return 'known'
    if (options.length === 0) return isRunning(world) ? 'stuck' : 'at rest'
    const option = options[options.length > 1 ? choices.pick(options.length) : 0]
    if (option !== undefined) take(world, option)
  }
}

function isRunning({ actors }: World): boolean {
  return actors.some(({ state }) => state === 'running')
}

function isKnown(lab: Lab, known: Set<string>): boolean {
  const state = stateOf(lab)
  if (known.has(state)) return true
  known.add(state)
  return false
}

/** Modules are loaded at the first call, and that is no microtask. */
const TURNS = 50
const turn = setImmediate

async function quietIn(world: World): Promise<void> {
  await drained()
  for (let turns = 0; turns < TURNS; turns++) {
    if (!isRunning(world) || world.pending.length + world.timers.length > 0) return
    await new Promise((resolve) => turn(resolve))
    await drained()
  }
}

/** What was chosen happens. */
export function take(world: World, { words, fault, take: happen }: Option): void {
  if (words !== '') world.log.push(words)
  if (fault !== undefined) {
    world.faultsLeft -= 1
    world.spent.push(fault)
  }
  happen()
}
