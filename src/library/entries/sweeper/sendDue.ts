import type { Delayed } from '../../protocol/claim/delayed/delayedRow.ts'
import type { QueueMessage, SendOutcome, Messenger } from '../../protocol/send/messenger.ts'
import { isFifo } from '../../protocol/send/queueUrl.ts'
import { isPermanent, isSetUp } from '../../protocol/send/refusal.ts'
import { deadRunKey } from '../../protocol/claim/stage/deadRun.ts'
import {
  type DelayedVerdict,
  isFree,
  isSenderRunning,
  judgeDelayed,
} from '../../features/delay/judgeDelayed.ts'
import type { Store, StoreKey } from '../../protocol/store/store.ts'
import { itemIn, readItems, type ReadItem } from './due/listDue.ts'
import type { Logger } from '../../base/logger.ts'

/** @returns the rows that their queues have taken */
export async function sendDue(rows: readonly DueRow[], sweep: Sweep): Promise<readonly Delayed[]> {
  const now = sweep.now()
  // @protects a FIFO queue gets a message when it is due
  // @without rows.filter(() => true)
  const ready = rows.filter(({ queue, due }) => due <= now || !isFifo(queue))
  const byQueue = Map.groupBy(ready, ({ queue }) => queue)
  const sent = await Promise.all(
    [...byQueue].map(([queue, those]) => sendRows(queue, those.toSorted(byDue), sweep, now)),
  )
  return sent.flat()
}

async function sendRows(
  queue: string,
  rows: readonly DueRow[],
  sweep: Sweep,
  now: number,
): Promise<readonly Delayed[]> {
  const { counts, messenger, logger, refusing } = sweep
  if (refusing.has(queue)) {
    counts.failed += rows.length
    return []
  }
  const messages = rows.map((row) => messageOf(row, now))
  const outcomes = await messenger.send(queue, messages)
  if (refusesAll(outcomes)) refusing.add(queue)
  const failures = outcomes.filter((outcome) => outcome !== undefined)
  counts.failed += failures.length
  counts.sent += rows.length - failures.length
  const [worst] = failures
  if (worst !== undefined) {
    logger.error('delayed messages were not sent: the next run tries again', {
      queue,
      error: (failures.find(isPermanent) ?? worst).message,
      failed: failures.length,
    })
  }
  return rows.filter((_, index) => outcomes[index] === undefined)
}

/** Whether it is the queue that cannot be sent to, not one message that it cannot take. */
function refusesAll(outcomes: readonly SendOutcome[]): boolean {
  return outcomes.every(
    (outcome) =>
      outcome !== undefined && (isSetUp(outcome) || (outcomes.length > 1 && isPermanent(outcome))),
  )
}

/** A FIFO queue delays no single message, so its messages are sent when they are due. */
function messageOf({ message, due, queue }: DueRow, now: number): QueueMessage {
  return isFifo(queue) || due <= now
    ? message
    : { ...message, delaySeconds: Math.ceil((due - now) / 1_000) }
}

function byDue(one: Delayed, other: Delayed): number {
  return one.due - other.due
}

/** Records are read before parked items: see RunSeen. */
export async function judgeDue(
  rows: readonly DueRow[],
  { store, now }: Sweep,
): Promise<readonly (readonly [DueRow, DelayedVerdict])[]> {
  const time = now()
  const judged = rows.filter((row) => !isFree(row, time))
  const records = await loadBeside(store, judged, recordKeyOf)
  const over = judged.filter((row) => !isSenderRunning(row, itemIn(records.get(row))))
  const parked = await loadBeside(store, over, parkedKeyOf)
  return rows.map((row) => {
    const [record, dead] = [records.get(row), parked.get(row)]
    const unknown = [record, dead].find((seen) => seen?.kind === 'notKnown')
    if (unknown?.kind === 'notKnown') return [row, unknown]
    return [row, judgeDelayed(row, { record: itemIn(record), parked: itemIn(dead) }, time)]
  })
}

function recordKeyOf({ recordPk }: Delayed): StoreKey | undefined {
  return recordPk === undefined ? undefined : { pk: recordPk, sk: 'stage' }
}

function parkedKeyOf(row: Delayed): StoreKey | undefined {
  const record = recordKeyOf(row)
  return record && deadRunKey(record, row.uniqueRequestId)
}

async function loadBeside(
  store: Store,
  rows: readonly Delayed[],
  keyOf: (row: Delayed) => StoreKey | undefined,
): Promise<ReadonlyMap<Delayed, ReadItem | undefined>> {
  const asked = rows.flatMap((row) => {
    const key = keyOf(row)
    return key === undefined ? [] : [[row, key] as const]
  })
  if (asked.length === 0) return new Map()
  // A call refuses the same key twice, and rows of one run have one record.
  const keys = [...new Map(asked.map(([, key]) => [`${key.pk} ${key.sk}`, key])).values()]
  const items = await readItems(store, keys)
  const found = new Map(keys.map(({ pk, sk }, index) => [`${pk} ${sk}`, items[index]]))
  return new Map(asked.map(([row, { pk, sk }]) => [row, found.get(`${pk} ${sk}`)]))
}

/** What one run of the sweeper did with the rows of delayed messages. */
export interface DelayedReport {
  /** Messages that were sent, some with the seconds that were left as their delay. */
  readonly sent: number
  /** Messages that were put off, because their run has a dead letter that may be redriven. */
  readonly waiting: number
  /** Rows that were left as they are: damaged, or written by a newer version, or their run was. */
  readonly notKnown: number
  /** Messages that were not sent: the next run of the sweeper tries again. */
  readonly failed: number
}

export interface DelayedSweep extends DelayedReport {
  /** Milliseconds since the oldest row was first due when the run began; 0: none was overdue. */
  readonly oldest: number
}

export interface DueContext {
  readonly store: Store
  readonly messenger: Messenger
  readonly logger: Logger
  now(): number
  /** Whether no further page may be begun. */
  timeIsUp(): boolean
}

/** A run of the sweeper over delayed messages. */
export interface Sweep extends DueContext {
  readonly begun: number
  readonly counts: { -readonly [Kind in keyof DelayedReport]: number }
  oldest: number
  /** Queues that refuse for good: nothing more is sent to them in this run. */
  readonly refusing: Set<string>
}

export type DueRow = Delayed & { readonly message: QueueMessage }
