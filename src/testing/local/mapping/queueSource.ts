import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type BatchResultErrorEntry,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { ID_ATTRIBUTE } from '../../../library/protocol/record/envelope/lineclearAttributes.ts'
import { toRecord } from '../../queues/receivedRecord.ts'

/** The operations of a queue that a consumer uses. */
export interface QueueSource {
  /** At most ten messages; none when none arrived within `waitSeconds`. */
  receive(most: number, waitSeconds: number): Promise<readonly Message[]>
  remove(receiptHandles: readonly string[]): Promise<Changed>
  /** Hides for `seconds` from now; 0 makes visible at once. */
  hide(messages: readonly Hiding[]): Promise<Changed>
}

interface Hiding {
  readonly receiptHandle: string
  readonly seconds: number
}

interface Changed {
  readonly done: number
  readonly failed: readonly BatchResultErrorEntry[]
}

const MOST_PER_CALL = 10

/** The limit for all attempts of a call together, milliseconds: on a half-open connection no attempt would end by itself. */
const ANSWER_MS = 5_000

function within(milliseconds: number): { readonly abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(milliseconds) }
}

export function queueSourceOf(sqs: SQSClient, QueueUrl: string): QueueSource {
  return {
    receive: async (most, waitSeconds) => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: Math.min(most, MOST_PER_CALL),
          WaitTimeSeconds: waitSeconds,
          MessageAttributeNames: ['All'],
          MessageSystemAttributeNames: ['All'],
        }),
        within(waitSeconds * 1_000 + ANSWER_MS),
      )
      return Messages
    },
    remove: (receiptHandles) =>
      inBatches(
        receiptHandles.map((ReceiptHandle) => ({ ReceiptHandle })),
        (Entries) =>
          sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }), within(ANSWER_MS)),
      ),
    hide: (messages) =>
      inBatches(
        messages.map(({ receiptHandle, seconds }) => ({
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        })),
        (Entries) =>
          sqs.send(
            new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }),
            within(ANSWER_MS),
          ),
      ),
  }
}

/** @throws the SDK's error when the queue does not exist or may not be read */
export async function readQueue(
  sqs: SQSClient,
  QueueUrl: string,
): Promise<{ readonly arn: string; readonly visibilitySeconds: number }> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['QueueArn', 'VisibilityTimeout'],
    }),
  )
  return {
    arn: Attributes.QueueArn ?? '',
    visibilitySeconds: Number(Attributes.VisibilityTimeout),
  }
}

interface BatchAnswer {
  readonly Failed?: BatchResultErrorEntry[] | undefined
}

async function inBatches<Entry extends object>(
  entries: readonly Entry[],
  send: (entries: (Entry & { Id: string })[]) => Promise<BatchAnswer>,
): Promise<Changed> {
  const failed: BatchResultErrorEntry[] = []
  for (let start = 0; start < entries.length; start += MOST_PER_CALL) {
    const batch = entries.slice(start, start + MOST_PER_CALL)
    const { Failed = [] } = await send(
      batch.map((entry, index) => ({ ...entry, Id: String(index) })),
    )
    failed.push(...Failed)
  }
  return { done: entries.length - failed.length, failed }
}

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
