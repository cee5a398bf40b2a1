import {
  unchangedCopy,
  buildResend,
} from '../../../library/protocol/record/envelope/buildResend.ts'
import type { Envelope } from '../../../library/protocol/record/envelope/envelope.ts'
import {
  type OutgoingMessage,
  MAX_MESSAGE_BYTES,
  sizeOf,
} from '../../../library/protocol/record/envelope/buildMessage.ts'
import { stableId } from '../../../library/base/ids.ts'
import type {
  QueueMessage,
  Messenger,
  SendOutcome,
} from '../../../library/protocol/send/messenger.ts'
import { groupOfRecord } from '../../../library/protocol/send/messageGroup.ts'
import { type DeadLetter, movedFrom } from './deadLetter.ts'
import { isFifo } from '../../../library/protocol/send/queueUrl.ts'
import { bodyHash } from '../../../library/protocol/record/message/message.ts'
import { readRecordAttributes } from '../../../library/protocol/record/envelope/attributes.ts'
import { parseObject } from '../../../library/protocol/record/envelope/json.ts'
import {
  unwrapResend,
  wrap,
  wrapCompressed,
} from '../../../library/protocol/record/envelope/wrapper.ts'

/**
 * The message carries no `uniquerequestid`, and SQS gives a resent message another message id, so the current one has to be sent
 * along.
 */
export function needsIdentity({ identity }: DeadLetter): boolean {
  return identity !== 'stamped'
}

/**
 * The message to send back. A dead letter of Lineclear is sent unchanged: the consumer recognises it by the number of its death,
 * and reopens its request. Undefined: with its identity it is too large for a message.
 * @param asNew its record is gone, and it runs all the same
 */
export function toOutbound(
  deadLetter: DeadLetter,
  url: string,
  asNew = false,
): QueueMessage | undefined {
  const unchanged = asNew ? withoutDeath : ({ record }: DeadLetter) => unchangedCopy(record)
  const outgoing = needsIdentity(deadLetter) ? withMessageId(deadLetter) : unchanged(deadLetter)
  const { record, uniqueRequestId } = deadLetter
  const group = groupOfRecord(url, record, () => ({
    groupId: stableId('group', uniqueRequestId),
    // One dead letter has the same deduplication id in every run, but never an id that its queue has seen before.
    deduplicationId: stableId(uniqueRequestId, 'redrive', record.messageId),
  }))
  return outgoing && { ...outgoing, ...group }
}

/**
 * Adds the time of the first sending, by which flows decide which request is newer.
 * @param source ARN of the queue that it came from. Default: the one that it names
 */
function withMessageId(
  { record, envelope, sentAt }: DeadLetter,
  source = envelope.carried.source,
): OutgoingMessage | undefined {
  const { carried, enqueuedAt } = envelope
  const { messageId } = record
  const from = source !== undefined && { source }
  const stamp = { sentAt: enqueuedAt ?? sentAt, ...carried, messageId, ...from }
  return buildResend(record, envelope, stamp, formOf(envelope))
}

/** Under its identity, as if it had never been attempted. */
function withoutDeath({
  record,
  envelope,
  uniqueRequestId,
}: DeadLetter): OutgoingMessage | undefined {
  const { death: _death, wrapped: _wrapped, ...carried } = envelope.carried
  const stamp = { ...carried, uniqueRequestId, resendNumber: 0 }
  return buildResend(record, envelope, stamp, formOf(envelope))
}

function formOf({ carried }: Envelope): Parameters<typeof buildResend>[3] {
  return { form: carried.wrapped === true ? 'wrapped' : 'transparent' }
}

export interface AddressedMessage {
  readonly url: string
  readonly message: QueueMessage
}

type SendInGroupOrder = (
  deadLetters: readonly AddressedMessage[],
) => Promise<readonly SendOutcome[]>

/** A message group of a FIFO queue stops at the first message that is refused: no later one overtakes it. */
export function sendInGroupOrder(messenger: Messenger): SendInGroupOrder {
  const stopped = new Map<string, Error>()

  /** Sends one by one, because in a batch SQS may refuse a message and accept the next one of its group. */
  async function sendInOrder(
    url: string,
    messages: readonly QueueMessage[],
  ): Promise<readonly SendOutcome[]> {
    const outcomes: SendOutcome[] = []
    for (const message of messages) {
      const group = JSON.stringify([url, message.groupId])
      const outcome = stopped.get(group) ?? (await messenger.send(url, [message]))[0]
      if (outcome !== undefined) stopped.set(group, outcome)
      outcomes.push(outcome)
    }
    return outcomes
  }

  return async (deadLetters) => {
    const outcomes = new Map<AddressedMessage, SendOutcome>()
    for (const [url, group] of Map.groupBy(deadLetters, (deadLetter) => deadLetter.url)) {
      const messages = group.map(({ message }) => message)
      const sent = await (isFifo(url) ? sendInOrder(url, messages) : messenger.send(url, messages))
      for (const [index, deadLetter] of group.entries()) outcomes.set(deadLetter, sent[index])
    }
    return deadLetters.map((deadLetter) => outcomes.get(deadLetter))
  }
}

/**
 * A dead letter as a message for its dead-letter queue, under the identity that it has. SQS gives it another message id, and does
 * not say any more from which queue it was moved, so the message carries both.
 * @param payload in place of its own
 * @returns undefined when it does not fit into a message, or its payload is not found in its body
 */
export function toPutBack(deadLetter: DeadLetter, payload?: string): QueueMessage | undefined {
  const body = payload === undefined ? deadLetter.record.body : withPayload(deadLetter, payload)
  if (body === undefined) return undefined
  const record = { ...deadLetter.record, body }
  const outgoing = needsIdentity(deadLetter)
    ? withMessageId({ ...deadLetter, record }, movedFrom(record))
    : unchangedCopy(record)
  if (outgoing === undefined || sizeOf(outgoing) > MAX_MESSAGE_BYTES) return undefined
  const { uniqueRequestId } = deadLetter
  const group = groupOfRecord(record.eventSourceARN, record, () => ({
    groupId: stableId('group', uniqueRequestId),
    // A message with this id is accepted once in five minutes: one that was killed before it knew sends it again.
    deduplicationId: stableId(uniqueRequestId, 'put back', record.messageId, bodyHash(body)),
  }))
  return { ...outgoing, ...group }
}

/** The payload may be inside a wrapper of Lineclear, a notification of SNS, or both. */
function withPayload({ record, envelope }: DeadLetter, payload: string): string | undefined {
  const marked = envelope.carried.wrapped === true
  const queue = readRecordAttributes(record.messageAttributes, ignore)
  const received = unwrapResend(record.body, queue, marked, ignore)
  const inner = inNotification(received.body, envelope.body, payload)
  if (inner === undefined || !received.wrapped) return inner
  const wrapped = wrap(inner, received.attributes)
  return wrapped.length < MAX_MESSAGE_BYTES ? wrapped : wrapCompressed(inner, received.attributes)
}

function inNotification(body: string, before: string, payload: string): string | undefined {
  if (body === before) return payload
  const notification = parseObject(body)
  if (notification?.['Message'] !== before) return undefined
  return JSON.stringify({ ...notification, Message: payload })
}

function ignore(): void {}
