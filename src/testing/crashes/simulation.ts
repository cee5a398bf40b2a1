import type { Clock } from '../../clock.ts'
import type { Settlement } from '../../claim/settlement.ts'
import type { PendingCall } from './call.ts'
import type { TimerControl, Timer } from './timers.ts'

/** What may go wrong with a call. */
export type CrashCallFault =
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
export type CrashFault =
  | CrashCallFault
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
export const USUAL_FAULTS: readonly CrashFault[] = [
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

export const ALL_FAULTS: readonly CrashFault[] = [
  ...USUAL_FAULTS,
  'killed each time',
  'killed before',
]

/** Lambda's longest timeout. */
export const LONGEST_INVOCATION_MS = 900_000

/** One invocation, or Lambda itself, which deletes what was acknowledged. */
export interface Actor {
  readonly name: string
  readonly number: number
  readonly role: 'consumer' | 'lambda'
  readonly startedAt: number
  readonly clock: Clock
  state: 'running' | 'answered' | 'killed'
  /** Stands for all it was told: two that know the same do the same. */
  knowledge: number
  readonly settlements: Settlement[]
}

export interface Simulation {
  now: number
  faultsLeft: number
  readonly spent: CrashFault[]
  readonly faults: ReadonlySet<CrashFault>
  readonly actors: Actor[]
  /** Who runs at this moment: timers are set in its name. */
  current: Actor | undefined
  pending: PendingCall[]
  timers: PendingTimer[]
  readonly log: string[]
  violation: string | undefined
  /** Calls that kill whoever makes them. */
  readonly deadly: Set<string>
  /** Tables that refuse everything, and until when. */
  readonly throttled: Map<string, number>
  readonly memory: TextNumbers
}

/** A timer that was set, and by whom. */
export interface PendingTimer {
  readonly actor: Actor
  readonly timer: Timer
  /** Undefined: what it does lets the time pass by itself. */
  readonly dueAt?: number
}

/** Numbers for texts, kept over all schedules: numbers are quicker to compare and to join. */
type TextNumbers = Map<string, number>

export function openSimulation(
  faultsLeft: number,
  faults: Iterable<CrashFault>,
  memory: TextNumbers,
): Simulation {
  const simulation: Simulation = {
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
  return simulation
}

export function internedNumber(memory: TextNumbers, text: string): number {
  const known = memory.get(text)
  if (known !== undefined) return known
  memory.set(text, memory.size)
  return memory.size - 1
}

export function violate(simulation: Simulation, what: string): void {
  simulation.violation ??= what
}

/** `skew`: how many milliseconds its clock is ahead. */
export function startInvocation(simulation: Simulation, skew: number): Actor {
  const number = simulation.actors.length
  const actor: Actor = {
    name: String.fromCharCode(65 + (number % 26)),
    number,
    role: 'consumer',
    startedAt: simulation.now,
    clock: {
      now: () => simulation.now + skew,
      sleep: () => Promise.reject(new Error('nobody sleeps')),
    },
    state: 'running',
    knowledge: internedNumber(simulation.memory, `${number} ${skew}`),
    settlements: [],
  }
  simulation.actors.push(actor)
  return actor
}

export function killInvocation(simulation: Simulation, actor: Actor): void {
  actor.state = 'killed'
  simulation.pending = simulation.pending.filter((each) => each.actor !== actor)
  simulation.timers = simulation.timers.filter((each) => each.actor !== actor)
}

export function noteAnswer(simulation: Simulation, actor: Actor, told: string): void {
  actor.knowledge = internedNumber(
    simulation.memory,
    `${actor.knowledge} ${simulation.now} ${told}`,
  )
}

export function timerControlOf(simulation: Simulation): TimerControl {
  return {
    setTimer: (timer) => {
      if (simulation.current === undefined) return
      const dueAt = simulation.now + timer.milliseconds
      simulation.timers.push({ actor: simulation.current, timer, dueAt })
    },
    dropTimer: (timer) => {
      simulation.timers = simulation.timers.filter((each) => each.timer !== timer)
    },
  }
}
