import { AsyncLocalStorage } from 'node:async_hooks'
import {
  ChangeMessageVisibilityCommand,
  MessageNotInflight,
  PurgeQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import type { Clock } from '../../src/library/base/clock.ts'
import type { LocalCloud } from 'lineclear/local'
import type { SqsHandler } from '../../src/library/entries/consumer/recordHandler.ts'
import { toRecord } from '../../src/testing/queues/receivedRecord.ts'
import { deliverInMode } from '../proof/hostile/deliverInMode.ts'
import { lambdaContext } from './lambdaContext.ts'

/** A test whose clock is ahead of the queue's: what was stamped by it was not sent in the future. */
const clocks = new WeakMap<LocalCloud, Clock>()

export function receiveBy(clock: Clock, cloud: LocalCloud): void {
  clocks.set(cloud, clock)
}

function byClockOf(cloud: LocalCloud, record: SQSRecord): SQSRecord {
  const { sentAt } = JSON.parse(record.messageAttributes['lineclear']?.stringValue ?? '{}') as {
    sentAt?: number
  }
  const now = clocks.get(cloud)?.now() ?? 0
  if (sentAt === undefined || sentAt > now || sentAt <= Number(record.attributes.SentTimestamp)) {
    return record
  }
  return { ...record, attributes: { ...record.attributes, SentTimestamp: String(now) } }
}

/** Also called from within a handler: the faults of its calls must not hit the calls of the test. */
const asTest = AsyncLocalStorage.snapshot()

/** Takes all that is visible on the queue; no other consumer sees it until it is put back. */
export async function receive(cloud: LocalCloud, queue: string): Promise<SQSRecord[]> {
  const records: SQSRecord[] = []
  for (;;) {
    const command = new ReceiveMessageCommand({
      QueueUrl: cloud.queueUrl(queue),
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    })
    const { Messages = [] } = await asTest(() => cloud.sqs.send(command))
    if (Messages.length === 0) return records
    const received = Messages.map((message) => toRecord(message, cloud.queueArn(queue)))
    records.push(...received.map((record) => byClockOf(cloud, record)))
  }
}

/** As Lambda does: one batch; what is not reported is deleted, what is reported is visible again at once. */
export async function hand(
  cloud: LocalCloud,
  queue: string,
  records: readonly SQSRecord[],
  handler: SqsHandler,
  left = 10_000,
): Promise<{ readonly kept: number }> {
  const event = { Records: [...records] }
  const { batchItemFailures } = await deliverInMode(handler, event, lambdaContext(left))
  const kept = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  for (const record of records) {
    if (kept.has(record.messageId)) await hide(cloud, queue, record)
    else await remove(cloud, queue, record)
  }
  return { kept: kept.size }
}

export async function hide(
  cloud: LocalCloud,
  queue: string,
  { receiptHandle: ReceiptHandle }: SQSRecord,
  VisibilityTimeout = 0,
): Promise<void> {
  const QueueUrl = cloud.queueUrl(queue)
  const command = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout })
  try {
    await cloud.sqs.send(command)
  } catch (error) {
    // The handler may have hidden it for no time at all: then it is visible already.
    if (VisibilityTimeout > 0 || !(error instanceof MessageNotInflight)) throw error
  }
}

async function remove(
  cloud: LocalCloud,
  queue: string,
  { receiptHandle: ReceiptHandle }: SQSRecord,
): Promise<void> {
  const QueueUrl = cloud.queueUrl(queue)
  await cloud.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
}

/** Also what is in flight, or delayed: it would come back in the middle of another test. */
export async function emptyQueues(cloud: LocalCloud, queues: readonly string[]): Promise<void> {
  for (const queue of queues) {
    await cloud.sqs.send(new PurgeQueueCommand({ QueueUrl: cloud.queueUrl(queue) }))
  }
}

/** Delivers all that is on the queue in one batch. @returns how many were delivered and how many stayed */
export async function deliver(
  cloud: LocalCloud,
  queue: string,
  handler: SqsHandler,
): Promise<{ readonly came: number; readonly kept: number }> {
  const records = await receive(cloud, queue)
  if (records.length === 0) return { came: 0, kept: 0 }
  return { came: records.length, ...(await hand(cloud, queue, records, handler)) }
}
