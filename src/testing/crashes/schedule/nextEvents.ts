import { type ScheduleContext, queueOf, sendFromOutside } from '../simulation/scheduleContext.ts'
import {
  inFlightBatches,
  visibleBatches,
  nextVisibleAt,
  remove,
  type SimulatedMessage,
} from '../../queues/simulatedQueue.ts'
import {
  type Actor,
  killInvocation,
  mayHappen,
  type PendingTimer,
  type Simulation,
  type NextEvent,
  type PendingCall,
} from '../simulation/simulation.ts'
import type { CrashFault } from '../simulation/crashFaults.ts'
import { bodyText } from '../../events/sqsEvent.ts'
import { LONGEST_INVOCATION_MS } from '../../queues/deliverNext.ts'
import { type Build, type MachineClock, deliver } from './deliver.ts'
import { dueRows, sweepEvents } from './sweepRows.ts'

export interface ScheduleSetting {
  readonly build: Build
  readonly queues: readonly string[]
  /** Invocations run side by side until this many were started. */
  readonly together: number
  /** The most messages of one invocation. */
  readonly batch: number
  /** The first queue is Lambda's own, for asynchronous invocations. */
  readonly asynchronous: boolean
  /** How outside systems answer a message, by the queue or topic that it was sent to. */
  readonly answers: ReadonlyMap<string, AnswersTo>
  /** A killed invocation's messages are not delivered again: its run stays as it is until a newer request takes its place. */
  readonly isCut?: boolean
  /** `at last`: outside systems answer when nothing else is left to happen. */
  readonly answered: 'at any time' | 'at last'
}

/** Everything that can happen next: events without a fault first, faults last. */
export function nextEvents(context: ScheduleContext, setting: ScheduleSetting): NextEvent[] {
  const { simulation } = context
  const deletes = simulation.pending.find(({ actor }) => actor.role === 'lambda')
  if (deletes !== undefined) return deletes.options()
  const running = simulation.actors.filter(({ state }) => state === 'running')
  const answers = mayStart(simulation, running, setting)
    ? answerEvents(context, setting.answers)
    : []
  const own = [
    ...callsOf(simulation, setting),
    ...simulation.timers.flatMap((each) => fires(simulation, each)),
    ...starts(context, running, setting),
    ...jumps(simulation, running, setting),
  ]
  const isLate = setting.answered === 'at last'
  const options = isLate ? own : [...answers, ...own]
  const smooth = options.filter(({ fault }) => fault === undefined)
  const faults = options.filter(({ fault }) => fault !== undefined)
  if (smooth.length > 0) return [...smooth, ...faults]
  const waiting = passTime(simulation, running)
  return [...(waiting.length === 0 && isLate ? answers : waiting), ...faults]
}

/**
 * Calls of one invocation for different messages of a batch seldom affect each other, so only two orders are explored: first
 * in, first out, and last one first. All orders would grow with the factorial of the batch.
 */
function callsOf(simulation: Simulation, { batch }: ScheduleSetting): NextEvent[] {
  const { pending } = simulation
  if (batch === 1) return pending.flatMap((each) => each.options())
  const ends = pending.filter(
    (each) => pending.find(isOf(each)) === each || pending.findLast(isOf(each)) === each,
  )
  return ends.flatMap((each) => each.options())
}

function isOf({ actor }: PendingCall): (other: PendingCall) => boolean {
  return (other) => other.actor === actor
}

/** Nothing else can happen while an invocation runs: its timers fire in order, then Lambda ends it at its timeout. */
function passTime(simulation: Simulation, [hanging]: readonly Actor[]): NextEvent[] {
  if (hanging === undefined) return []
  const timers = simulation.timers.toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
  const [soonest] = timers
  if (soonest !== undefined) return [fire(simulation, soonest)]
  const take = (): void => {
    simulation.now = Math.max(simulation.now, hanging.startedAt + LONGEST_INVOCATION_MS)
    killInvocation(simulation, hanging)
  }
  return [{ words: `${hanging.name} reaches its timeout: Lambda ends it`, fault: undefined, take }]
}

/** Whether another invocation may start. Messages that arrive meanwhile wait. */
function mayStart(
  simulation: Simulation,
  running: readonly Actor[],
  { together }: ScheduleSetting,
): boolean {
  return running.length === 0 || (running.length < together && simulation.actors.length < together)
}

/** Time advances to the next visible message only when no invocation runs; beside a running one, only visible messages start. */
function starts(
  context: ScheduleContext,
  running: readonly Actor[],
  setting: ScheduleSetting,
): NextEvent[] {
  const { simulation } = context
  const { batch, queues } = setting
  if (!mayStart(simulation, running, setting)) return []
  const from = queues.map((name) => ({ name, queue: queueOf(context, name) }))
  const soonest = Math.min(
    ...from.map(({ queue }) => nextVisibleAt(queue)),
    ...dueRows(context).map(({ dueAt }) => dueAt),
  )
  const time = running.length === 0 ? Math.max(simulation.now, soonest) : simulation.now
  const clocks = CLOCKS.filter(({ fault }) => mayHappen(simulation, fault))
  const deliveries = from.flatMap(({ name, queue }) => {
    const due = visibleBatches(queue, time, batch)
    const duplicates = running.length > 0 ? inFlightBatches(queue, simulation.now, batch) : []
    return [...due, ...duplicates].flatMap((messages) =>
      clocks.map(({ fault, ...clock }) => ({
        words: '',
        fault,
        take: () => {
          simulation.now = Math.max(simulation.now, time)
          deliver(context, setting, name, messages, clock)
        },
      })),
    )
  })
  return [...deliveries, ...sweepEvents(context, time)]
}

/** Lambda retries an asynchronous invocation one minute after it failed. */
export const ASYNC_RETRY_MS = 60_000
const HOUR_MS = 3_600_000
/** How wrong the clock of the machine that runs an invocation may be. */
const CLOCKS: readonly (MachineClock & { readonly fault: CrashFault | undefined })[] = [
  { fault: undefined, ahead: 0, words: '' },
  { fault: 'clock an hour ahead', ahead: HOUR_MS, words: ', its clock an hour ahead' },
  { fault: 'clock an hour behind', ahead: -HOUR_MS, words: ', its clock an hour behind' },
]

const LONG_MS = 60_000

/** A timer of more than a minute watches the end of the invocation's time: firing it is a fault. A short one is a plain wait. */
function fires(simulation: Simulation, each: PendingTimer): NextEvent[] {
  const fault = each.timer.milliseconds > LONG_MS ? 'time is up' : undefined
  if (fault === undefined) return [fire(simulation, each)]
  if (!mayHappen(simulation, fault)) return []
  return [{ ...fire(simulation, each), words: `${each.actor.name}: the time is up`, fault }]
}

function fire(simulation: Simulation, each: PendingTimer): NextEvent {
  const take = (): void => {
    simulation.timers = simulation.timers.filter((other) => other !== each)
    simulation.current = each.actor
    simulation.now = Math.max(simulation.now, each.dueAt ?? 0)
    each.timer.fire()
  }
  return { words: '', fault: undefined, take }
}

function jumps(
  simulation: Simulation,
  running: readonly Actor[],
  { asynchronous }: ScheduleSetting,
): NextEvent[] {
  if (running.length === 0 || !mayHappen(simulation, 'clock jumps')) return []
  const jump = (words: string, milliseconds: number): NextEvent => ({
    words,
    fault: 'clock jumps',
    take: () => {
      simulation.now += milliseconds
    },
  })
  const far = jump('the clock jumps past every lease', LONGEST_INVOCATION_MS + LEASE_MARGIN_MS)
  // Lambda then delivers the event again, while the invocation before still runs.
  return asynchronous ? [far, jump('a minute passes', ASYNC_RETRY_MS)] : [far]
}

const LEASE_MARGIN_MS = 100_000

/** The answers of an outside system to a message: payloads, by the queue that they go to. */
export type AnswersTo = (message: never) => Readonly<Record<string, unknown>>

/** An outside system answers each message once or, as a fault, twice. */
function answerEvents(
  context: ScheduleContext,
  answers: ReadonlyMap<string, AnswersTo>,
): NextEvent[] {
  return [...answers].flatMap(([name, answersTo]) =>
    queueOf(context, name).messages.flatMap((queued) =>
      optionsOf(context, name, queued, answersTo),
    ),
  )
}

function optionsOf(
  context: ScheduleContext,
  name: string,
  queued: SimulatedMessage,
  answersTo: AnswersTo,
): NextEvent[] {
  const words = `${name} answers ${queued.id}`
  const take = (times: number) => (): void => {
    remove(queueOf(context, name), queued.id)
    const answers = Object.entries(answersTo(JSON.parse(queued.message.body) as never))
    for (const [to, payload] of answers) {
      const message = { body: bodyText(payload), attributes: {} }
      for (let time = 0; time < times; time++) sendFromOutside(context, to, message)
    }
  }
  const once: NextEvent = { words, fault: undefined, take: take(1) }
  if (!mayHappen(context.simulation, 'answered twice')) return [once]
  return [once, { words: `${words} twice`, fault: 'answered twice', take: take(2) }]
}
