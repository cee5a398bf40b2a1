import type { SQSRecord } from 'aws-lambda'
import type { LineclearAttributes, RunReference, Envelope } from '../record/envelope/envelope.ts'
import { readEnvelope } from '../record/envelope/readEnvelope.ts'
import { timesOf } from '../record/envelope/times.ts'
import { hasProvisionalId, type Message } from '../record/message/message.ts'
import { readMessage } from '../record/message/readMessage.ts'
import type { Consumer } from './consumer.ts'
import type { Invocation } from './invocation.ts'

/** A record, and what it says. */
export interface IncomingRecord {
  readonly record: SQSRecord
  readonly message: Message<unknown>
}

export async function readRecord(
  record: SQSRecord,
  { consumer }: Invocation,
): Promise<IncomingRecord> {
  const now = consumer.clock.now()
  const envelope = readEnvelope(record, { topics: consumer.topics, now })
  warnAbout(envelope, record, consumer)
  const message = await readMessage(record, envelope, { ...consumer, now })
  return { record, message }
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

/** As a message of that run. */
export function asMessageOfRun(
  { record, message }: IncomingRecord,
  flow: RunReference,
): IncomingRecord {
  const { envelope } = message
  const carried = { ...envelope.carried, flow }
  return { record, message: { ...message, envelope: { ...envelope, carried } } }
}

export function wasDelivered(record: SQSRecord): boolean {
  return Number(record.attributes?.ApproximateReceiveCount) > 1
}

/** A dead letter says why it died; the copies that its new life makes do not. */
export function isDeadLetter({ reason }: LineclearAttributes): boolean {
  return reason !== undefined
}

/**
 * What every copy of a message carries on, whatever else it tells: a redriven one stays one, in each of its copies. An id that
 * nobody gave, and under which nothing ran, goes along as what it is.
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
