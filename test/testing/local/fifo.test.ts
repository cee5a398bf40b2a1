import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type Message,
} from '@aws-sdk/client-sqs'
import { startLocalCloud, type LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bodiesOf, quietMapping, send, sendMany } from './helpers.ts'

const QUEUES = ['batch', 'lock', 'order', 'expiry', 'dedup', 'mapped']
let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: {
      ...Object.fromEntries(QUEUES.map((name) => [`${name}.fifo`, { visibilityTimeout: 30 }])),
      'content.fifo': { contentBasedDeduplication: true },
    },
  })
})
afterAll(() => cloud.stop())

async function receive(queue: string, most = 10): Promise<readonly Message[]> {
  const QueueUrl = cloud.queueUrl(queue)
  const asked = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: most })
  return (await cloud.sqs.send(asked)).Messages ?? []
}

async function hide(queue: string, message: Message | undefined, seconds: number): Promise<void> {
  const QueueUrl = cloud.queueUrl(queue)
  const change = { QueueUrl, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: seconds }
  await cloud.sqs.send(new ChangeMessageVisibilityCommand(change))
}

async function remove(queue: string, message: Message | undefined): Promise<void> {
  const QueueUrl = cloud.queueUrl(queue)
  const ReceiptHandle = message?.ReceiptHandle
  await cloud.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
}

const bodies = (messages: readonly Message[]) => messages.map(({ Body }) => Body)

describe('a message group', () => {
  it('comes with as many of its messages as fit, in their order, before the next group', async () => {
    await sendMany(cloud, 'batch.fifo', 4, 'a')
    await sendMany(cloud, 'batch.fifo', 3, 'b')
    expect(bodies(await receive('batch.fifo', 6))).toEqual(['0', '1', '2', '3', '0', '1'])
  })

  it('is locked while any of its messages is invisible, not only the first', async () => {
    await sendMany(cloud, 'lock.fifo', 3, 'a')
    const [first, second] = await receive('lock.fifo', 2)
    expect(await receive('lock.fifo')).toEqual([])
    await hide('lock.fifo', first, 0)
    expect(await receive('lock.fifo')).toEqual([])
    await remove('lock.fifo', second)
    expect(bodies(await receive('lock.fifo'))).toEqual(['0', '2'])
  })

  it('keeps its order when all come back at once', async () => {
    await sendMany(cloud, 'order.fifo', 4, 'a')
    for (const message of await receive('order.fifo')) await hide('order.fifo', message, 0)
    expect(bodies(await receive('order.fifo'))).toEqual(['0', '1', '2', '3'])
  })

  it('keeps its order when the visibility of all ends', async () => {
    await sendMany(cloud, 'expiry.fifo', 3, 'a')
    await receive('expiry.fifo')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
    const again = await receive('expiry.fifo').finally(() => vi.useRealTimers())
    expect(bodies(again)).toEqual(['0', '1', '2'])
  })

  it('reaches a handler with several messages in one batch', async () => {
    await sendMany(cloud, 'mapped.fifo', 5, 'a')
    const batches: (readonly string[])[] = []
    const mapping = quietMapping({
      cloud,
      queue: 'mapped.fifo',
      handler: async (event) => void batches.push(bodiesOf(event)),
    })
    await mapping.drained({ timeout: '10m' })
    expect(batches).toEqual([['0', '1', '2', '3', '4']])
  })
})

describe('deduplication', () => {
  const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'd' }

  it('drops a second message of one id for five minutes, whatever it says, also when the first is deleted', async () => {
    const first = await send(cloud, 'dedup.fifo', { MessageBody: 'one', ...ids })
    const [message] = await receive('dedup.fifo')
    await remove('dedup.fifo', message)
    const other = { MessageBody: 'another', ...ids, MessageGroupId: 'h' }
    expect(await send(cloud, 'dedup.fifo', other)).toBe(first)
    expect(await receive('dedup.fifo')).toEqual([])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 })
    const second = await send(cloud, 'dedup.fifo', other).finally(() => vi.useRealTimers())
    expect(second).not.toBe(first)
    expect(bodies(await receive('dedup.fifo'))).toEqual(['another'])
  })

  it('by content looks at the body alone, not at the attributes', async () => {
    const attributes = (value: string) => ({
      MessageAttributes: { a: { DataType: 'String', StringValue: value } },
    })
    const MessageGroupId = 'g'
    await send(cloud, 'content.fifo', { MessageBody: 'x', MessageGroupId, ...attributes('1') })
    await send(cloud, 'content.fifo', { MessageBody: 'x', MessageGroupId, ...attributes('2') })
    expect(await receive('content.fifo')).toHaveLength(1)
  })

  it('needs a group, and an id of its own where the queue makes none', async () => {
    await expect(send(cloud, 'content.fifo', { MessageBody: 'x' })).rejects.toMatchObject({
      name: 'MissingParameter',
    })
    const withoutId = { MessageBody: 'x', MessageGroupId: 'g' }
    await expect(send(cloud, 'dedup.fifo', withoutId)).rejects.toMatchObject({
      name: 'InvalidParameterValue',
    })
  })
})
