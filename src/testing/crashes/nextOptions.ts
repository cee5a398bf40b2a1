import { answering, type AnswersTo } from './answering.ts'
import type { Option, Pending } from './call.ts'
import { type Build, type Clock, deliver } from './deliver.ts'
import { type Lab, queueOf } from './scheduleContext.ts'
import { inFlight, receivable, soonestIn } from '../queues/visibleMessages.ts'
import { type Actor, type Fault, kill, LONGEST_MS, type Running, type World } from './simulation.ts'

export interface Setting {
  readonly build: Build
  /** Queues with a handler, by name. */
  readonly queues: readonly string[]
  /** Invocations that run side by side, until so many were started. */
  readonly together: number
  /** Messages in one invocation, at most. */
  readonly batch: number
  /** What systems outside send for a message that they get, by the queue or topic that it was sent to. */
  readonly answers: ReadonlyMap<string, AnswersTo>
  /** `at last`: systems outside answer when nothing else is left to happen. */
  readonly answered: 'at any time' | 'at last'
}

/** All that can happen next. What goes on as it should comes first, what goes wrong last. */
export function nextOptions(lab: Lab, setting: Setting): Option[] {
  const { world } = lab
  const deletes = world.pending.find(({ actor }) => actor.role === 'lambda')
  if (deletes !== undefined) return deletes.options()
  const running = world.actors.filter(({ state }) => state === 'running')
  const answers = mayStart(world, running, setting) ? answering(lab, setting.answers) : []
  const own = [
    ...callsOf(world, setting),
    ...world.timers.flatMap((each) => fires(world, each)),
    ...starts(lab, running, setting),
    ...jump(world, running),
  ]
  const isLate = setting.answered === 'at last'
  const options = isLate ? own : [...answers, ...own]
  const smooth = options.filter(({ fault }) => fault === undefined)
  const faults = options.filter(({ fault }) => fault !== undefined)
  if (smooth.length > 0) return [...smooth, ...faults]
  const waiting = passTime(world, running)
  return [...(waiting.length === 0 && isLate ? answers : waiting), ...faults]
}

/**
 * Calls of one invocation for the messages of a batch seldom touch each other: answered in the order in which they were made,
 * or the last one first. All orders would be as many as there are ways to shuffle the batch.
 */
function callsOf(world: World, { batch }: Setting): Option[] {
  const { pending } = world
  if (batch === 1) return pending.flatMap((each) => each.options())
  const ends = pending.filter(
    (each) => pending.find(isOf(each)) === each || pending.findLast(isOf(each)) === each,
  )
  return ends.flatMap((each) => each.options())
}

function isOf({ actor }: Pending): (other: Pending) => boolean {
  return (other) => other.actor === actor
}

/** Whoever waits for something that never comes: its own timers go off in their turn, then Lambda ends it. */
function passTime(world: World, [hanging]: readonly Actor[]): Option[] {
  if (hanging === undefined) return []
  const timers = world.timers.toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
  const [soonest] = timers
  if (soonest !== undefined) return [fire(world, soonest)]
  const take = (): void => {
    world.now = Math.max(world.now, hanging.startedAt + LONGEST_MS)
    kill(world, hanging)
  }
  return [
    { words: `${hanging.name} has not answered in time: Lambda ends it`, fault: undefined, take },
  ]
}

/** What arrives at any other time waits all the same. */
function mayStart(world: World, running: readonly Actor[], { together }: Setting): boolean {
  return running.length === 0 || (running.length < together && world.actors.length < together)
}

/** Time passes while nobody runs; while somebody does, only a message that is there may be received beside it. */
function starts(lab: Lab, running: readonly Actor[], setting: Setting): Option[] {
  const { world } = lab
  const { batch, queues } = setting
  if (!mayStart(world, running, setting)) return []
  const from = queues.map((name) => ({ name, queue: queueOf(lab, name) }))
  const soonest = Math.min(...from.map(({ queue }) => soonestIn(queue)))
  const time = running.length === 0 ? Math.max(world.now, soonest) : world.now
  return from.flatMap(({ name, queue }) => {
    const due = receivable(queue, time, batch)
    const twice = running.length > 0 ? inFlight(queue, world.now, batch) : []
    return [...due, ...twice].flatMap((letters) => {
      const start = (fault?: Fault, clock?: Clock): Option => ({
        words: '',
        fault,
        take: () => {
          world.now = Math.max(world.now, time)
          deliver(lab, setting.build, name, letters, clock)
        },
      })
      const wrong = WRONG_CLOCKS.filter(({ fault }) => mayHappen(world, fault))
      return [start(), ...wrong.map(({ fault, clock }) => start(fault, clock))]
    })
  })
}

const HOUR_MS = 3_600_000
const WRONG_CLOCKS: readonly { readonly fault: Fault; readonly clock: Clock }[] = [
  { fault: 'clock an hour ahead', clock: { ahead: HOUR_MS, words: ', its clock an hour ahead' } },
  {
    fault: 'clock an hour behind',
    clock: { ahead: -HOUR_MS, words: ', its clock an hour behind' },
  },
]

function mayHappen({ faultsLeft, faults }: World, fault: Fault | undefined): boolean {
  return fault === undefined || (faultsLeft > 0 && faults.has(fault))
}

const LONG_MS = 60_000

/** A timer of minutes is the end of the invocation's time: that is a fault. A short one only waits its turn. */
function fires(world: World, each: Running): Option[] {
  const fault = each.timer.milliseconds > LONG_MS ? 'time is up' : undefined
  if (fault === undefined) return [fire(world, each)]
  if (!mayHappen(world, fault)) return []
  return [{ ...fire(world, each), words: `${each.actor.name}: the time is up`, fault }]
}

function fire(world: World, each: Running): Option {
  const take = (): void => {
    world.timers = world.timers.filter((other) => other !== each)
    world.current = each.actor
    world.now = Math.max(world.now, each.dueAt ?? 0)
    each.timer.fire()
  }
  return { words: '', fault: undefined, take }
}

function jump(world: World, running: readonly Actor[]): Option[] {
  if (running.length === 0 || !mayHappen(world, 'clock jumps')) return []
  const take = (): void => {
    world.now += LONGEST_MS + LEASE_MARGIN_MS
  }
  return [{ words: 'the clock jumps past every lease', fault: 'clock jumps', take }]
}

const LEASE_MARGIN_MS = 100_000
