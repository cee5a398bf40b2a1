import { ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { PublishBatchCommand, PublishCommand, type PublishCommandInput } from '@aws-sdk/client-sns'
import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type MessageAttributeValue,
  type SendMessageCommandInput,
} from '@aws-sdk/client-sqs'
import { startLocalCloud, type LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quietMapping, send } from './helpers.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: {
      q: {},
      'q.fifo': {},
      hidden: {},
      emoji: {},
      wrapped: {},
      small: { maximumMessageSize: 1_024 },
    },
    topics: {
      wrapped: { subscriptions: [{ queue: 'wrapped' }] },
      raw: { subscriptions: [{ queue: 'q', raw: true }] },
    },
    tables: { items: { hash: 'id' } },
  })
})
afterAll(() => cloud.stop())

const text = (value: string): MessageAttributeValue => ({ DataType: 'String', StringValue: value })
const texts = (count: number): Record<string, MessageAttributeValue> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, text('x')]))
const attribute = (name: string, value: MessageAttributeValue) => ({
  MessageAttributes: { [name]: value },
})

type Message = Partial<SendMessageCommandInput>
const TAKEN: readonly (readonly [string, Message])[] = [
  ['ten attributes', { MessageAttributes: texts(10) }],
  ['the longest name', attribute('n'.repeat(256), text('x'))],
  ['a name with dots, hyphens, underscores', attribute('a.b-c_D9', text('x'))],
  ['a label', attribute('a', { DataType: 'Number.float', StringValue: '-1.5e3' })],
  ['a delay of 900 s', { DelaySeconds: 900 }],
  ['a group on a standard queue', { MessageGroupId: 'g'.repeat(128) }],
  [
    '1 MiB with its attributes',
    { MessageBody: 'x'.repeat(1_048_576 - 8), ...attribute('a', text('x')) },
  ],
]
const REFUSED: readonly (readonly [string, Message])[] = [
  ['eleven attributes', { MessageAttributes: texts(11) }],
  ['a name too long', attribute('n'.repeat(257), text('x'))],
  ['a name with a space', attribute('a b', text('x'))],
  ['a name that starts with AWS.', attribute('aWs.x', text('x'))],
  ['a name that starts with Amazon.', attribute('Amazon.x', text('x'))],
  ['a name that starts with a period', attribute('.a', text('x'))],
  ['a name that ends with a period', attribute('a.', text('x'))],
  ['a name with two periods', attribute('a..b', text('x'))],
  ['an empty text', attribute('a', text(''))],
  ['empty bytes', attribute('a', { DataType: 'Binary', BinaryValue: new Uint8Array() })],
  ['a text without value', attribute('a', { DataType: 'String' })],
  ['an unknown type', attribute('a', { DataType: 'Boolean', StringValue: 'x' })],
  ['an empty label', attribute('a', { DataType: 'String.', StringValue: 'x' })],
  ['a number that is none', attribute('a', { DataType: 'Number', StringValue: '1x' })],
  ['an empty number', attribute('a', { DataType: 'Number', StringValue: ' ' })],
  ['a control character in a value', attribute('a', text('\u0001'))],
  ['a delay of 901 s', { DelaySeconds: 901 }],
  ['a negative delay', { DelaySeconds: -1 }],
  ['half a second of delay', { DelaySeconds: 0.5 }],
  ['a deduplication id on a standard queue', { MessageDeduplicationId: 'd' }],
  ['a group that is too long', { MessageGroupId: 'g'.repeat(129) }],
  ['a group with a space', { MessageGroupId: 'a b' }],
  ['an empty body', { MessageBody: '' }],
  ['1 MiB and a byte', { MessageBody: 'x'.repeat(1_048_576 - 7), ...attribute('a', text('x')) }],
]
const refusal = { $fault: 'client', $metadata: expect.objectContaining({ httpStatusCode: 400 }) }

describe('SQS', () => {
  const QueueUrl = () => cloud.queueUrl('q')
  const inBatch = (message: Message) =>
    new SendMessageBatchCommand({
      QueueUrl: QueueUrl(),
      Entries: [
        { Id: 'good', MessageBody: 'good' },
        { Id: 'other', MessageBody: 'x', ...message },
      ],
    })

  it.each(TAKEN)('takes %s', async (_, message) => {
    await expect(send(cloud, 'q', { MessageBody: 'x', ...message })).resolves.toMatch(/./)
  })

  it.each(REFUSED)('refuses %s, alone and in a batch', async (_, message) => {
    await expect(send(cloud, 'q', { MessageBody: 'x', ...message })).rejects.toMatchObject(refusal)
    if ((message.MessageBody?.length ?? 0) > 1_000_000) return
    expect(await cloud.sqs.send(inBatch(message))).toMatchObject({
      Successful: [{ Id: 'good' }],
      Failed: [{ Id: 'other', SenderFault: true, Code: expect.stringMatching(/./) }],
    })
  })

  it('answers for a batch of nothing but refused entries without sending it', async () => {
    const before = cloud.inspectQueue('q').ready.length
    const answer = await cloud.sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: QueueUrl(),
        Entries: [{ Id: 'a', MessageBody: 'x', DelaySeconds: 901 }],
      }),
    )
    expect(answer).toMatchObject({ Successful: [], Failed: [{ Id: 'a' }] })
    expect(cloud.inspectQueue('q').ready).toHaveLength(before)
  })

  it('takes entry ids of 80 characters, not of 81', async () => {
    const batch = (length: number) =>
      new SendMessageBatchCommand({
        QueueUrl: QueueUrl(),
        Entries: [{ Id: 'i'.repeat(length), MessageBody: 'x' }],
      })
    expect(await cloud.sqs.send(batch(80))).toMatchObject({ Successful: [{}] })
    await expect(cloud.sqs.send(batch(81))).rejects.toMatchObject({ name: 'InvalidBatchEntryId' })
  })

  it('refuses a delay on a FIFO queue, and a body above the limit of the queue', async () => {
    const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'd' }
    await expect(
      send(cloud, 'q.fifo', { MessageBody: 'x', DelaySeconds: 1, ...ids }),
    ).rejects.toMatchObject(refusal)
    await send(cloud, 'small', { MessageBody: 'x'.repeat(1_024) })
    await expect(send(cloud, 'small', { MessageBody: 'x'.repeat(1_025) })).rejects.toMatchObject(
      refusal,
    )
  })

  it('takes a visibility of 43,200 s, not of 43,201 s or a fraction; gives attributes only when asked', async () => {
    await send(cloud, 'hidden', { MessageBody: 'x', MessageAttributes: texts(1) })
    const QueueUrl = cloud.queueUrl('hidden')
    const { Messages: [message] = [] } = await cloud.sqs.send(
      new ReceiveMessageCommand({ QueueUrl }),
    )
    expect(message?.MessageAttributes).toBeUndefined()
    expect(message?.MD5OfMessageAttributes).toBeUndefined()
    const ReceiptHandle = message?.ReceiptHandle
    const change = (VisibilityTimeout: number) =>
      cloud.sqs.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
      )
    await expect(change(43_201)).rejects.toMatchObject(refusal)
    await expect(change(-1)).rejects.toMatchObject(refusal)
    await expect(change(0.5)).rejects.toMatchObject(refusal)
    await change(43_200)
    const Entries = [
      { Id: 'a', ReceiptHandle, VisibilityTimeout: 0.5 },
      { Id: 'b', ReceiptHandle, VisibilityTimeout: 0 },
    ]
    expect(
      await cloud.sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })),
    ).toMatchObject({ Successful: [{ Id: 'b' }], Failed: [{ Id: 'a' }] })
    const { Messages: [again] = [] } = await cloud.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MessageAttributeNames: ['All'] }),
    )
    expect(again?.MessageAttributes).toEqual(texts(1))
  })
})

describe('SNS', () => {
  const publish = (topic: string, message: Partial<PublishCommandInput>) =>
    cloud.sns.send(
      new PublishCommand({ TopicArn: cloud.topicArn(topic), Message: 'x', ...message }),
    )

  it('takes more than ten attributes, but not where raw delivery would lose the message', async () => {
    await publish('wrapped', { MessageAttributes: texts(11) })
    await publish('raw', { MessageAttributes: texts(10) })
    await expect(publish('raw', { MessageAttributes: texts(11) })).rejects.toMatchObject(refusal)
  })

  it.each([
    ['a name with a space', attribute('a b', text('x'))],
    ['an empty value', attribute('a', text(''))],
    ['a number that is none', attribute('a', { DataType: 'Number', StringValue: 'x' })],
    ['a subject of 100 characters', { Subject: 's'.repeat(100) }],
    ['a subject of two lines', { Subject: 'a\nb' }],
    ['256 KiB and a byte', { Message: 'x'.repeat(262_145) }],
  ])('refuses %s', async (_, message) => {
    await expect(publish('wrapped', message)).rejects.toMatchObject(refusal)
  })

  it('takes 256 KiB with attributes and a subject of 99 characters', async () => {
    const Message = 'x'.repeat(262_144 - 8)
    const largest = { Message, ...attribute('a', text('x')), Subject: 's'.repeat(99) }
    expect(await publish('wrapped', largest)).toHaveProperty('MessageId')
  })

  it('takes the good entries of a batch, and no batch above 256 KiB', async () => {
    const batch = (second: { Message: string; Subject?: string }) =>
      cloud.sns.send(
        new PublishBatchCommand({
          TopicArn: cloud.topicArn('wrapped'),
          PublishBatchRequestEntries: [
            { Id: 'a', Message: 'x' },
            { Id: 'b', ...second },
          ],
        }),
      )
    expect(await batch({ Message: 'x', Subject: '\n' })).toMatchObject({
      Successful: [{ Id: 'a' }],
      Failed: [{ Id: 'b', SenderFault: true }],
    })
    expect((await batch({ Message: 'x'.repeat(262_143) })).Failed).toEqual([])
    await expect(batch({ Message: 'x'.repeat(262_144) })).rejects.toMatchObject({
      name: 'BatchRequestTooLongException',
    })
  })
})

describe('emoji', () => {
  const body = 'train 🚂, flag 🇨🇭, family 👨‍👩‍👧, G clef 𝄞, last \u{10FFFD}'

  async function arrived(queue: string): Promise<string> {
    let arrived = ''
    const mapping = quietMapping({
      cloud,
      queue,
      handler: async ({ Records: [record] }) => void (arrived = record?.body ?? ''),
    })
    await mapping.drained({ timeout: '10m' })
    await mapping.stop()
    return arrived
  }

  it('arrive as they were sent', async () => {
    await send(cloud, 'emoji', { MessageBody: body })
    expect(await arrived('emoji')).toBe(body)
    const { Failed = [] } = await cloud.sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: cloud.queueUrl('emoji'),
        Entries: [{ Id: 'a', MessageBody: body }],
      }),
    )
    expect(Failed).toEqual([])
    expect(await arrived('emoji')).toBe(body)
  })

  it('arrive through SNS', async () => {
    await arrived('wrapped')
    await cloud.sns.send(new PublishCommand({ TopicArn: cloud.topicArn('wrapped'), Message: body }))
    expect(JSON.parse(await arrived('wrapped'))).toMatchObject({ Message: body })
  })

  it.each(['\ud83d', '\ude82', '\u0000', '\uffff'])('but not half of one: %j', async (half) => {
    const message = { QueueUrl: cloud.queueUrl('emoji'), MessageBody: half }
    await expect(cloud.sqs.send(new SendMessageCommand(message))).rejects.toMatchObject({
      name: 'InvalidMessageContents',
    })
  })
})

it('refuses expressions with other characters than ASCII', async () => {
  const update = new UpdateItemCommand({
    TableName: 'items',
    Key: { id: { S: 'a' } },
    UpdateExpression: 'SET € = :v',
    ExpressionAttributeValues: { ':v': { S: '🚂' } },
  })
  await expect(cloud.dynamodb.send(update)).rejects.toMatchObject({
    name: 'ValidationException',
    ...refusal,
  })
  await cloud.dynamodb.send(
    new UpdateItemCommand({
      ...update.input,
      UpdateExpression: 'SET #euro = :v',
      ExpressionAttributeNames: { '#euro': '€' },
    }),
  )
  const { Items } = await cloud.dynamodb.send(new ScanCommand({ TableName: 'items' }))
  expect(Items).toEqual([{ id: { S: 'a' }, '€': { S: '🚂' } }])
})
