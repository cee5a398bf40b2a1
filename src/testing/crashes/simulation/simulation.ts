import type { Clock } from '../../../library/base/clock.ts'
import type { Timer, TimerControl } from '../runtime/timers.ts'
import type { CrashFault } from './crashFaults.ts'

/** One invocation, or Lambda itself, which deletes what was acknowledged. */
export interface Actor {
  readonly name: string
  readonly number: number
  readonly role: 'consumer' | 'lambda'
  readonly startedAt: number
  readonly clock: Clock
  state: 'running' | 'answered' | 'killed'
  /** What else its death does. */
  dies?: () => void
  /** A number for all the answers it has got: two invocations with the same number behave the same. */
  knowledge: number
}

/** The state of one schedule: its time, its invocations, and what can happen next. */
export interface Simulation {
  now: number
  faultsLeft: number
  readonly spent: CrashFault[]
  readonly faults: ReadonlySet<CrashFault>
  readonly actors: Actor[]
  /** The invocation whose code runs at this moment. New timers belong to it. */
  current: Actor | undefined
  pending: PendingCall[]
  timers: PendingTimer[]
  readonly log: string[]
  /** Names of calls that kill every invocation that makes them. */
  readonly deadly: Set<string>
  /** Until when each throttled table refuses everything. */
  readonly throttled: Map<string, number>
  readonly memory: TextNumbers
}

/** A call that waits for the explorer to choose what happens to it. */
export interface PendingCall {
  readonly actor: Actor
  readonly what: string
  /** `Actor.knowledge` at the call, which determines what the request says. */
  readonly knew: number
  readonly options: () => NextEvent[]
}

export interface NextEvent {
  readonly words: string
  readonly fault: CrashFault | undefined
  readonly take: () => void
}

export interface PendingTimer {
  readonly actor: Actor
  readonly timer: Timer
  /** Undefined for `clock.sleep`, which advances the time itself. */
  readonly dueAt?: number
}

/** Numbers for texts, shared by all schedules: numbers are faster to compare and to join. */
type TextNumbers = Map<string, number>

/** Not the present time: a seed leads to the same schedule tomorrow. */
const USUAL_START: number = Date.UTC(2026, 0, 1)

export function openSimulation(
  faultsLeft: number,
  faults: Iterable<CrashFault>,
  memory: TextNumbers,
  now: number = USUAL_START,
): Simulation {
  return {
    now,
    faultsLeft,
    spent: [],
    faults: new Set(faults),
    actors: [],
    current: undefined,
    pending: [],
    timers: [],
    log: [],
    deadly: new Set(),
    throttled: new Map(),
    memory,
  }
}

/** @param fault undefined: none is needed */
export function mayHappen(
  { faultsLeft, faults }: Simulation,
  fault: CrashFault | undefined,
): boolean {
  return fault === undefined || (faultsLeft > 0 && faults.has(fault))
}

export function internedNumber(memory: TextNumbers, text: string): number {
  const known = memory.get(text)
  if (known !== undefined) return known
  memory.set(text, memory.size)
  return memory.size - 1
}

/** @param skew milliseconds by which the invocation's clock is fast */
export function startInvocation(simulation: Simulation, skew: number): Actor {
  const number = simulation.actors.length
  const actor: Actor = {
    name: String.fromCharCode(65 + (number % 26)),
    number,
    role: 'consumer',
    startedAt: simulation.now,
    clock: {
      now: () => simulation.now + skew,
      sleep: () => Promise.reject(new Error('this clock does not sleep')),
    },
    state: 'running',
    knowledge: internedNumber(simulation.memory, `${number} ${skew}`),
  }
  simulation.actors.push(actor)
  return actor
}

export function killInvocation(simulation: Simulation, actor: Actor): void {
  actor.state = 'killed'
  actor.dies?.()
  simulation.pending = simulation.pending.filter((each) => each.actor !== actor)
  simulation.timers = simulation.timers.filter((each) => each.actor !== actor)
}

export function noteAnswer(simulation: Simulation, actor: Actor, seen: string): void {
  actor.knowledge = internedNumber(
    simulation.memory,
    `${actor.knowledge} ${simulation.now} ${seen}`,
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

/** Stands in for `Math.random`: each invocation has its own sequence, the same whenever the schedule is repeated. */
export function seededRandom(simulation: Simulation): () => number {
  const states = new Map<number, number>()
  return () => {
    const number = simulation.current?.number ?? 0
    const state = ((states.get(number) ?? seedOf(number)) + STEP) >>> 0
    states.set(number, state)
    return mixed(state) / 2 ** 32
  }
}

/** mulberry32: cheap, and random enough for ids and jitter. */
const STEP = 0x6d2b79f5

function mixed(state: number): number {
  let mix = Math.imul(state ^ (state >>> 15), state | 1)
  mix ^= mix + Math.imul(mix ^ (mix >>> 7), mix | 61)
  return (mix ^ (mix >>> 14)) >>> 0
}

/** Seeds of different invocations are far apart, so that no two sequences overlap. */
function seedOf(number: number): number {
  return Math.imul(number + 1, 0x9e3779b1) >>> 0
}
