import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { SQSEvent, SQSMessageAttribute, SQSRecord, SQSRecordAttributes } from 'aws-lambda'
import { systemClock } from '../../library/base/clock.ts'
import { isBinary } from '../../library/protocol/record/envelope/attributes.ts'
import {
  type AttributeInput,
  toAttributes,
} from '../../library/protocol/record/envelope/buildMessage.ts'
import type { Attribute } from '../../library/protocol/record/envelope/envelope.ts'
import { ConfigError } from '../../library/base/errors.ts'

/**
 * What a record has beside its payload.
 * @example
 * const retried: RecordOptions = { attributes: { tenant: 'a' }, receiveCount: 3 }
 */
export interface RecordOptions {
  /** Message attributes. @example { tenant: 'a', quantity: 2, rate: { type: 'Number.float', value: '1.50' } } */
  readonly attributes?: Readonly<Record<string, AttributeInput>>
  /** Default: a new UUID. */
  readonly messageId?: string
  /** When SQS accepted the message, epoch milliseconds. Default: the machine's time; with a fake clock, pass its time. */
  readonly sentAt?: number
  /** Default 1. */
  readonly receiveCount?: number
  /** The message group, for a record of a FIFO queue. */
  readonly fifoGroup?: string
  /** Default: the ARN of a queue named `orders`, or `orders.fifo` with `fifoGroup`. */
  readonly queueArn?: string
  /** Other system attributes, such as `DeadLetterQueueSourceArn` or `AWSTraceHeader`. */
  readonly systemAttributes?: Partial<SQSRecordAttributes>
}

const ACCOUNT = '123456789012'
const QUEUE_ARN = `arn:aws:sqs:eu-west-1:${ACCOUNT}:orders`
const FIRST_SEQUENCE = 18_850_000_000_000_000_000n

/**
 * The event that Lambda would pass to a consumer, with one record for each argument: a record stays as it is, a string is the
 * body itself, anything else becomes JSON.
 * @example
 * const event = sqsEvent({ orderId: 'o-1' }, sqsRecord({ orderId: 'o-2' }, { receiveCount: 3 }))
 */
export function sqsEvent(...payloadsOrRecords: readonly unknown[]): SQSEvent {
  return { Records: payloadsOrRecords.map((item) => (isRecord(item) ? item : sqsRecord(item))) }
}

/**
 * One record as Lambda passes it on, digests included. A string is the body itself, anything else becomes JSON.
 * @example
 * const record = sqsRecord({ orderId: 'o-1' }, { attributes: { tenant: 'a' }, fifoGroup: 'o-1' })
 */
export function sqsRecord(payload: unknown, options: RecordOptions = {}): SQSRecord {
  const body = bodyText(payload)
  const attributes = Object.entries(toAttributes(options.attributes ?? {}))
  const fifo = options.fifoGroup === undefined ? '' : '.fifo'
  const { messageId = randomUUID(), queueArn = `${QUEUE_ARN}${fifo}` } = options
  return {
    messageId,
    receiptHandle: `AQEB${randomBytes(96).toString('base64')}`,
    body,
    attributes: systemAttributes(body, options),
    messageAttributes: Object.fromEntries(attributes.map(([name, it]) => [name, inRecord(it)])),
    md5OfBody: hash('md5', body),
    ...(attributes.length > 0 && { md5OfMessageAttributes: digestOf(attributes) }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  }
}

export function isRecord(item: unknown): item is SQSRecord {
  if (typeof item !== 'object' || item === null) return false
  return 'eventSource' in item && item.eventSource === 'aws:sqs' && 'receiptHandle' in item
}

function systemAttributes(body: string, options: RecordOptions): SQSRecordAttributes {
  const { sentAt = systemClock.now(), receiveCount = 1, fifoGroup } = options
  return {
    ApproximateReceiveCount: String(receiveCount),
    SentTimestamp: String(sentAt),
    SenderId: 'AIDAIENQZJOLO23YVJ4VO',
    ApproximateFirstReceiveTimestamp: String(sentAt + 1),
    ...(fifoGroup !== undefined && {
      SequenceNumber: nextSequenceNumber(),
      MessageGroupId: fifoGroup,
      MessageDeduplicationId: hash('sha256', body),
    }),
    ...options.systemAttributes,
  }
}

let sequence = FIRST_SEQUENCE

/** Sequence numbers increase with gaps, as on a queue. */
function nextSequenceNumber(): string {
  sequence += 256n
  return String(sequence)
}

function inRecord({ type, value }: Attribute): SQSMessageAttribute {
  const held =
    typeof value === 'string'
      ? { stringValue: value }
      : { binaryValue: Buffer.from(value).toString('base64') }
  return { ...held, stringListValues: [], binaryListValues: [], dataType: type }
}

/**
 * docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html: sorted by name; each of name,
 * type and value follows its length in four bytes; one byte before the value is 1 for text and 2 for bytes.
 */
function digestOf(attributes: readonly (readonly [string, Attribute])[]): string {
  const sorted = attributes.toSorted(([a], [b]) => (a < b ? -1 : 1))
  const parts = sorted.flatMap(([name, { type, value }]) => [
    counted(Buffer.from(name)),
    counted(Buffer.from(type)),
    Buffer.of(isBinary(type) ? 2 : 1),
    counted(typeof value === 'string' ? Buffer.from(value) : value),
  ])
  return hash('md5', Buffer.concat(parts))
}

function counted(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** The body of a message: a string as it is, anything else as JSON. */
export function bodyText(payload: unknown): string {
  const text: unknown = typeof payload === 'string' ? payload : JSON.stringify(payload)
  if (typeof text === 'string') return text
  const what = payload === undefined ? 'undefined' : `a ${typeof payload}`
  throw new ConfigError(`payload: expected a string or a value that JSON can hold, got ${what}`)
}
