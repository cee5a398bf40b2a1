import * as SQS from '../../../library/base/limits/sqs.ts'
import { type CrashFinding, compareEffects, compareWith } from '../effects/compareEffects.ts'
import { type ScheduleContext, queueOf, sqlStateText } from '../simulation/scheduleContext.ts'
import { microtasksDrained } from '../runtime/timers.ts'
import { type Simulation, type NextEvent, internedNumber } from '../simulation/simulation.ts'
import { type Effects, effectsOf, rowContents } from '../effects/effects.ts'
import { type SimulatedMessage, put } from '../../queues/simulatedQueue.ts'
import { plain, rowText } from '../simulation/sentEffects.ts'
import { type Choices, replaying } from './choices.ts'
import { nextEvents, type ScheduleSetting } from './nextEvents.ts'

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

export function take(simulation: Simulation, { words, fault, take: happen }: NextEvent): void {
  if (words !== '') simulation.log.push(words)
  if (fault !== undefined) {
    simulation.faultsLeft -= 1
    simulation.spent.push(fault)
  }
  happen()
}

/**
 * At the end, redelivers every message that was ever received: that must have no effect. FIFO queues are left out, because they
 * never redeliver a deleted message.
 */
export async function redeliverAll(
  context: ScheduleContext,
  setting: ScheduleSetting,
  expected: readonly Effects[],
): Promise<CrashFinding[]> {
  const { simulation } = context
  const before = effectsOf(context)
  simulation.faultsLeft = 0
  for (const name of setting.queues) {
    const queue = queueOf(context, name)
    if (queue.isFifo) continue
    for (const queued of queue.delivered.slice()) {
      simulation.log.push(`${queued.id} of ${name} is redelivered after the end`)
      again(context, name, queued)
      if (
        (await runToRest(context, { ...setting, together: 0 }, replaying([]), new Set())) ===
        'stuck'
      )
        return [STUCK]
    }
  }
  const after = effectsOf(context)
  // A dead-lettered message may succeed when it is redelivered.
  if (before.refusals.length + before.dead.size > 0 && compareWith(expected, after).length === 0)
    return []
  return compareEffects(before, after)
}

function again(context: ScheduleContext, name: string, queued: SimulatedMessage): void {
  const copy = put(queueOf(context, name), queued.message, context.simulation.now)
  queueOf(context, name).all.pop()
  Object.assign(copy, { id: queued.id, receives: queued.receives, sentAt: queued.sentAt })
}

/** Everything that can affect what follows, as text: two schedules with the same state have the same continuations. */
function stateOf(context: ScheduleContext): string {
  const { simulation, base, queues, calls } = context
  return [
    simulation.now,
    simulation.faultsLeft,
    [...simulation.deadly].join(),
    [...simulation.throttled].join(),
    context.redriven,
    JSON.stringify(base.items(), plain),
    [...rowContents(context)].map(([name, item]) => name + rowText(item)).join(),
    [...queues].map(
      ([name, { messages, all, delivered }]) =>
        `${name}${messages.map(({ id, visibleAt, receives }) => `${id},${visibleAt},${receives}`).join(';')}/${all.map(({ message }) => internedNumber(simulation.memory, JSON.stringify(message))).join()}/${delivered.length}`,
    ),
    context.sendings
      .map(({ target, identity, content }) => `${target}${identity}${content}`)
      .join(),
    calls.map(({ name, key }) => name + key).join(),
    sqlStateText(context.sql),
    context.refusals.length,
    context.givenUp.length,
    context.clashes.length,
    simulation.pending
      .map(({ actor, what, knew }) => `${actor.name}${actor.state}${what}${knew}`)
      .join(),
    simulation.timers.map(({ actor, timer }) => `${actor.name}${timer.milliseconds}`).join(),
    simulation.actors
      .map(({ state, knowledge }) => (state === 'running' ? knowledge : state[0]))
      .join(),
  ].join('|')
}
