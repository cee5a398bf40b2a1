import type { Clock } from '../../clock.ts'
import type { Settlement } from '../../claim/settlement.ts'
import type { Pending } from './call.ts'
import type { Surroundings, Timer } from './timers.ts'

/** What may go wrong with a call. */
export type CallFault =
  /** It never arrives, and the SDK gives up. */
  | 'request lost'
  /** It takes effect, but no answer arrives, and the SDK gives up. */
  | 'answer lost'
  /** It takes effect, the answer is lost, and the SDK sends it again: it arrives twice, whatever token it carries. */
  | 'repeated'
  /** Refused for load: nothing happened, and the caller knows it. */
  | 'throttled'
  /** A table of yours refuses everything for hours, while the framework's own answers. */
  | 'table throttled'
  /** The write meets a transaction on the same item: cancelled, which the SDK does not try again. */
  | 'conflict'
  /** An eventually consistent read shows the item as it was before its last change. */
  | 'stale'
  /** It shows what stood there a second ago. */
  | 'a second behind'
  | 'killed before'
  /** The sandbox dies, the request arrives all the same: at once, or at any later moment. */
  | 'killed on the wire'
  /** From now on whoever makes this very call dies in it, as by a payload that eats all memory. */
  | 'killed each time'
export type Fault =
  | CallFault
  /** Past every lease, while their holders live. */
  | 'clock jumps'
  | 'clock an hour ahead'
  | 'clock an hour behind'
  /** The invocation is about to reach its timeout. */
  | 'time is up'
  /** A system outside sends its answer twice, as two messages. */
  | 'answered twice'

/**
 * Without `killed before`: the states it leads to are those after the call before was killed on the wire and arrived at
 * once. Without `killed each time`: only a consumer that gives up in the end comes to rest then. Without `table throttled`:
 * the messages of a batch come again for hours, in as many orders as there are.
 */
export const USUAL_FAULTS: readonly Fault[] = [
  'request lost',
  'answer lost',
  'repeated',
  'throttled',
  'conflict',
  'stale',
  'a second behind',
  'killed on the wire',
  'clock jumps',
  'clock an hour ahead',
  'clock an hour behind',
  'time is up',
  'answered twice',
]

export const ALL_FAULTS: readonly Fault[] = [...USUAL_FAULTS, 'killed each time', 'killed before']

/** Lambda's longest timeout. */
export const LONGEST_MS = 900_000

/** One invocation, or Lambda itself, which deletes what was acknowledged. */
export interface Actor {
  readonly name: string
  readonly number: number
  readonly role: 'consumer' | 'lambda'
  readonly startedAt: number
  readonly clock: Clock
  state: 'running' | 'answered' | 'killed'
  /** Stands for all it was told: two that know the same do the same. */
  knows: number
  readonly settlements: Settlement[]
}

export interface World {
  now: number
  faultsLeft: number
  readonly spent: Fault[]
  readonly faults: ReadonlySet<Fault>
  readonly actors: Actor[]
  /** Who runs at this moment: timers are set in its name. */
  current: Actor | undefined
  pending: Pending[]
  timers: Running[]
  readonly log: string[]
  violation: string | undefined
  /** Calls that kill whoever makes them. */
  readonly deadly: Set<string>
  /** Tables that refuse everything, and until when. */
  readonly throttled: Map<string, number>
  readonly memory: Memory
}

/** A timer that was set, and by whom. */
export interface Running {
  readonly actor: Actor
  readonly timer: Timer
  /** Undefined: what it does lets the time pass by itself. */
  readonly dueAt?: number
}

/** Numbers for texts, kept over all schedules: numbers are quicker to compare and to join. */
export type Memory = Map<string, number>

export function openWorld(faultsLeft: number, faults: Iterable<Fault>, memory: Memory): World {
  const world: World = {
    now: Date.UTC(2026, 0, 1),
    faultsLeft,
    spent: [],
    faults: new Set(faults),
    actors: [],
    current: undefined,
    pending: [],
    timers: [],
    log: [],
    violation: undefined,
    deadly: new Set(),
    throttled: new Map(),
    memory,
  }
  return world
}

export function numberOf(memory: Memory, text: string): number {
  const known = memory.get(text)
  if (known !== undefined) return known
  memory.set(text, memory.size)
  return memory.size - 1
}

export function violate(world: World, what: string): void {
  world.violation ??= what
}

/** `skew`: how many milliseconds its clock is ahead. */
export function enter(world: World, skew: number): Actor {
  const number = world.actors.length
  const actor: Actor = {
    name: String.fromCharCode(65 + (number % 26)),
    number,
    role: 'consumer',
    startedAt: world.now,
    clock: { now: () => world.now + skew, sleep: () => Promise.reject(new Error('nobody sleeps')) },
    state: 'running',
    knows: numberOf(world.memory, `${number} ${skew}`),
    settlements: [],
  }
  world.actors.push(actor)
  return actor
}

export function kill(world: World, actor: Actor): void {
  actor.state = 'killed'
  world.pending = world.pending.filter((each) => each.actor !== actor)
  world.timers = world.timers.filter((each) => each.actor !== actor)
}

export function learn(world: World, actor: Actor, told: string): void {
  actor.knows = numberOf(world.memory, `${actor.knows} ${world.now} ${told}`)
}

export function surroundingsOf(world: World): Surroundings {
  return {
    setTimer: (timer) => {
      if (world.current === undefined) return
      const dueAt = world.now + timer.milliseconds
      world.timers.push({ actor: world.current, timer, dueAt })
    },
    dropTimer: (timer) => {
      world.timers = world.timers.filter((each) => each.timer !== timer)
    },
  }
}
