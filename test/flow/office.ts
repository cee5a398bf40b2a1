import { AsyncLocalStorage } from 'node:async_hooks'
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import type { Clock, Settlement } from 'lineclear'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { fakeClock, memoryStore } from 'lineclear/testing'
import type { SqsHandler } from '../../src/batch/recordHandler.ts'
import { toRecord } from '../../src/local/record.ts'
import { lambdaContext } from '../batch/lambdaContext.ts'
import { quietLogger } from '../batch/quietLogger.ts'
import { deliverInWorld } from '../hostile/deliverInWorld.ts'

const QUEUES = ['book', 'pay', 'ship', 'quotes', 'outside', 'dead'] as const
export type Queue = (typeof QUEUES)[number]

/** Real queues; what is on them is handed out by the test, in the order and as often as it likes. */
export async function startOffice(): Promise<LocalCloud> {
  const dead = { visibilityTimeout: 600, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
  const queues = Object.fromEntries(
    QUEUES.map((queue) => [queue, queue === 'dead' || queue === 'outside' ? {} : dead]),
  )
  return startLocalCloud({ queues }, { logger: quietLogger() })
}

/** The time of a test: leases and delays pass when it says so, short waits take no time. */
export interface Time extends Clock {
  advance(milliseconds: number): void
}

export function testTime(): Time {
  const clock = fakeClock()
  return { now: clock.now, advance: clock.advance, sleep: async () => {} }
}

/** What a flow of a test is made with, and what there is to look at. */
export function deskAt(cloud: LocalCloud) {
  const clock = testTime()
  const store = memoryStore()
  const logger = quietLogger()
  const settled: Settlement[] = []
  const onSettled = (settlement: Settlement): void => {
    settled.push(settlement)
  }
  return {
    clock,
    store,
    settled,
    lines: logger.lines,
    options: { clock, store, logger, onSettled, sqs: cloud.sqs },
    /** The stage record of the only key, or of `key`. */
    record: (key = 'k') =>
      store.items().find(({ pk, sk }) => sk === 'stage' && pk === `flow#trip/${key}`),
    /** What has been counted under `id`. */
    count: (id: string) => store.userItems('counts').find((item) => item['id'] === id)?.['n'] ?? 0,
  }
}

export type Desk = ReturnType<typeof deskAt>

/** Also from within a handler: what befalls its calls must not befall the test's. */
const asTest = AsyncLocalStorage.snapshot()

/** Takes all that is visible on the queue; nobody else sees it until it is put back. */
export async function receive(cloud: LocalCloud, queue: Queue): Promise<SQSRecord[]> {
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
    records.push(...Messages.map((message) => toRecord(message, cloud.queueArn(queue))))
  }
}

/** As Lambda does: one batch; what is not reported is deleted, what is reported is visible again at once. */
export async function hand(
  cloud: LocalCloud,
  queue: Queue,
  records: readonly SQSRecord[],
  handler: SqsHandler,
  left = 10_000,
): Promise<{ readonly kept: number }> {
  const event = { Records: [...records] }
  const { batchItemFailures } = await deliverInWorld(handler, event, lambdaContext(left))
  const kept = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  const QueueUrl = cloud.queueUrl(queue)
  for (const { messageId, receiptHandle: ReceiptHandle } of records) {
    await (kept.has(messageId)
      ? cloud.sqs.send(
          new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
        )
      : cloud.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })))
  }
  return { kept: kept.size }
}

/** All that is on the queue, in one batch. @returns how many came and how many stayed */
export async function deliver(
  cloud: LocalCloud,
  queue: Queue,
  handler: SqsHandler,
): Promise<{ readonly came: number; readonly kept: number }> {
  const records = await receive(cloud, queue)
  if (records.length === 0) return { came: 0, kept: 0 }
  return { came: records.length, ...(await hand(cloud, queue, records, handler)) }
}

/** Sends what was received once more, with its attributes: a duplicate, or a redriven dead letter. */
export async function sendAgain(
  cloud: LocalCloud,
  queue: Queue,
  {
    body,
    messageAttributes,
  }: Pick<SQSRecord, 'body'> & {
    readonly messageAttributes: Readonly<
      Record<string, { readonly dataType: string; readonly stringValue?: string | undefined }>
    >
  },
): Promise<void> {
  const attributes = Object.entries(messageAttributes).map(([name, { dataType, stringValue }]) => [
    name,
    { DataType: dataType, StringValue: stringValue },
  ])
  await cloud.sqs.send(
    new SendMessageCommand({
      QueueUrl: cloud.queueUrl(queue),
      MessageBody: body,
      MessageAttributes: Object.fromEntries(attributes),
    }),
  )
}

export async function send(cloud: LocalCloud, queue: Queue, payload: unknown): Promise<void> {
  await cloud.sqs.send(
    new SendMessageCommand({
      QueueUrl: cloud.queueUrl(queue),
      MessageBody: JSON.stringify(payload),
    }),
  )
}

/** Nothing of one test is there in the next. */
export async function emptyAll(cloud: LocalCloud): Promise<void> {
  for (const queue of QUEUES) {
    const QueueUrl = cloud.queueUrl(queue)
    for (const { receiptHandle } of await receive(cloud, queue)) {
      await cloud.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receiptHandle }))
    }
  }
}
