import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import type { Clock, Settlement } from 'lineclear'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { emptyQueues, receiveBy } from '../deliver/deliver.ts'
import { quietLogger } from '../deliver/quietLogger.ts'
import { documented } from '../proof/formats/page.ts'
import { withoutSdk } from '../testing/withoutSdk.ts'

export { deliver, hand, receive } from '../deliver/deliver.ts'

const QUEUES = ['book', 'pay', 'ship', 'quotes', 'outside', 'dead'] as const
export type Queue = (typeof QUEUES)[number]

/** Real queues, whose messages the test delivers in any order and number. */
export async function startFlowCloud(): Promise<LocalCloud> {
  const dead = { visibilityTimeout: 600, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
  const queues = Object.fromEntries(
    QUEUES.map((queue) => [queue, queue === 'dead' || queue === 'outside' ? {} : dead]),
  )
  return withoutSdk(await startLocalCloud({ queues }, { logger: quietLogger() }))
}

/** The time of a test: leases and delays pass when it says so, short waits take no time. */
export interface Time extends Clock {
  advance(milliseconds: number): void
}

export function testTime(): Time {
  const clock = fakeClock()
  return { now: clock.now, advance: clock.advance, sleep: async () => {} }
}

/** The options of a flow in a test, and what the test can inspect. */
export function flowHarness(cloud: LocalCloud) {
  const clock = testTime()
  receiveBy(clock, cloud)
  const store = documented(memoryStore())
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
    options: { clock, store, logger, onSettled, clients: { sqs: cloud.sqs } },
    /** The stage record of the only key, or of `key`. */
    record: (key = 'k') =>
      store.items().find(({ pk, sk }) => sk === 'stage' && pk === `flow#trip/${key}`),
    /** The count under `id`. */
    count: (id: string) => store.userItems('counts').find((item) => item['id'] === id)?.['n'] ?? 0,
  }
}

export type FlowHarness = ReturnType<typeof flowHarness>

/** Sends what was received again, with its attributes: a duplicate, or a redriven dead letter. */
export async function sendCopy(
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

export async function send(cloud: LocalCloud, queue: string, payload: unknown): Promise<void> {
  await cloud.sqs.send(
    new SendMessageCommand({
      QueueUrl: cloud.queueUrl(queue),
      MessageBody: JSON.stringify(payload),
    }),
  )
}

/** No test sees the items of another. */
export async function emptyAll(cloud: LocalCloud): Promise<void> {
  await emptyQueues(cloud, QUEUES)
}
