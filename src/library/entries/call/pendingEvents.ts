import {
  outcomeOrThrow,
  type Item,
  type StoreKey,
  type Store,
  type Update,
} from '../../protocol/store/store.ts'
import { decodeValue, encodeValue } from '../../run/context/results/storedValue.ts'
import { ConfigError, SendFailedError, StoreUnavailableError } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import { indexed } from '../../protocol/claim/statusIndex.ts'
import { buildMessage, type AttributeInput } from '../../protocol/record/envelope/buildMessage.ts'
import { payloadText } from '../../protocol/record/envelope/payloadText.ts'
import { assertKnown } from '../../base/options.ts'
import type { Messenger, QueueMessage } from '../../protocol/send/messenger.ts'
import { groupGiven } from '../../protocol/send/messageGroup.ts'
import { hashValue } from '../../base/hashValue.ts'
import { isObject } from '../../base/kindOf.ts'
import { fingerprintOfText } from './canonical.ts'

/** A message and its queue. It is stored before it is sent, and always sent as stored, so its consumer recognises it by its id. */
export interface PendingEvent {
  readonly queueUrl: string
  readonly message: QueueMessage
}

/** Where `thenEnqueue` sends the event, and how. */
export interface EnqueueOptions {
  readonly queueUrl: string
  /** Message attributes for the consumer. Default: none. */
  readonly attributes?: Readonly<Record<string, AttributeInput>>
  /** `json` (default): the payload as JSON, as consumers read it. `text`: the payload is a text and is sent as it is. */
  readonly as?: 'json' | 'text'
  /** The message group. Required for FIFO queues; on others the tenant of a fair queue. */
  readonly groupId?: string
  /**
   * Names of the fields of the payload in which two events with one key must agree: others, such as a counter of deliveries, may
   * differ, and the second is a duplicate. Default: the whole payload must be equal.
   * @example mustAgree: ['id', 'type']
   */
  readonly mustAgree?: readonly string[]
}

const QUEUE_URL = /^https?:\/\/.+\/[^/]+$/

/** @throws TerminalError, ConfigError when the message cannot be sent as it is */
export function pendingEventFor(
  id: string,
  payload: unknown,
  to: EnqueueOptions,
  now: number,
): PendingEvent {
  assertKnown('thenEnqueue', to, ['queueUrl', 'attributes', 'as', 'groupId', 'mustAgree'])
  const { queueUrl, attributes = {}, groupId } = to
  if (!QUEUE_URL.test(queueUrl)) {
    throw new ConfigError(
      `thenEnqueue: queueUrl: expected the URL of a queue; got ${JSON.stringify(queueUrl)}. Is the environment variable set?`,
    )
  }
  const message = buildMessage(bodyOf(payload, to), attributes, {
    uniqueRequestId: id,
    resendNumber: 0,
    hops: 1,
    sentAt: now,
  })
  const lacking = `thenEnqueue: groupId: the FIFO queue ${queueUrl} needs one; got nothing`
  const group = groupGiven(queueUrl, groupId, id, lacking)
  return { queueUrl, message: { ...message, ...group } }
}

function bodyOf(payload: unknown, { as = 'json' }: EnqueueOptions): string {
  if (as === 'json') return payloadText('thenEnqueue', payload)
  if (as === 'text' && typeof payload === 'string') return payload
  throw new ConfigError(
    `thenEnqueue: as: expected 'json', or 'text' and a text for payload; got ${JSON.stringify(as)} and a ${typeof payload}`,
  )
}

/** Milliseconds after which an accepted event that is not on its queue is overdue. */
const OVERDUE_MS = 60_000

/** Attributes of an event that is accepted but not yet on its queue. Until then it is listed in the status index. */
export function pendingAttributes(
  pk: string,
  pending: PendingEvent,
  { payload, mustAgree }: { readonly payload: unknown } & Pick<EnqueueOptions, 'mustAgree'>,
  now: number,
): Readonly<Record<string, string | number>> {
  return {
    status: 'accepted',
    letter: encodeValue(pending),
    payloadHash:
      mustAgree === undefined
        ? fingerprintOfText(pending.message.body)
        : fingerprintOfFields(payload, mustAgree),
    ...indexed(pk, 'accepted', now + OVERDUE_MS),
  }
}

/** @throws ConfigError when the fields cannot be compared: nothing was accepted */
function fingerprintOfFields(payload: unknown, fields: readonly string[]): string {
  if (
    fields.length === 0 ||
    !isObject(payload) ||
    fields.some((name) => payload[name] === undefined)
  ) {
    throw new ConfigError(
      'thenEnqueue: mustAgree: expected names of fields that the payload has. Nothing was accepted',
    )
  }
  return `fields:${hashValue([...fields].toSorted().map((name) => [name, payload[name]]))}`
}

/** @returns undefined when the event is on its queue already, or the key was only acquired */
export function readPendingEvent(item: Item): PendingEvent | undefined {
  const { letter: stored } = item
  if (typeof stored !== 'string') return undefined
  const decoded = decode(stored)
  if (isPendingEvent(decoded)) return decoded
  throw new StoreUnavailableError(
    'the accepted event was stored by a newer version, or by hand, and cannot be read; it was not sent',
  )
}

/** Discards the parser's error, which would quote the payload. */
function decode(stored: string): unknown {
  try {
    return decodeValue(stored)
  } catch {
    return undefined
  }
}

/** The parts of `message` were encoded by `pendingAttributes`. */
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

/** @throws SendFailedError: the event stays accepted, and its duplicate or the sweeper queues it */
export async function sendPendingEvent(
  { queueUrl, message }: PendingEvent,
  messenger: Messenger,
): Promise<void> {
  const [refusal] = await messenger.send(queueUrl, [message])
  if (refusal === undefined) return
  throw new SendFailedError(
    `${queueUrl} did not take the message (${refusal.message}); the event stays accepted, and its duplicate or the sweeper queues it`,
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
 * For the sweeper: queues an event that was accepted but never queued, under its original id. An event that was queued in the
 * meantime is left alone.
 * @throws StoreUnavailableError, SendFailedError: nothing was changed, and the next sweep tries again
 */
export async function queuePendingEvent(
  store: Store,
  messenger: Messenger,
  key: StoreKey,
  now: number,
): Promise<'queued' | 'not accepted'> {
  const found = outcomeOrThrow(await store.read([key], { consistent: true }))
  const pending = found.item && readPendingEvent(found.item)
  if (pending === undefined) return 'not accepted'
  await sendPendingEvent(pending, messenger)
  outcomeOrThrow(await store.update([markQueued(key, now)]))
  return 'queued'
}
