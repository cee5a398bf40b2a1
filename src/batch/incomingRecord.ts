import type { SQSRecord } from 'aws-lambda'
import { toError } from '../errors.ts'
import type { QueueMessage } from '../queue/messenger.ts'
import { MAX_DELAY_MS } from '../queue/transport.ts'
import type { LineclearAttributes, RunReference, Envelope } from '../record/envelope/envelope.ts'
import { readEnvelope } from '../record/envelope/readEnvelope.ts'
import { timesOf } from '../record/envelope/times.ts'
import { hasProvisionalId, type Message } from '../record/message/message.ts'
import { readMessage } from '../record/message/readMessage.ts'
import type { Consumer } from './consumer.ts'

/** A record, and the message read from it. */
export interface IncomingRecord {
  readonly record: SQSRecord
  readonly message: Message<unknown>
}

export type ReadRecord = IncomingRecord | { readonly record: SQSRecord; readonly error: Error }

/** A record as it came, or read already. */
export type UnclaimedRecord = SQSRecord | ReadRecord

/** Never rejects. */
export async function readRecord(source: UnclaimedRecord, consumer: Consumer): Promise<ReadRecord> {
  if ('record' in source) return source
  try {
    const now = consumer.clock.now()
    const envelope = readEnvelope(source, { topics: consumer.topics, now })
    warnAbout(envelope, source, consumer)
    const message = await readMessage(source, envelope, { ...consumer, now })
    return { record: source, message }
  } catch (error) {
    return { record: source, error: toError(error) }
  }
}

export function sqsRecordOf(source: UnclaimedRecord): SQSRecord {
  return 'record' in source ? source.record : source
}

function warnAbout(envelope: Envelope, { messageId }: SQSRecord, consumer: Consumer): void {
  if (envelope.ignored.length > 0) {
    consumer.logger.warn('attributes that do not parse were left out', {
      consumer: consumer.name,
      messageId,
      ignored: envelope.ignored,
    })
  }
  if (envelope.unnamedTopic !== undefined) {
    consumer.warnOnce(
      'a body looks like an SNS notification of a topic that the consumer does not name, and was taken as payload; ' +
        'to open such notifications add the ARN to the option topics',
      { topicArn: envelope.unnamedTopic },
    )
  }
}

/** The same record, as a message of that run. */
export function asMessageOfRun(
  { record, message }: IncomingRecord,
  flow: RunReference,
): IncomingRecord {
  const { envelope } = message
  const carried = { ...envelope.carried, flow }
  return { record, message: { ...message, envelope: { ...envelope, carried } } }
}

/** Receipts of this message so far, at least 1; a copy begins anew. */
export function receiptsOf({ attributes }: SQSRecord): number {
  const receipts = Number(attributes?.ApproximateReceiveCount)
  return receipts >= 1 ? receipts : 1
}

/** Delivery options of a copy on the queue of `record`. @param delay milliseconds, cut to the most that SQS takes */
export function copyOptions(
  { attributes }: SQSRecord,
  delay: number,
): Pick<QueueMessage, 'delaySeconds' | 'groupId'> {
  const groupId = attributes?.MessageGroupId
  const delaySeconds = Math.ceil(Math.min(delay, MAX_DELAY_MS) / 1_000)
  return { delaySeconds, ...(groupId === undefined ? {} : { groupId }) }
}

/** A dead letter carries why it died; the copies that its retries make do not. */
export function isDeadLetter({ reason }: LineclearAttributes): boolean {
  return reason !== undefined
}

/**
 * What every copy of a message carries on: a redriven message stays one in each of its copies. An id that SQS or SNS gave, and
 * under which nothing ran, is carried as the message id, so that the id of a payload that can be read later comes before it.
 */
export function stampOf({ record, message }: IncomingRecord): Pick<
  LineclearAttributes,
  'traceparent' | 'flow' | 'death' | 'uniqueRequestId' | 'messageId' | 'takenAt'
> & {
  readonly sentAt: number
} {
  const { traceparent, flow, death, messageId = record.messageId } = message.envelope.carried
  return {
    ...(hasProvisionalId(message) ? { messageId } : { uniqueRequestId: message.uniqueRequestId }),
    ...timesOf(message),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(flow === undefined ? {} : { flow }),
    ...(death === undefined ? {} : { death }),
  }
}
