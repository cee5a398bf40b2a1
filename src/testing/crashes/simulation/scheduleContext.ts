import {
  memoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
} from '../../../library/adapters/store/memory/memoryStore.ts'
import {
  type UserItem,
  type UserKey,
  type Item,
  type StoreKey,
  type UserValue,
  hasNoAnswer,
} from '../../../library/protocol/store/store.ts'
import { isFifoName, isDeadLetterQueue, lastSegment } from '../../queues/description.ts'
import {
  openSimulatedQueue,
  type SimulatedQueue,
  type SimulatedMessage,
  put,
} from '../../queues/simulatedQueue.ts'
import { readStageRecord } from '../../../library/protocol/claim/stage/stageRecord.ts'
import { attribute, canonical } from '../../../library/protocol/store/value.ts'
import type { QueueMessage } from '../../../library/protocol/send/messenger.ts'
import { type MemoryDatabase, type MemorySession, openDatabase } from '../../sql/memorySql.ts'
import { carriedBy, type SentEffect, sendingOf, rowText } from './sentEffects.ts'
import type { Simulation, Actor } from './simulation.ts'

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
  /** The user's rows as they were at the start; none of a row that was not there. */
  readonly seeded: Map<string, UserItem>
  /** By name: queues with a handler, queues that are only sent to, and the dead-letter queues. */
  readonly queues: Map<string, SimulatedQueue>
  /** Large payloads, by name. */
  readonly objects: Map<string, string>
  /** Fields that a write added to: row and name. */
  readonly sums: Set<string>
  /** Values that fields have held which are no sums. */
  readonly held: Set<string>
  /** Runs of flows that were completed, by record and digest of their request. */
  readonly completed: Set<string>
  readonly terms: ComparisonTerms
  /** Idempotency keys that came with more than one request, as sentences for the report. */
  readonly clashes: string[]
  /** Effects in outside systems. */
  readonly calls: { readonly name: string; readonly key: string; readonly request: string }[]
  readonly sql: SqlState
  /** Errors of Lineclear that callers of a function got: they know of the failure. */
  readonly refusals: string[]
  /** Why events were given up by Lambda: no caller knows of them. */
  readonly givenUp: string[]
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
    held: new Set(),
    completed,
    terms,
    clashes: [],
    calls: [],
    sql: { ...openDatabase(), locks: new Map() },
    refusals: [],
    givenUp: [],
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

/** Earlier versions of items, for stale reads. */
interface History {
  /** Call it after each write to these items. */
  note(keys: readonly StoreKey[], now: number): Promise<void>
  /** The item before its last change. */
  before(key: StoreKey): Item | undefined
  /** The item as it was at that time. */
  at(key: StoreKey, time: number): Item | undefined
}

interface Version {
  readonly since: number
  readonly item: Item | undefined
}

/** @param completed collects each run of a flow that was completed: the record remembers only the last one */
function historyOf(base: MemoryStore, completed: Set<string>): History {
  const versions = new Map<string, readonly Version[]>()
  const of = ({ pk, sk }: StoreKey): readonly Version[] => versions.get(`${pk} ${sk}`) ?? []
  return {
    async note(keys, now) {
      const reads = await base.read(keys)
      for (const [index, read] of reads.entries()) {
        const key = keys[index]
        if (key === undefined || hasNoAnswer(read)) continue
        const { last } = (read.item && readStageRecord(read.item)) ?? {}
        if (last?.as === 'completed') completed.add(`${key.pk} ${last.digest}`)
        versions.set(`${key.pk} ${key.sk}`, [...of(key), { since: now, item: read.item }])
      }
    },
    before: (key) => of(key).at(-2)?.item,
    at: (key, time) => of(key).findLast(({ since }) => since <= time)?.item,
  }
}

export function rowOf(
  { base }: ScheduleContext,
  { TableName, Key }: UserKey,
): UserItem | undefined {
  const isIt = (item: UserItem): boolean =>
    Object.entries(Key).every(
      ([name, value]) => canonical(attribute(item, name) ?? null) === canonical(value),
    )
  return base.userItems(TableName).find(isIt)
}

/** A name for the report, the same for the same row. */
export function rowName({ TableName, Key }: UserKey): string {
  const parts = Object.entries(Key).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `${TableName} ${rowText(Object.fromEntries(parts))}`
}

/** Remembers the values that a write left in a row, so that a later comparison can recognise an older value. */
export function noteHeld(context: ScheduleContext, row: string, key: UserKey): void {
  for (const [field, value] of Object.entries(rowOf(context, key) ?? {})) {
    if (!context.sums.has(`${row} ${field}`)) context.held.add(heldText(row, field, value))
  }
}

export function heldText(row: string, field: string, value: UserValue): string {
  return `${row} ${field} ${canonical(value)}`
}

/** Puts a message from outside on a queue. On a FIFO queue all of them share one group unless the message names another. */
export function sendFromOutside(
  context: ScheduleContext,
  name: string,
  message: QueueMessage,
): SimulatedMessage {
  const queue = queueOf(context, name)
  const order = queue.isFifo ? { groupId: 'group', deduplicationId: `${queue.sent}` } : {}
  const queued = put(queue, { ...order, ...message }, context.simulation.now)
  context.given.add(`${name} ${sendingOf(name, queued, []).identity}`)
  return queued
}

/** The SQL database of one schedule. */
interface SqlState extends MemoryDatabase {
  /** The session that has the lock of a subject. */
  readonly locks: Map<string, SqlSession>
}

export interface SqlSession extends MemorySession {
  readonly actor: Actor
  /** When the server ends it, epoch milliseconds. */
  readonly until: number
  /** Its COMMIT has been sent. */
  isLate: boolean
}

/** Everything in the database that can affect what follows. */
export function sqlStateText({ fences, marks, locks, statements }: SqlState): string {
  const held = [...locks].map(([subject, { actor, statements: own }]) => [subject, actor.name, own])
  return JSON.stringify([[...fences], [...marks], held, statements])
}

/** All messages in dead-letter queues. */
export function deadLettersIn({ queues }: ScheduleContext): readonly SimulatedMessage[] {
  return [...queues].flatMap(([name, { messages }]) => (isDeadLetterQueue(name) ? messages : []))
}

/** Why a message was dead-lettered, from its own attributes. */
export function deadLetterReason(message: QueueMessage): string {
  const { reason = 'no reason', error = '' } = carriedBy(message) ?? {}
  return error === '' ? reason : `${reason}: ${error}`
}

/**
 * Ends lasting faults and redrives every dead letter to its source queue, as SQS does: a new message with the same body and
 * attributes. @returns whether there was any
 */
export function redriveAll(context: ScheduleContext, first: string): boolean {
  const { simulation, queues } = context
  const messages = deadLettersIn(context)
  if (messages.length === 0) return false
  context.redriven += 1
  simulation.deadly.clear()
  simulation.throttled.clear()
  simulation.log.push(`the cause is fixed, and ${messages.length} dead letters are redriven`)
  for (const [name, queue] of queues) if (isDeadLetterQueue(name)) queue.messages = []
  for (const { message } of messages) {
    const source = lastSegment(carriedBy(message)?.source ?? first)
    put(queueOf(context, source), message, simulation.now)
  }
  return true
}
