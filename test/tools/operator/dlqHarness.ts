import { type MessageAttributeValue, SendMessageCommand } from '@aws-sdk/client-sqs'
import { recordHandler, TerminalError } from 'lineclear'
import type { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { deliver as deliverBatch, emptyQueues, hide, receive } from '../../deliver/deliver.ts'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import type { FlowHarness } from '../../flow/flowHarness.ts'
import { counting } from '../../flow/trip.ts'
import { withoutLongPolls } from '../../testing/withoutLongPolls.ts'
import { withoutSdk } from '../../testing/withoutSdk.ts'

export { hand, hide, receive } from '../../deliver/deliver.ts'

const PLAIN = ['orders', 'other', 'book', 'pay', 'ship', 'quotes'] as const

/** After its third receive a message is moved by SQS itself. */
export const MAX_RECEIVES = 3

/** @param tables such as the one that keeps plans. Default: none */
export async function startDlqCloud(
  tables: Readonly<Record<string, ReturnType<typeof tableDefinition>>> = {},
): Promise<LocalCloud> {
  const source = (queue: string) => ({
    visibilityTimeout: 600,
    deadLetter: { queue, maxReceiveCount: MAX_RECEIVES },
  })
  const queues = Object.fromEntries(PLAIN.map((queue) => [queue, source('dead')]))
  const cloud = await startLocalCloud(
    {
      queues: {
        ...queues,
        dead: {},
        'orders.fifo': source('dead.fifo'),
        'dead.fifo': {},
      },
      tables,
      topics: { paid: { subscriptions: [{ queue: 'other' }] } },
    },
    { logger: quietLogger() },
  )
  return withoutSdk(withoutLongPolls(cloud))
}

/** @returns how many messages were delivered */
export async function deliver(
  cloud: LocalCloud,
  queue: string,
  handler: SqsHandler,
): Promise<number> {
  const { came } = await deliverBatch(cloud, queue, handler)
  return came
}

/** A consumer of sales whose handler fails until it is repaired. */
export function dyingSale({ options }: FlowHarness): {
  readonly handler: SqsHandler
  repair(): void
} {
  let broken = true
  const handler = recordHandler({ name: 'orders', ...options }, async (_, ctx) => {
    await ctx.write('sale', counting('sales'))
    if (broken) throw new TerminalError('never')
  })
  return {
    handler,
    repair() {
      broken = false
    },
  }
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

/** A dead letter as Lineclear writes it. */
export async function sendDeadLetter(
  cloud: LocalCloud,
  payload: unknown,
  {
    id,
    ...packed
  }: {
    readonly id: string
    readonly reason: string
    readonly error?: string
    /** Default 1: one attempt has ended. 0: refused before any, so that no record is missed. */
    readonly death?: number
    readonly consumer?: string
    readonly source?: string
    readonly payload?: object
    readonly flow?: object
    /** Epoch milliseconds. */
    readonly sentAt?: number
  },
  queue = 'dead',
): Promise<void> {
  const lineclear = JSON.stringify({
    format: 1,
    resendNumber: 0,
    hops: 0,
    attempts: 2,
    death: 1,
    ...packed,
  })
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
  await emptyQueues(cloud, [...PLAIN, 'dead', 'orders.fifo', 'dead.fifo'])
}

/** How many messages are visible now. */
export function count(cloud: LocalCloud, queue: string): number {
  return cloud.inspectQueue(queue).ready.length
}
