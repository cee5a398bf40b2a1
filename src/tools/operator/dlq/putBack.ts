import { hash } from 'node:crypto'
import { stableId } from '../../../base/ids.ts'
import type { QueueMessage } from '../../../send/messenger.ts'
import { groupOfRecord } from '../../../send/messageGroup.ts'
import { readRecordAttributes } from '../../../record/envelope/attributes.ts'
import { buildResend, unchangedCopy } from '../../../record/envelope/buildResend.ts'
import {
  MAX_MESSAGE_BYTES,
  type OutgoingMessage,
  sizeOf,
} from '../../../record/envelope/buildMessage.ts'
import { parseObject } from '../../../record/envelope/json.ts'
import { unwrapResend, wrap, wrapCompressed } from '../../../record/envelope/wrapper.ts'
import { type DeadLetter, movedFrom } from './deadLetter.ts'
import { needsIdentity } from './toOutbound.ts'

/**
 * A dead letter as a message for its dead-letter queue, under the identity that it has. SQS gives it another message id, and does
 * not say any more from which queue it was moved, so the message carries both.
 * @param payload in place of its own
 * @returns undefined when it does not fit into a message, or its payload is not found in its body
 */
export function toPutBack(deadLetter: DeadLetter, payload?: string): QueueMessage | undefined {
  const body = payload === undefined ? deadLetter.record.body : withPayload(deadLetter, payload)
  if (body === undefined) return undefined
  const outgoing = outgoingOf({ ...deadLetter, record: { ...deadLetter.record, body } })
  if (outgoing === undefined || sizeOf(outgoing) > MAX_MESSAGE_BYTES) return undefined
  const { record, uniqueRequestId } = deadLetter
  const group = groupOfRecord(record.eventSourceARN, record, () => ({
    groupId: stableId('group', uniqueRequestId),
    // A message with this id is accepted once in five minutes: one that was killed before it knew sends it again.
    deduplicationId: stableId(uniqueRequestId, 'put back', record.messageId, hash('md5', body)),
  }))
  return { ...outgoing, ...group }
}

function outgoingOf(deadLetter: DeadLetter): OutgoingMessage | undefined {
  const { record, envelope, sentAt } = deadLetter
  if (!needsIdentity(deadLetter)) return unchangedCopy(record)
  const { carried, enqueuedAt } = envelope
  const source = movedFrom(record) ?? carried.source
  return buildResend(
    record,
    envelope,
    {
      sentAt: enqueuedAt ?? sentAt,
      ...carried,
      messageId: record.messageId,
      ...(source !== undefined && { source }),
    },
    { form: carried.wrapped === true ? 'wrapped' : 'transparent' },
  )
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
