import type { SQSRecord } from 'aws-lambda'
import type { Envelope } from '../../../library/protocol/record/envelope/envelope.ts'
import {
  lookAtEnvelope,
  readSentTimestamp,
} from '../../../library/protocol/record/envelope/readEnvelope.ts'
import { type Cause, causeOf, errorShape, groupName } from '../text/errorShape.ts'

export interface DeadLetter {
  readonly record: SQSRecord
  /** Notifications of any topic are opened here, because the message is only read and not run. */
  readonly envelope: Envelope
  /** The id of the request if the message carries it, otherwise the message id. */
  readonly uniqueRequestId: string
  /**
   * Where its identity comes from. `stamped`: on the message, by a sender or an earlier redrive. `sns`: the SNS message id, the
   * same in every copy if its consumer opens notifications of that topic. `message`: the SQS message id, which no copy keeps.
   */
  readonly identity: 'stamped' | 'sns' | 'message'
  /** The consumer, flow, queue or topic that it came from, if the message names one. */
  readonly origin: string
  /** The reason as the consumer wrote it. `moved`: SQS moved it after too many receives. `none`: the message has no reason. `newer format`: a newer version has written it. */
  readonly reason: string
  readonly error: string
  /** Frames and causes of the error, if it was thrown. */
  readonly stack?: string
  /** Executions that the consumer counted. */
  readonly attempts: number | undefined
  /** When it was sent to this queue, epoch milliseconds; a message that SQS moved keeps the time of its first queue. */
  readonly sentAt: number
  /** Name of its group: the same in every run for the same origin, reason and error shape. */
  readonly group: string
  /** undefined: it does not say what went wrong. */
  readonly cause: Cause | undefined
  /** The error text without ids and numbers, with `…` where it was cut. */
  readonly shape: string
  /** A newer version has written it: it is shown, and neither sent, edited nor discarded. */
  readonly notKnown?: true
}

const NEWER = 'newer format'

/** @param now epoch milliseconds */
export function readDeadLetter(record: SQSRecord, now: number): DeadLetter {
  const { envelope, unknown } = lookAtEnvelope(record, { topics: 'any', now })
  if (unknown === undefined) return readKnown(record, envelope, now)
  const carried = { ...envelope.carried, reason: NEWER, error: unknown.message }
  return { ...readKnown(record, { ...envelope, carried }, now), notKnown: true }
}

function readKnown(record: SQSRecord, envelope: Envelope, now: number): DeadLetter {
  const { carried } = envelope
  const reason = reasonOf(record, envelope)
  const error = carried.error ?? ''
  const origin = originOf(record, envelope)
  const shape = errorShape(error)
  return {
    record,
    envelope,
    ...identityOf(record, envelope),
    origin,
    reason,
    error,
    ...(carried.stack !== undefined && { stack: carried.stack }),
    attempts: reason === 'moved' ? undefined : carried.attempts,
    sentAt: readSentTimestamp(record.attributes.SentTimestamp) ?? now,
    group: groupName(origin, reason, shape.shape),
    cause: causeOf(reason, shape),
    shape: shape.shown,
  }
}

/** The id that an operator knows: of the run that it belongs to, else its own. */
export function knownId({ envelope, uniqueRequestId }: DeadLetter): string {
  return envelope.carried.flow?.id ?? uniqueRequestId
}

/** Name of the consumer or stage that has written it, as `pause` takes it. undefined: none, or one that does not say so. */
export function writtenBy({
  record,
  envelope,
}: Pick<DeadLetter, 'record' | 'envelope'>): string | undefined {
  return movedFrom(record) === undefined ? envelope.carried.consumer : undefined
}

/** `consumer/ID`. undefined: of a flow, or no consumer has written it. */
export function writtenRequest(deadLetter: DeadLetter): string | undefined {
  const consumer = writtenBy(deadLetter)
  if (consumer === undefined || deadLetter.envelope.carried.flow !== undefined) return undefined
  return `${consumer}/${deadLetter.uniqueRequestId}`
}

/** ARN of the queue from which SQS moved the message. */
export function movedFrom({ attributes }: SQSRecord): string | undefined {
  return attributes.DeadLetterQueueSourceArn
}

function identityOf(
  { messageId }: SQSRecord,
  { carried, snsMessageId }: Envelope,
): Pick<DeadLetter, 'uniqueRequestId' | 'identity'> {
  if (carried.uniqueRequestId !== undefined) {
    return { uniqueRequestId: carried.uniqueRequestId, identity: 'stamped' }
  }
  const first = carried.messageId
  if (first !== undefined) return { uniqueRequestId: snsMessageId ?? first, identity: 'stamped' }
  return snsMessageId === undefined
    ? { uniqueRequestId: messageId, identity: 'message' }
    : { uniqueRequestId: snsMessageId, identity: 'sns' }
}

/** A redriven dead letter that SQS moves later still carries the reason of its earlier death. */
function reasonOf(record: SQSRecord, { carried }: Envelope): string {
  if (movedFrom(record) === undefined || carried.reason === NEWER) return carried.reason ?? 'none'
  return 'moved'
}

function originOf(record: SQSRecord, envelope: Envelope): string {
  const { carried, topicArn } = envelope
  const { flow } = carried
  const source = movedFrom(record)
  const consumer = writtenBy({ record, envelope })
  if (consumer !== undefined) return consumer
  if (flow !== undefined) {
    return flow.timeout === true
      ? `flow ${flow.name}, timeout`
      : `flow ${flow.name}, after ${flow.from}`
  }
  if (source !== undefined) return `queue ${lastPart(source)}`
  return topicArn === undefined ? 'not said' : `topic ${lastPart(topicArn)}`
}

function lastPart(arn: string): string {
  return arn.split(':').at(-1) ?? arn
}
