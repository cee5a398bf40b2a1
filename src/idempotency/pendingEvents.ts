import { decodeValue, encodeValue } from '../context/results/storedValue.ts'
import { QueueRefusedError, StoreUnavailableError } from '../errors.ts'
import { isoTime } from '../isoTime.ts'
import { indexed } from '../claim/token/claimWrites.ts'
import type { Messenger, QueueMessage } from '../queue/messenger.ts'
import type { Item, StoreKey, Store, Update } from '../store/store.ts'
import { fingerprintOfText } from './fingerprint.ts'

/** A message, and where it goes. Stored before it is sent, and sent again as it is: its receiver knows it by its id. */
export interface PendingEvent {
  readonly queueUrl: string
  readonly message: QueueMessage
}

/** When somebody should look why an accepted event is still not on its queue. Milliseconds. */
const OVERDUE_MS = 60_000

/** Attributes of an event that was accepted and is not yet on its queue. The status index shows it until it is. */
export function pendingAttributes(
  pk: string,
  pending: PendingEvent,
  now: number,
): Readonly<Record<string, string | number>> {
  return {
    status: 'accepted',
    letter: encodeValue(pending),
    payloadHash: fingerprintOfText(pending.message.body),
    ...indexed(pk, 'accepted', now + OVERDUE_MS),
  }
}

/**
 * undefined: it is on its queue, or was never meant for one.
 * @throws StoreUnavailableError: it is there, and this version cannot read it: whoever wrote it can.
 */
export function readPendingEvent(item: Item): PendingEvent | undefined {
  const { letter: stored } = item
  if (typeof stored !== 'string') return undefined
  const decoded = decode(stored)
  if (isPendingEvent(decoded)) return decoded
  throw new StoreUnavailableError(
    'the message that was accepted was stored by a newer version, or by hand, and cannot be read; it is not sent',
  )
}

/** A parser's error quotes the message. */
function decode(stored: string): unknown {
  try {
    return decodeValue(stored)
  } catch {
    return undefined
  }
}

/** What its parts hold was encoded by `acceptedAttributes`. */
function isPendingEvent(value: unknown): value is PendingEvent {
  if (typeof value !== 'object' || value === null) return false
  if (!('queueUrl' in value) || typeof value.queueUrl !== 'string') return false
  if (!('message' in value) || typeof value.message !== 'object' || value.message === null)
    return false
  const { message } = value
  return (
    'body' in message &&
    typeof message.body === 'string' &&
    'attributes' in message &&
    typeof message.attributes === 'object' &&
    message.attributes !== null
  )
}

/** @throws QueueRefusedError: the event stays accepted, and its duplicate or the sweeper queues it. */
export async function sendPendingEvent(
  { queueUrl, message }: PendingEvent,
  messenger: Messenger,
): Promise<void> {
  const [refusal] = await messenger.send(queueUrl, [message])
  if (refusal === undefined) return
  throw new QueueRefusedError(
    `${queueUrl} did not take the message (${refusal.message}); the event is accepted, and queued by its duplicate or the sweeper`,
    { cause: refusal },
  )
}

export function markQueued(key: StoreKey, now: number): Update {
  return {
    key,
    where: [{ field: 'status', is: '=', value: 'accepted' }],
    set: { status: 'queued', queued: isoTime(now) },
    remove: ['letter', 'statusShard', 'dueAt'],
  }
}

/**
 * For the sweeper: queues an event that was accepted and then forgotten, under the id it has had from the start. An event
 * that was queued in the meantime is left alone.
 * @throws StoreUnavailableError, QueueRefusedError: nothing is changed, and the next sweep tries again.
 */
export async function queuePendingEvent(
  store: Store,
  messenger: Messenger,
  key: StoreKey,
  now: number,
): Promise<'queued' | 'not accepted'> {
  const [found] = await store.read([key], { consistent: true })
  if (found === undefined || found.kind === 'failed') throw found?.error ?? noOutcome()
  const pending = found.item && readPendingEvent(found.item)
  if (pending === undefined) return 'not accepted'
  await sendPendingEvent(pending, messenger)
  const [marked] = await store.update([markQueued(key, now)])
  if (marked === undefined || marked.kind === 'failed') throw marked?.error ?? noOutcome()
  return 'queued'
}

function noOutcome(): StoreUnavailableError {
  return new StoreUnavailableError('the store gave no outcome')
}
