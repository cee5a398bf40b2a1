import type { SQSRecord } from 'aws-lambda'
import type { Envelope } from '../../../record/envelope/envelope.ts'
import { readEnvelope } from '../../../record/envelope/readEnvelope.ts'
import { readSentTimestamp } from '../../../record/envelope/times.ts'
import { stableId } from '../../../ids.ts'
import { errorShape } from './errorShape.ts'

/** One message on a dead-letter queue, and what it tells of itself. */
export interface DeadLetter {
  readonly record: SQSRecord
  /** Notifications of any topic are opened here: it is looked at, and not run. */
  readonly envelope: Envelope
  /** Of the request, as far as the message tells it; else the message id. */
  readonly uniqueRequestId: string
  /**
   * Where its identity comes from: `stamped` on the message, by a sender or by a redrive before; `sns`, the same in every copy,
   * if its consumer opens notifications of that topic; `message`, the SQS message id, which no copy keeps.
   */
  readonly identity: 'stamped' | 'sns' | 'message'
  /** Whose letter it is, as far as the message tells it: a flow, a queue, a topic. */
  readonly origin: string
  /** `moved`: by SQS itself, after too many receives. `none`: it does not say. Else what the consumer has written. */
  readonly reason: string
  readonly error: string
  /** Executions, as the consumer has counted them. */
  readonly attempts: number | undefined
  /** When it was put on the queue that it is on, epoch milliseconds; what SQS moves itself keeps its first time there. */
  readonly sentAt: number
  /** Name of its group: the same for all letters of one origin, reason and shape of error, on every run. */
  readonly group: string
  /** The error's text without ids and numbers. */
  readonly shape: string
}

/** @param now epoch milliseconds */
export function readDeadLetter(record: SQSRecord, now: number): DeadLetter {
  const envelope = readEnvelope(record, { topics: 'any', now })
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
    attempts: reason === 'moved' ? undefined : carried.attempts,
    sentAt: readSentTimestamp(record.attributes.SentTimestamp) ?? now,
    group: groupName(origin, reason, shape),
    shape,
  }
}

/** ARN of the queue from which SQS moved it. */
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

/** A redriven letter that SQS moves in the end still carries why it died before. */
function reasonOf(record: SQSRecord, { carried }: Envelope): string {
  return movedFrom(record) === undefined ? (carried.reason ?? 'none') : 'moved'
}

function originOf(record: SQSRecord, { carried, topicArn }: Envelope): string {
  const { flow, consumer } = carried
  const source = movedFrom(record)
  if (source === undefined && consumer !== undefined) return consumer
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

/** Hexadecimal: on a command line a name must not begin with a dash. */
function groupName(...parts: readonly string[]): string {
  return Buffer.from(stableId('dead letters', ...parts), 'base64url')
    .toString('hex')
    .slice(0, 8)
}
