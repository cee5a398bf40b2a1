import * as SQS from '../../limits/sqs.ts'
import type { NextEvent } from './call.ts'
import type { Choices } from './choices.ts'
import type { CrashFinding } from './compareEffects.ts'
import type { ScheduleContext } from './scheduleContext.ts'
import { nextEvents, type ScheduleSetting } from './nextEvents.ts'
import { stateOf } from './stateOf.ts'
import { microtasksDrained } from './timers.ts'
import type { Simulation } from './simulation.ts'

export const STUCK: CrashFinding = { trouble: 'stuck', what: 'it never came to rest' }

/** The longest that SQS keeps a message. What still comes and goes then would be gone, and nobody told. */
const RETENTION_MS = SQS.longestRetention * 1_000
/** Deliveries within that time: of what comes again at once, each time. */
const RESTLESS = 2_000

export type RestState = 'at rest' | 'known' | 'stuck'

/** Lets everything happen that can, as chosen, until nothing is left. */
export async function runToRest(
  context: ScheduleContext,
  setting: ScheduleSetting,
  choices: Choices,
  known: Set<string>,
): Promise<RestState> {
  const { simulation } = context
  const until = simulation.now + RETENTION_MS
  const most = simulation.actors.length + RESTLESS
  for (;;) {
    await quietIn(simulation)
    if (simulation.actors.length > most || simulation.now > until) return 'stuck'
    const options = nextEvents(context, setting)
    if (choices.isNew() && isKnown(context, known)) return 'known'
    if (options.length === 0) return isRunning(simulation) ? 'stuck' : 'at rest'
    const option = options[options.length > 1 ? choices.pick(options.length) : 0]
    if (option !== undefined) take(simulation, option)
  }
}

function isRunning({ actors }: Simulation): boolean {
  return actors.some(({ state }) => state === 'running')
}

function isKnown(context: ScheduleContext, known: Set<string>): boolean {
  const state = stateOf(context)
  if (known.has(state)) return true
  known.add(state)
  return false
}

/** Modules are loaded at the first call, and that is no microtask. */
const TURNS = 50
const turn = setImmediate

async function quietIn(simulation: Simulation): Promise<void> {
  await microtasksDrained()
  for (let turns = 0; turns < TURNS; turns++) {
    if (!isRunning(simulation) || simulation.pending.length + simulation.timers.length > 0) return
    await new Promise((resolve) => turn(resolve))
    await microtasksDrained()
  }
}

/** What was chosen happens. */
export function take(simulation: Simulation, { words, fault, take: happen }: NextEvent): void {
  if (words !== '') simulation.log.push(words)
  if (fault !== undefined) {
    simulation.faultsLeft -= 1
    simulation.spent.push(fault)
  }
  happen()
}
