import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { SQSEvent, SQSMessageAttribute, SQSRecord, SQSRecordAttributes } from 'aws-lambda'
import { systemClock } from '../../clock.ts'
import { isBinary } from '../../record/envelope/attributes.ts'
import { type AttributeInput, toAttributes } from '../../record/envelope/checkAttributes.ts'
import type { Attribute } from '../../record/envelope/envelope.ts'
import { bodyText } from './bodyText.ts'

export interface RecordOptions {
  /** `{ tenant: 'a', quantity: 2, photo: bytes, rate: { type: 'Number.float', value: '1.50' } }` */
  readonly attributes?: Readonly<Record<string, AttributeInput>>
  /** By default a new UUID. */
  readonly messageId?: string
  /** When the queue took the message, epoch milliseconds. By default now by the machine's clock: with a fake one, give its time. */
  readonly sentAt?: number
  /** By default 1. */
  readonly receiveCount?: number
  /** Makes it a record of a FIFO queue. */
  readonly fifoGroup?: string
  /** By default that of a queue named `orders`, or `orders.fifo`. */
  readonly queueArn?: string
  /** Any other of SQS's own attributes, such as `DeadLetterQueueSourceArn` or `AWSTraceHeader`. */
  readonly systemAttributes?: Partial<SQSRecordAttributes>
}

const ACCOUNT = '123456789012'
const QUEUE_ARN = `arn:aws:sqs:eu-west-1:${ACCOUNT}:orders`
const FIRST_SEQUENCE = 18_850_000_000_000_000_000n

/**
 * The event with which Lambda would call a consumer: one record for each payload (a JSON value, or a text as it is), or
 * the record itself if it is one: `sqsEvent({ orderId: 'o-1' }, sqsRecord({ orderId: 'o-2' }, { receiveCount: 3 }))`.
 */
export function sqsEvent(...payloadsOrRecords: readonly unknown[]): SQSEvent {
  return { Records: payloadsOrRecords.map((item) => (isRecord(item) ? item : sqsRecord(item))) }
}

/** One record as Lambda hands it over, digests included. A text is the body as it is, anything else becomes JSON. */
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

function isRecord(item: unknown): item is SQSRecord {
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

/** Later records of one process have higher numbers, with gaps, as in a queue. */
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
 * docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html: sorted by name; name, type
 * and value each after their length in four bytes; one byte before the value tells text (1) from bytes (2).
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
