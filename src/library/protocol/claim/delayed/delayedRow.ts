import { ttlAt } from '../../../base/limits/lifetime.ts'
import { INDEX_ATTRIBUTES, indexed } from '../statusIndex.ts'
import type { Hold } from '../hold.ts'
import { isoTime } from '../../../base/time.ts'
import type { QueueMessage } from '../../send/messenger.ts'
import type { Condition, Item, StoreKey, Update } from '../../store/store.ts'
import { readStoredMessage, writeMessage } from './messageText.ts'

/** `sent` and `void` are tombstones: a row that was deleted could be created again by a late write or a second run of its handler. */
type DelayedStatus = 'due' | 'sent' | 'void'

/** The row of a delayed message, as it was read. Times are epoch milliseconds. */
export interface Delayed {
  readonly key: StoreKey
  readonly status: DelayedStatus
  readonly queue: string
  /** undefined: it was sent or voided, and is no longer stored. */
  readonly message: QueueMessage | undefined
  readonly due: number
  /** When the sweeper looks at it: `due`, or later while its run is dead. undefined: never again. */
  readonly dueAt: number | undefined
  readonly by: string
  readonly uniqueRequestId: string
  readonly recordPk: string | undefined
  readonly keepFor: number
}

/** A message as it is stored until it is due. */
export type DelayedRow = Item & StoreKey

const ROW_PREFIX = 'later#'
const SORT_KEY = 'later'

export function delayedKey(id: string): StoreKey {
  return { pk: ROW_PREFIX + id, sk: SORT_KEY }
}

export function isDelayedKey(pk: string): boolean {
  return pk.startsWith(ROW_PREFIX)
}

/** What a row says, times as epoch milliseconds. */
interface DelayedContent extends Pick<
  Delayed,
  'queue' | 'due' | 'by' | 'uniqueRequestId' | 'keepFor'
> {
  readonly id: string
  readonly message: QueueMessage
  readonly now: number
  readonly run: Hold['run']
}

export function writeDelayed(content: DelayedContent): DelayedRow {
  const { id, queue, message, due, now, by, uniqueRequestId, run, keepFor } = content
  const key = delayedKey(id)
  return {
    ...key,
    st: 'due',
    queue,
    message: writeMessage(message),
    due,
    by,
    uniquerequestid: run?.uniqueRequestId ?? uniqueRequestId,
    ...(run === undefined ? {} : { run: run.recordPk }),
    keepFor,
    created: isoTime(now),
    ...indexed(key.pk, 'later', due),
  }
}

/** @returns undefined for an item that this version cannot read: it is neither sent nor changed */
export function readDelayed(item: Item): Delayed | undefined {
  const { pk, sk, st, queue, due, dueAt, by, uniquerequestid, run, keepFor } = item
  if (typeof pk !== 'string' || typeof sk !== 'string' || !isDelayedKey(pk) || sk !== SORT_KEY)
    return undefined
  if (st !== 'due' && st !== 'sent' && st !== 'void') return undefined
  if (typeof queue !== 'string' || !isQueue(queue)) return undefined
  if (typeof by !== 'string' || typeof uniquerequestid !== 'string') return undefined
  if (!isTime(due) || !isTime(keepFor) || (dueAt !== undefined && !isTime(dueAt))) return undefined
  if (run !== undefined && typeof run !== 'string') return undefined
  const message = readStoredMessage(item['message'])
  if (st === 'due' && (message === undefined || dueAt === undefined)) return undefined
  const whose = { by, uniqueRequestId: uniquerequestid, recordPk: run, keepFor }
  return { key: { pk, sk }, status: st, queue, message, due, dueAt, ...whose }
}

/** Written after the queue has accepted the message: a sweeper that is killed in between sends it again under the same id. */
export function closeDelayed(
  { key, keepFor }: Delayed,
  status: 'sent' | 'void',
  now: number,
): Update {
  return {
    key,
    // @protects a message that was sent is not closed or voided by another sweeper
    // @without [] @tests test/features/delay test/sweeper/sendDelayed
    where: STILL_DUE,
    set: {
      st: status,
      actualCompletion: isoTime(now),
      ttl: ttlAt(now + keepFor),
    },
    remove: [...INDEX_ATTRIBUTES, 'message'],
    needsNoItem: true,
  }
}

/** The sweeper looks at it again at `until`. */
export function postponeDelayed({ key, dueAt = 0 }: Delayed, until: number): Update {
  const asRead: Condition = { field: 'dueAt', is: '=', value: dueAt }
  return {
    key,
    // @protects a message is put off only as it was read
    // @without [] @tests test/features/delay/row
    where: [...STILL_DUE, asRead],
    set: { dueAt: until },
  }
}

const STILL_DUE: readonly Condition[] = [{ field: 'st', is: '=', value: 'due' }]
const QUEUE = /^(?:https?:\/\/\S+\/[^/\s]+|arn:[\w-]+:sqs:[\w-]+:\d+:[\w.-]+)$/

function isQueue(queue: string): boolean {
  return QUEUE.test(queue)
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
