import type { Option } from './call.ts'
import { type Build, deliver } from './deliver.ts'
import type { Lab } from './lab.ts'
import type { Letter } from './sqs.ts'
import { type Actor, type Fault, kill, LONGEST_MS, type Running, type World } from './world.ts'

export interface Setting {
  readonly build: Build
  /** Queues with a handler, by name. */
  readonly queues: readonly string[]
  /** Invocations that run side by side, until so many were started. */
  readonly together: number
}

/** All that can happen next. What goes on as it should comes first, what goes wrong last. */
export function nextOptions(lab: Lab, setting: Setting): Option[] {
  const { world } = lab
  const deletes = world.pending.find(({ actor }) => actor.role === 'lambda')
  if (deletes !== undefined) return deletes.options()
  const running = world.actors.filter(({ state }) => state === 'running')
  const options = [
    ...world.pending.flatMap((each) => each.options()),
    ...world.timers.flatMap((each) => fires(world, each)),
    ...starts(lab, running, setting),
    ...jump(world, running),
  ]
  const smooth = options.filter(({ fault }) => fault === undefined)
  const faults = options.filter(({ fault }) => fault !== undefined)
  return [...(smooth.length === 0 ? passTime(world, running) : smooth), ...faults]
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

interface Waiting {
  readonly queue: string
  readonly letter: Letter
}

/** Time passes while nobody runs; while somebody does, only a message that is there may be received beside it. */
function starts(lab: Lab, running: readonly Actor[], setting: Setting): Option[] {
  const { world, queues } = lab
  const waiting = setting.queues.flatMap((queue): Waiting[] =>
    (queues.get(queue)?.letters ?? []).map((letter) => ({ queue, letter })),
  )
  const mayJoin = running.length === 1 && world.actors.length < setting.together
  if (running.length > 0 && !mayJoin) return []
  const soonest = Math.min(...waiting.map(({ letter }) => letter.visibleAt))
  const time = running.length === 0 ? Math.max(world.now, soonest) : world.now
  const due = waiting.filter(({ letter }) => letter.visibleAt <= time)
  const twice = mayJoin ? inFlight(waiting, world) : []
  return [...due, ...twice].map(({ queue, letter }) => ({
    words: '',
    fault: undefined,
    take: () => {
      world.now = Math.max(world.now, time)
      deliver(lab, setting.build, queue, letter)
    },
  }))
}

/** SQS may hand out once more what somebody is at work on. */
function inFlight(waiting: readonly Waiting[], { now }: World): Waiting[] {
  return waiting.filter(({ letter }) => letter.receives > 0 && letter.visibleAt > now)
}

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
