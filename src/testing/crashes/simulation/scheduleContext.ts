import {
  memoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
} from '../../../store/memory/memoryStore.ts'
import type { UserItem, UserKey } from '../../../store/store.ts'
import { type History, historyOf } from './history.ts'
import { isFifoName } from '../../queues/arns.ts'
import type { SentEffect } from './sentEffects.ts'
import { openSimulatedQueue, type SimulatedQueue } from '../../queues/simulatedQueue.ts'
import type { Simulation } from './simulation.ts'
import { openSqlState, type SqlState } from './sqlState.ts'

/** Whether outside systems honour idempotency keys or ignore them. */
export type KeyPolicy = 'honoured' | 'ignored'

export interface ComparisonTerms {
  readonly keys: KeyPolicy
  /** Fields of rows and payloads that may differ between schedules. */
  readonly ignore: readonly string[]
}

const USUAL_TERMS: ComparisonTerms = { keys: 'honoured', ignore: [] }

/** Everything outside the handlers in one schedule: tables, queues, outside systems, and what they received. */
export interface ScheduleContext {
  readonly simulation: Simulation
  readonly base: MemoryStore
  /** Earlier versions of Lineclear's own items, for stale reads. */
  readonly history: History
  /** The user's rows that a handler wrote or tried to write, by table and key. */
  readonly rows: Map<string, UserKey>
  /** Those of them that were there at the start, as they were. */
  readonly seeded: Map<string, UserItem>
  /** By name: queues with a handler, queues that are only sent to, and the dead-letter queues. */
  readonly queues: Map<string, SimulatedQueue>
  /** Large payloads, by name. */
  readonly objects: Map<string, string>
  /** Fields that a write added to: row and name. */
  readonly sums: Set<string>
  /** Values that sums have had, and values that other fields have held. */
  readonly passed: Set<string>
  readonly held: Set<string>
  /** Runs of flows that were completed, by record and digest of their request. */
  readonly completed: Set<string>
  readonly terms: ComparisonTerms
  /** Idempotency keys that came with more than one request, as sentences for the report. */
  readonly clashes: string[]
  /** Effects in outside systems. */
  readonly calls: { readonly name: string; readonly key: string; readonly request: string }[]
  readonly sql: SqlState
  /** Calls of a function that ended with one of Lineclear's errors: the caller knows of the failure. */
  reportedFailures: number
  /** How often the dead letters were redriven. */
  redriven: number
  /** Identities of messages from outside, by queue: a message with such an identity is a copy of it. */
  readonly given: Set<string>
  /** Messages that handlers sent, in order of arrival, without resends of messages they had received. */
  readonly sendings: SentEffect[]
}

export function openScheduleContext(
  simulation: Simulation,
  terms: ComparisonTerms = USUAL_TERMS,
  seeds?: MemoryStoreOptions['rows'],
): ScheduleContext {
  const base = memoryStore({ rows: seeds })
  const completed = new Set<string>()
  return {
    simulation,
    base,
    history: historyOf(base, completed),
    rows: new Map(),
    seeded: new Map(),
    queues: new Map(),
    objects: new Map(),
    sums: new Set(),
    passed: new Set(),
    held: new Set(),
    completed,
    terms,
    clashes: [],
    calls: [],
    sql: openSqlState(),
    reportedFailures: 0,
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
