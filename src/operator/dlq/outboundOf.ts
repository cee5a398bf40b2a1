import type { SQSMessageAttribute, SQSRecord } from 'aws-lambda'
import { buildResend, type Outgoing, type WireAttribute } from '../../envelope/outgoing.ts'
import { stableId } from '../../ids.ts'
import type { Outbound } from '../../queue/messenger.ts'
import { isFifo } from '../../queue/queueUrl.ts'
import type { Letter } from './letter.ts'

/**
 * Which letters get their SQS message id as their `uniquerequestid`, which a copy would lose otherwise.
 * `auto` (default): those that carry no identity and are no notification of SNS, which has one of its own. `message`: all that
 * carry none. `payload`: none, for consumers with the option `id`: a stamp would come before the payload's own id, and what
 * has run under that would run again.
 */
export type IdentityRule = 'auto' | 'message' | 'payload'

export function isStamped({ identity }: Letter, rule: IdentityRule): boolean {
  return (
    (rule !== 'payload' && identity === 'message') || (rule === 'message' && identity === 'sns')
  )
}

/**
 * The letter as it goes back. Ours goes as it is, with the mark of its death, by which the consumer knows it and opens its
 * request again. undefined: with its identity it is too large for a message.
 */
export function outboundOf(letter: Letter, url: string, rule: IdentityRule): Outbound | undefined {
  const outgoing = isStamped(letter, rule) ? stamped(letter) : asItIs(letter.record)
  return outgoing && { ...outgoing, ...orderOf(letter, url) }
}

/** With its first sending, by which flows know which request is the newer one. */
function stamped({ record, envelope, sentAt }: Letter): Outgoing | undefined {
  const { carried, enqueuedAt } = envelope
  return buildResend(
    record,
    envelope,
    { sentAt: enqueuedAt ?? sentAt, ...carried, uniqueRequestId: record.messageId },
    { form: carried.wrapped === true ? 'wrapped' : 'transparent' },
  )
}

/** Byte for byte, with what a newer version may have written. */
function asItIs({ body, messageAttributes }: SQSRecord): Outgoing {
  const entries = Object.entries(messageAttributes).map(([name, attribute]) => [
    name,
    toWire(attribute),
  ])
  return { body, attributes: Object.fromEntries(entries) as Outgoing['attributes'] }
}

function toWire({ dataType, stringValue, binaryValue }: SQSMessageAttribute): WireAttribute {
  return binaryValue === undefined
    ? { DataType: dataType, StringValue: stringValue ?? '' }
    : { DataType: dataType, BinaryValue: Buffer.from(binaryValue, 'base64') }
}

/** The same letter gives the same deduplication id, whichever run sends it, and no other id that its queue has seen. */
function orderOf(
  { record, uniqueRequestId }: Letter,
  url: string,
): Pick<Outbound, 'groupId' | 'deduplicationId'> {
  const { MessageGroupId: groupId } = record.attributes
  if (!isFifo(url)) return groupId === undefined ? {} : { groupId }
  return {
    groupId: groupId ?? stableId('group', uniqueRequestId),
    deduplicationId: stableId(uniqueRequestId, 'redrive', record.messageId),
  }
}
