import type { SQSRecord } from 'aws-lambda'
import { emptyAttributes } from '../../../src/library/protocol/record/envelope/attributes.ts'
import type {
  AttributeInput,
  OutgoingMessage,
  Stamp,
} from '../../../src/library/protocol/record/envelope/buildMessage.ts'
import type {
  Attribute,
  Attributes,
  Envelope,
} from '../../../src/library/protocol/record/envelope/envelope.ts'
import {
  type Topics,
  readEnvelope,
} from '../../../src/library/protocol/record/envelope/readEnvelope.ts'
import { type SnsOptions, snsWrapped } from '../../../src/testing/events/snsWrapped.ts'
import { type RecordOptions, sqsRecord } from '../../../src/testing/events/sqsEvent.ts'

export const NOW: number = Date.parse('2026-05-04T12:00:00.000Z')
export const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:orders'
export const STAMP: Stamp = { uniqueRequestId: 'order-1', resendNumber: 0, hops: 0 }

export const read = (
  record: SQSRecord,
  { topics }: { topics: Topics } = { topics: [TOPIC] },
): Envelope => readEnvelope(record, { topics, now: NOW })

/** A notification of the topic that the tests name, at the time they name. */
export const published = (payload: unknown, options: Partial<SnsOptions> = {}): SQSRecord =>
  snsWrapped(payload, { topicArn: TOPIC, timestamp: NOW, ...options })

/** The record that a queue delivers for a sent message. */
export function receive(
  { body, attributes }: OutgoingMessage,
  options: RecordOptions = {},
): SQSRecord {
  const received = emptyAttributes<AttributeInput>()
  for (const [name, sent] of Object.entries(attributes)) {
    const type = sent.DataType
    received[name] =
      'StringValue' in sent ? { type, value: sent.StringValue } : { type, value: sent.BinaryValue }
  }
  return sqsRecord(body, { ...options, attributes: received })
}

/** Whatever the record says about itself, for values that no type allows. */
export const handMade = (fields: object): SQSRecord => fields as SQSRecord

/** Sorted, and without prototypes: `__proto__` is a name like any other here. */
export const listed = (attributes: Attributes): [string, Attribute][] =>
  Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1))
