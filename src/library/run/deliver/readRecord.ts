import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { RejectedError, hasCode, toError } from '../../base/errors.ts'
import { isObject } from '../../base/kindOf.ts'
import type { Trace } from '../context/trace.ts'
import type {
  Envelope,
  LineclearAttributes,
  RunReference,
} from '../../protocol/record/envelope/envelope.ts'
import { timesOf } from '../../protocol/record/envelope/lineclearAttributes.ts'
import { readEnvelope, tenantOf } from '../../protocol/record/envelope/readEnvelope.ts'
import { hasProvisionalId, type Message } from '../../protocol/record/message/message.ts'
import { asFirstDelivery, readMessage } from '../../protocol/record/message/readMessage.ts'
import type { QueueMessage } from '../../protocol/send/messenger.ts'
import { MAX_DELAY_MS } from '../../protocol/send/retry.ts'
import type { Consumer } from './consumer.ts'
import type { Invocation } from './invocation.ts'

/** A record, and the message read from it. */
export interface IncomingRecord {
  readonly record: SQSRecord
  readonly message: Message<unknown>
  /** Set once the record is claimed. undefined: the consumer is not traced. */
  readonly trace?: Trace
}

export type ReadRecord = IncomingRecord | { readonly record: SQSRecord; readonly error: Error }

/** A record as it arrived, or one that has been read already. */
export type UnclaimedRecord = SQSRecord | ReadRecord

export function sqsRecordOf(source: UnclaimedRecord): SQSRecord {
  return 'record' in source ? source.record : source
}

/** Never rejects. */
export async function readRecord(
  source: UnclaimedRecord,
  invocation: Invocation,
): Promise<ReadRecord> {
  if ('record' in source) return source
  const { consumer } = invocation
  const options = { ...consumer, now: consumer.clock.now() }
  try {
    const envelope = readEnvelope(source, options)
    warnAbout(envelope, source, invocation)
    const opened = await openPayload(envelope, consumer, source.eventSourceARN)
    const message =
      opened instanceof Error
        ? await readMessage(source, envelope, { ...options, unreadable: opened })
        : await readMessage(source, opened, options)
    return { record: source, message }
  } catch (error) {
    return { record: source, error: toError(error) }
  }
}

/**
 * The envelope with the payload that is kept outside the message.
 * @returns an error: the message is refused
 */
async function openPayload(
  envelope: Envelope,
  { features }: Consumer,
  queueArn: string,
): Promise<Envelope | Error> {
  const { payload } = envelope.carried
  if (payload === undefined) return envelope
  if (features.open === undefined) {
    return new RejectedError(
      `its sender keeps the payload of ${payload.bytes} bytes outside the message, and this consumer has no option offload: give it ` +
        'the one of its sender, such as s3Objects({ bucket }), and redrive the message',
    )
  }
  return features.open(envelope, payload, queueArn).catch((error: unknown) => {
    if (hasCode(error, 'REJECTED')) return toError(error)
    throw error
  })
}

function warnAbout(
  { ignored, unnamedTopic, unlisted }: Envelope,
  { messageId }: SQSRecord,
  { consumer, logger }: Invocation,
): void {
  if (ignored.length > 0) {
    logger.warn('attributes that do not parse were left out', { messageId, ignored })
  }
  if (unnamedTopic !== undefined) {
    consumer.warnOnce(
      logger,
      'a body that looks like an SNS notification was taken as payload: the option envelopes has no snsTopic() of its topic',
      { topicArn: unnamedTopic },
    )
  }
  if (unlisted !== undefined) {
    consumer.warnOnce(logger, 'an event was taken as payload', { because: unlisted })
  }
}

/** The same record, as a message of the given run. */
export function asMessageOfRun(
  { record, message }: IncomingRecord,
  flow: RunReference | undefined,
  tenant: string | undefined,
): IncomingRecord {
  const isLateNow = flow?.late === true && message.envelope.carried.flow?.late !== true
  // @protects what was counted for the stage of an answer is not counted for onLate
  // @without message.envelope @tests test/proof/lifetimes
  const envelope = isLateNow ? asFirstDelivery(message.envelope) : message.envelope
  const carried = { ...envelope.carried, ...(flow && { flow }) }
  const ofRun = { ...envelope, carried, ...(tenant !== undefined && { tenant }) }
  return { record, message: { ...message, envelope: ofRun } }
}

/** How often this message was received so far, at least 1. A copy starts again at 1. */
export function receiptsOf({ attributes }: SQSRecord): number {
  const receipts = countOf(attributes?.ApproximateReceiveCount)
  return receipts >= 1 ? receipts : 1
}

/** NaN for a value that is no string, as in hand-made events: one such record must not fail its batch. */
export function countOf(text: unknown): number {
  return typeof text === 'string' ? Number(text) : Number.NaN
}

/** Delivery options of a copy on the queue of `record`, which is no FIFO queue. @param delay milliseconds, cut to the most that SQS takes */
export function copyOptions(
  record: SQSRecord,
  delay: number,
): Pick<QueueMessage, 'delaySeconds' | 'groupId'> {
  const groupId = tenantOf(record)
  const delaySeconds = Math.ceil(Math.min(delay, MAX_DELAY_MS) / 1_000)
  return { delaySeconds, ...(groupId === undefined ? {} : { groupId }) }
}

/** Fields of a message that each of its copies has too. */
const CARRIED_ON = [
  'traceparent',
  'flow',
  'death',
  // @protects the copy of a redriven dead letter may run for as long as the letter @tests test/proof/lifetimes
  'reason',
  'payload',
] as const
type CarriedOn = Pick<LineclearAttributes, (typeof CARRIED_ON)[number]>

/**
 * What every copy of a message carries on, so that each copy of a redriven message is still a redriven message. An id from SQS or
 * SNS under which nothing has run is carried as the message id. If the payload can be read later, the id of the payload takes
 * precedence.
 */
export function stampOf({ record, message }: IncomingRecord): CarriedOn &
  Pick<LineclearAttributes, 'uniqueRequestId' | 'messageId' | 'takenAt'> & {
    readonly sentAt: number
  } {
  const { carried } = message.envelope
  const { messageId = record.messageId } = carried
  const known = CARRIED_ON.filter((name) => carried[name] !== undefined)
  return {
    ...(hasProvisionalId(message) ? { messageId } : { uniqueRequestId: message.uniqueRequestId }),
    ...timesOf(message),
    ...(Object.fromEntries(known.map((name) => [name, carried[name]])) as CarriedOn),
  }
}

/** @returns undefined when the event is not from SQS */
export function readRecords(event: SQSEvent): readonly SQSRecord[] | undefined {
  const list = recordsIn(event)
  return list?.every(isSqsRecord) === true ? list : undefined
}

export function recordsIn(event: unknown): readonly unknown[] | undefined {
  const records = isObject(event) ? event['Records'] : undefined
  return Array.isArray(records) ? records : undefined
}

export function isSqsRecord(record: unknown): record is SQSRecord {
  if (!isObject(record)) return false
  return record['eventSource'] === 'aws:sqs' && typeof record['eventSourceARN'] === 'string'
}

/**
 * The name under which a request and its effects are stored. A renamed consumer keeps using its oldest name: copies may arrive
 * under either name, and under two names one request would run as two.
 */
export function scopeOf({ message }: IncomingRecord, { name, formerNames }: Consumer): string {
  const [oldest = name] = formerNames
  const { consumer = '' } = message.envelope.carried
  return formerNames.includes(consumer) ? consumer : oldest
}
