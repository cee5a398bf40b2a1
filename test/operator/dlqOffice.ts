import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import type { SqsHandler } from '../../src/batch/recordHandler.ts'
import { toRecord } from '../../src/local/record.ts'
import { lambdaContext } from '../batch/lambdaContext.ts'
import { quietLogger } from '../batch/quietLogger.ts'
import { deliverInWorld } from '../hostile/deliverInWorld.ts'

const PLAIN = ['orders', 'other', 'book', 'pay', 'ship', 'quotes'] as const

/** After its third receive a message is moved by SQS itself. */
export const MAX_RECEIVES = 3

export async function startOffice(): Promise<LocalCloud> {
  const source = (queue: string) => ({
    visibilityTimeout: 600,
    deadLetter: { queue, maxReceiveCount: MAX_RECEIVES },
  })
  const queues = Object.fromEntries(PLAIN.map((queue) => [queue, source('dead')]))
  return startLocalCloud(
    {
      queues: {
        ...queues,
        dead: {},
        'orders.fifo': source('dead.fifo'),
        'dead.fifo': {},
      },
      topics: { paid: { subscriptions: [{ queue: 'other' }] } },
    },
    { logger: quietLogger() },
  )
}

/** All that is visible; nobody else sees it until it is put back. */
export async function receive(cloud: LocalCloud, queue: string): Promise<SQSRecord[]> {
  const records: SQSRecord[] = []
  for (;;) {
    const { Messages = [] } = await cloud.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: cloud.queueUrl(queue),
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    )
    if (Messages.length === 0) return records
    records.push(...Messages.map((message) => toRecord(message, cloud.queueArn(queue))))
  }
}

export async function hide(
  cloud: LocalCloud,
  queue: string,
  { receiptHandle: ReceiptHandle }: SQSRecord,
  VisibilityTimeout = 0,
): Promise<void> {
  const QueueUrl = cloud.queueUrl(queue)
  await cloud.sqs.send(
    new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
  )
}

/** As Lambda does: what is not reported is deleted, what is reported is visible again at once. */
export async function hand(
  cloud: LocalCloud,
  queue: string,
  records: readonly SQSRecord[],
  handler: SqsHandler,
): Promise<void> {
  const event = { Records: [...records] }
  const { batchItemFailures } = await deliverInWorld(handler, event, lambdaContext(10_000))
  const kept = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  for (const record of records) {
    if (kept.has(record.messageId)) await hide(cloud, queue, record)
    else await remove(cloud, queue, record)
  }
}

/** @returns how many came */
export async function deliver(
  cloud: LocalCloud,
  queue: string,
  handler: SqsHandler,
): Promise<number> {
  const records = await receive(cloud, queue)
  if (records.length > 0) await hand(cloud, queue, records, handler)
  return records.length
}

async function remove(cloud: LocalCloud, queue: string, record: SQSRecord): Promise<void> {
  await cloud.sqs.send(
    new DeleteMessageCommand({
      QueueUrl: cloud.queueUrl(queue),
      ReceiptHandle: record.receiptHandle,
    }),
  )
}

interface Sending {
  readonly attributes?: Record<string, MessageAttributeValue>
  readonly groupId?: string
  readonly deduplicationId?: string
}

/** @returns the message id */
export async function send(
  cloud: LocalCloud,
  queue: string,
  payload: unknown,
  { attributes, groupId, deduplicationId }: Sending = {},
): Promise<string> {
  const { MessageId = '' } = await cloud.sqs.send(
    new SendMessageCommand({
      QueueUrl: cloud.queueUrl(queue),
      MessageBody: typeof payload === 'string' ? payload : JSON.stringify(payload),
      MessageAttributes: attributes,
      MessageGroupId: groupId,
      MessageDeduplicationId: deduplicationId,
    }),
  )
  return MessageId
}

export const text = (value: string): MessageAttributeValue => ({
  DataType: 'String',
  StringValue: value,
})

/** A letter as Lineclear writes it. */
export async function sendLetter(
  cloud: LocalCloud,
  payload: unknown,
  { id, ...packed }: { readonly id: string; readonly reason: string; readonly error?: string },
  queue = 'dead',
): Promise<void> {
  const lineclear = JSON.stringify({ retry: 0, hops: 0, attempts: 2, death: 1, ...packed })
  await send(cloud, queue, payload, {
    attributes: { uniquerequestid: text(id), lineclear: text(lineclear) },
  })
}

/** Received until SQS moves it to the dead-letter queue. */
export async function moveBySqs(cloud: LocalCloud, queue: string): Promise<void> {
  for (let times = 0; times <= MAX_RECEIVES; times++) {
    for (const record of await receive(cloud, queue)) await hide(cloud, queue, record)
  }
}

export async function emptyAll(cloud: LocalCloud): Promise<void> {
  for (const queue of [...PLAIN, 'dead', 'orders.fifo', 'dead.fifo']) {
    let records = await receive(cloud, queue)
    while (records.length > 0) {
      for (const record of records) await remove(cloud, queue, record)
      records = await receive(cloud, queue)
    }
  }
}

/** How many can be received now. */
export function count(cloud: LocalCloud, queue: string): number {
  return cloud.inspectQueue(queue).ready.length
}
