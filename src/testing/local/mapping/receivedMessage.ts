import type { Message } from '@aws-sdk/client-sqs'
import { ID_ATTRIBUTE } from '../../../record/envelope/lineclearAttributes.ts'
import { toRecord } from '../../../send/receivedRecord.ts'

/** A received message, which one invocation processes, or two when it is duplicated. */
export interface ReceivedMessage {
  /** Counts from 1 in each mapping. */
  readonly number: number
  readonly messageId: string
  readonly receiptHandle: string
  readonly group: string | undefined
  /** How often SQS has delivered it, with this delivery. */
  readonly receiveCount: number
  /** As its sender stamped it. */
  readonly uniqueRequestId: string | undefined
  /** The record's JSON. */
  readonly record: string
  /** One invocation has succeeded: the message was deleted, or a fault kept it. */
  gone: boolean
}

export function toReceivedMessage(
  message: Message,
  queueArn: string,
  number: number,
): ReceivedMessage {
  const record = toRecord(message, queueArn)
  return {
    number,
    messageId: record.messageId,
    receiptHandle: record.receiptHandle,
    group: record.attributes.MessageGroupId,
    receiveCount: Number(record.attributes.ApproximateReceiveCount),
    uniqueRequestId: record.messageAttributes[ID_ATTRIBUTE]?.stringValue,
    record: JSON.stringify(record),
    gone: false,
  }
}

/** docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html: 6 MB for a synchronous invocation. */
const EVENT_BYTES = 6 * 1024 * 1024
const EVENT_FRAME = '{"Records":[]}'.length

/** Batches of at most `batchSize` records whose event fits into one invocation. */
export function splitIntoEvents(
  deliveries: readonly ReceivedMessage[],
  batchSize: number,
): readonly (readonly ReceivedMessage[])[] {
  const batches: ReceivedMessage[][] = []
  let left = 0
  for (const delivery of deliveries) {
    const bytes = Buffer.byteLength(delivery.record) + 1
    const batch = batches.at(-1)
    if (batch !== undefined && batch.length < batchSize && bytes <= left) {
      batch.push(delivery)
      left -= bytes
      continue
    }
    batches.push([delivery])
    left = EVENT_BYTES - EVENT_FRAME - bytes
  }
  return batches
}

export function toEvent(deliveries: readonly ReceivedMessage[]): string {
  return `{"Records":[${deliveries.map(({ record }) => record).join(',')}]}`
}
