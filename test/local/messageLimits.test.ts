import { PublishBatchCommand, type PublishBatchRequestEntry } from '@aws-sdk/client-sns'
import {
  ChangeMessageVisibilityCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
} from '@aws-sdk/client-sqs'
import { startLocalCloud, type LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { SNS } from '../../src/limits/sns.ts'
import { SQS } from '../../src/limits/sqs.ts'
import { send } from './helpers.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: { q: {}, hidden: { visibilityTimeout: 30 }, 'q.fifo': {}, told: {} },
    topics: { t: { subscriptions: [{ queue: 'told' }] } },
  })
})
afterAll(() => cloud.stop())

const sendBatch = (Entries: SendMessageBatchRequestEntry[], queue = 'q') =>
  cloud.sqs.send(new SendMessageBatchCommand({ QueueUrl: cloud.queueUrl(queue), Entries }))
const entries = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ Id: `${nth}`, MessageBody: 'x' }))
describe('SQS', () => {
  it('takes a batch of 1 MiB with the attributes of all, and no byte more', async () => {
    const half = SQS.batchBytes / 2
    const batch = (more: number) => [
      { Id: 'a', MessageBody: 'x'.repeat(half) },
      {
        Id: 'b',
        MessageBody: 'x'.repeat(half - 8 + more),
        MessageAttributes: { a: { DataType: 'String', StringValue: 'x' } },
      },
    ]
    expect(await sendBatch(batch(0))).toMatchObject({ Successful: [{}, {}] })
    await expect(sendBatch(batch(1))).rejects.toMatchObject({ name: 'BatchRequestTooLong' })
  })

  it.each<readonly [string, SendMessageBatchRequestEntry[], string]>([
    ['no entry', [], 'EmptyBatchRequest'],
    ['eleven entries', entries(SQS.batchEntries + 1), 'TooManyEntriesInBatchRequest'],
    ['an id twice', [...entries(1), ...entries(1)], 'BatchEntryIdsNotDistinct'],
    ['an id with a period', [{ Id: 'a.b', MessageBody: 'x' }], 'InvalidBatchEntryId'],
  ])('refuses a batch with %s', async (_, batch, name) => {
    await expect(sendBatch(batch)).rejects.toMatchObject({ name })
  })

  it('refuses a delay, and a message without group, in a batch to a FIFO queue', async () => {
    const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'd' }
    const batch = [
      { Id: 'delayed', MessageBody: 'x', ...ids, DelaySeconds: 1 },
      { Id: 'alone', MessageBody: 'x', MessageDeduplicationId: 'e' },
      { Id: 'good', MessageBody: 'x', ...ids },
    ]
    const { Successful, Failed = [] } = await sendBatch(batch, 'q.fifo')
    expect(Successful).toMatchObject([{ Id: 'good' }])
    expect(Object.fromEntries(Failed.map(({ Id, Code }) => [Id, Code]))).toEqual({
      alone: 'MissingParameter',
      delayed: 'InvalidParameterValue',
    })
  })

  it('hides a message for twelve hours in all, counted from its receive', async () => {
    const QueueUrl = cloud.queueUrl('hidden')
    await send(cloud, 'hidden', { MessageBody: 'x' })
    const receive = new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 36_000 })
    const { Messages: [{ ReceiptHandle } = {}] = [] } = await cloud.sqs.send(receive)
    const hide = (VisibilityTimeout: number) =>
      cloud.sqs.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
      )
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 20_000_000 })
    try {
      await hide(SQS.visibility - 20_001)
      await expect(hide(SQS.visibility - 19_000)).rejects.toMatchObject({
        name: 'InvalidParameterValue',
        message: expect.stringContaining('Total VisibilityTimeout'),
      })
      await hide(0)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('SNS', () => {
  const publishBatch = (PublishBatchRequestEntries: PublishBatchRequestEntry[]) =>
    cloud.sns.send(
      new PublishBatchCommand({ TopicArn: cloud.topicArn('t'), PublishBatchRequestEntries }),
    )

  it('takes 256 KiB in a batch in all, though each entry is smaller', async () => {
    const batch = (more: number) =>
      publishBatch([
        { Id: 'a', Message: 'x'.repeat(100_000) },
        { Id: 'b', Message: 'x'.repeat(100_000) },
        { Id: 'c', Message: 'x'.repeat(SNS.batchBytes - 200_000 - 8 + more), ...ATTRIBUTE },
      ])
    const ATTRIBUTE = { MessageAttributes: { a: { DataType: 'String', StringValue: 'x' } } }
    expect((await batch(0)).Successful).toHaveLength(3)
    await expect(batch(1)).rejects.toMatchObject({ name: 'BatchRequestTooLongException' })
  })

  it.each([
    ['an id twice', ['a', 'a'], 'BatchEntryIdsNotDistinctException'],
    ['eleven entries', 'abcdefghijk'.split(''), 'TooManyEntriesInBatchRequestException'],
    ['no entry', [], 'EmptyBatchRequestException'],
  ])('refuses a batch with %s', async (_, ids, name) => {
    await expect(publishBatch(ids.map((Id) => ({ Id, Message: 'x' })))).rejects.toMatchObject({
      name,
    })
  })
})
