import { memoryStore, type MemoryStore } from '../../store/memory/memoryStore.ts'
import type { UserKey } from '../../store/store.ts'
import { type History, historyOf } from './history.ts'
import { isFifoName } from '../queues/arns.ts'
import type { SentEffect } from './sentEffects.ts'
import { openSimulatedQueue, type SimulatedQueue } from '../queues/simulatedQueue.ts'
import type { Simulation } from './simulation.ts'

/** Systems outside honour idempotency keys, or take no notice of them. */
export type KeyPolicy = 'honoured' | 'ignored'

export interface ComparisonTerms {
  readonly keys: KeyPolicy
  /** Fields of rows that may differ from run to run. */
  readonly ignore: readonly string[]
}

const USUAL_TERMS: ComparisonTerms = { keys: 'honoured', ignore: [] }

/** Everything outside the handlers, in one schedule. */
export interface ScheduleContext {
  readonly simulation: Simulation
  readonly base: MemoryStore
  /** What stood in the items of the framework, for reads that are behind. */
  readonly history: History
  /** Rows of the user's that a handler wrote, or wanted to write, by table and key. */
  readonly rows: Map<string, UserKey>
  /** By name: those with a handler, those that are only sent to, and the dead letters. */
  readonly queues: Map<string, SimulatedQueue>
  /** Fields that were added up: row and name. */
  readonly sums: Set<string>
  /** Values that stood in other fields. */
  readonly held: Set<string>
  readonly terms: ComparisonTerms
  /** Keys that came with more than one request, in words. */
  readonly clashes: string[]
  /** Effects in systems outside. */
  readonly calls: { readonly name: string; readonly key: string; readonly request: string }[]
  /** Calls of a function that ended with an error of the framework's own, which tells its caller. */
  told: number
  /** How often the dead letters were sent back. */
  redriven: number
  /** Identities that came from outside, by queue: what bears one is taken for the same message. */
  readonly given: Set<string>
  /** What handlers sent, as it arrived: copies of what they had received are none of it. */
  readonly sendings: SentEffect[]
}

export function openScheduleContext(
  simulation: Simulation,
  terms: ComparisonTerms = USUAL_TERMS,
): ScheduleContext {
  const base = memoryStore()
  return {
    simulation,
    base,
    history: historyOf(base),
    rows: new Map(),
    queues: new Map(),
    sums: new Set(),
    held: new Set(),
    terms,
    clashes: [],
    calls: [],
    told: 0,
    redriven: 0,
    given: new Set(),
    sendings: [],
  }
}

export function queueOf({ queues }: ScheduleContext, name: string): SimulatedQueue {
  const queue = queues.get(name) ?? openSimulatedQueue(isFifoName(name))
  queues.set(name, queue)
  return queue
}
