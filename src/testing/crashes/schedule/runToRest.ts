import * as SQS from '../../../base/limits/sqs.ts'
import type { Choices } from './choices.ts'
import type { CrashFinding } from '../effects/compareEffects.ts'
import type { ScheduleContext } from '../simulation/scheduleContext.ts'
import { nextEvents, type ScheduleSetting } from './nextEvents.ts'
import { stateOf } from './stateOf.ts'
import { microtasksDrained } from '../runtime/timers.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { NextEvent } from '../simulation/simulation.ts'

export const STUCK: CrashFinding = { anomaly: 'stuck', what: 'it never came to rest' }

/** The longest retention of SQS: a message that is still redelivered then would be lost without a report. */
export const RETENTION_MS: number = SQS.longestRetention * 1_000
/** The most invocations within that time, for messages that are redelivered at once each time. */
const RESTLESS = 2_000

export type RestState = 'at rest' | 'known' | 'stuck'

/** Lets events happen, as chosen, until none is left. */
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

/** A dynamic import at the first call needs turns of the event loop, not only microtasks. */
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

/** Carries out the chosen event. */
export function take(simulation: Simulation, { words, fault, take: happen }: NextEvent): void {
  if (words !== '') simulation.log.push(words)
  if (fault !== undefined) {
    simulation.faultsLeft -= 1
    simulation.spent.push(fault)
  }
  happen()
}
