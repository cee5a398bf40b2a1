import { PublishCommand } from '@aws-sdk/client-sns'
import {
  type MessageSystemAttributeName,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda'
import { createHash } from 'node:crypto'
import { startLocalCloud, type LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { quietMapping, send, until } from './helpers.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: {
      plain: {},
      typed: {},
      'ordered.fifo': {},
      wrapped: {},
      raw: {},
      poison: { visibilityTimeout: 0, deadLetter: { queue: 'dead', maxReceiveCount: 1 } },
      dead: {},
      traced: {},
      context: {},
    },
    topics: { placed: { subscriptions: [{ queue: 'wrapped' }, { queue: 'raw', raw: true }] } },
  })
})
afterAll(() => cloud.stop())

async function received(queue: string): Promise<SQSRecord> {
  const records: SQSRecord[] = []
  const mapping = quietMapping({
    cloud,
    queue,
    handler: async (event) => void records.push(...event.Records),
  })
  await until(() => records.length > 0)
  await mapping.stop()
  return records[0] as SQSRecord
}

it('has every field of a record, and none more', async () => {
  const before = Date.now()
  const id = await send(cloud, 'plain', { MessageBody: 'hello' })
  const record = await received('plain')
  expect(record).toEqual({
    messageId: id,
    receiptHandle: expect.stringMatching(/./),
    body: 'hello',
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: expect.stringMatching(/^\d{13}$/),
      SenderId: expect.stringMatching(/./),
      ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
    },
    messageAttributes: {},
    md5OfBody: createHash('md5').update('hello').digest('hex'),
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:plain',
    awsRegion: 'us-east-1',
  })
  expect(Number(record.attributes.SentTimestamp)).toBeGreaterThanOrEqual(before)
})

it('gives attributes of all types, binary as base64, with their digest', async () => {
  await send(cloud, 'typed', {
    MessageBody: 'x',
    MessageAttributes: {
      text: { DataType: 'String', StringValue: 'ä' },
      price: { DataType: 'Number.float', StringValue: '1.50' },
      bytes: { DataType: 'Binary.png', BinaryValue: Uint8Array.of(0, 255, 16) },
    },
  })
  const record = await received('typed')
  const lists = { stringListValues: [], binaryListValues: [] }
  expect(record.messageAttributes).toEqual({
    bytes: { binaryValue: 'AP8Q', ...lists, dataType: 'Binary.png' },
    price: { stringValue: '1.50', ...lists, dataType: 'Number.float' },
    text: { stringValue: 'ä', ...lists, dataType: 'String' },
  })
  expect(record.md5OfMessageAttributes).toMatch(/^[0-9a-f]{32}$/)
})

it('has group, deduplication id and sequence number on a FIFO queue', async () => {
  await send(cloud, 'ordered.fifo', {
    MessageBody: 'x',
    MessageGroupId: 'g',
    MessageDeduplicationId: 'd',
  })
  expect((await received('ordered.fifo')).attributes).toMatchObject({
    MessageGroupId: 'g',
    MessageDeduplicationId: 'd',
    SequenceNumber: expect.stringMatching(/^\d{20}$/),
  })
})

it('delivers what SNS publishes, wrapped and raw', async () => {
  await cloud.sns.send(
    new PublishCommand({
      TopicArn: cloud.topicArn('placed'),
      Message: 'paid',
      MessageAttributes: { kind: { DataType: 'String', StringValue: 'order' } },
    }),
  )
  const [wrapped, raw] = await Promise.all([received('wrapped'), received('raw')])
  expect(JSON.parse(wrapped.body)).toMatchObject({
    Type: 'Notification',
    TopicArn: cloud.topicArn('placed'),
    Message: 'paid',
    MessageAttributes: { kind: { Type: 'String', Value: 'order' } },
  })
  expect(wrapped.messageAttributes).toEqual({})
  expect(raw.body).toBe('paid')
  expect(raw.messageAttributes['kind']).toMatchObject({ stringValue: 'order', dataType: 'String' })
})

it('every client reads what the engine loses: trace header, group of a standard queue, source of a dead letter', async () => {
  // As another program opens it, by the variables of the environment.
  const sqs = new SQSClient({
    endpoint: cloud.endpoints.sqs ?? '',
    region: cloud.region,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  const read = async (
    queue: string,
    ...MessageSystemAttributeNames: MessageSystemAttributeName[]
  ) => {
    const { Messages: [message] = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: cloud.queueUrl(queue),
        VisibilityTimeout: 0,
        WaitTimeSeconds: 20,
        MessageSystemAttributeNames,
      }),
    )
    return message?.Attributes
  }
  await send(cloud, 'traced', {
    MessageBody: 'x',
    MessageGroupId: 'tenant',
    MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1-2-3' } },
  })
  expect(await read('traced', 'All')).toMatchObject({
    MessageGroupId: 'tenant',
    AWSTraceHeader: 'Root=1-2-3',
  })
  expect(await read('traced', 'AWSTraceHeader')).toEqual({ AWSTraceHeader: 'Root=1-2-3' })
  expect(await read('traced')).toBeUndefined()
  const id = await send(cloud, 'poison', { MessageBody: 'bad' })
  const mapping = quietMapping({
    cloud,
    queue: 'poison',
    handler: async () => ({ batchItemFailures: [{ itemIdentifier: id }] }),
  })
  const DeadLetterQueueSourceArn = cloud.queueArn('poison')
  expect(await read('dead', 'All')).toMatchObject({ DeadLetterQueueSourceArn })
  await mapping.stop()
  expect((await received('dead')).attributes).toMatchObject({ DeadLetterQueueSourceArn })
  sqs.destroy()
})

it('passes a context as Lambda does, new for each invocation, and an event of its own', async () => {
  const seen: { event: SQSEvent; context: Context; left: number }[] = []
  const mapping = quietMapping({
    cloud,
    queue: 'context',
    functionName: 'consume',
    functionTimeout: 3_000,
    batchSize: 1,
    handler: async (event, context) =>
      void seen.push({ event, context, left: context.getRemainingTimeInMillis() }),
  })
  await send(cloud, 'context', { MessageBody: '1' })
  await send(cloud, 'context', { MessageBody: '2' })
  await mapping.drained({ timeout: '10m' })
  const [first, second] = seen
  expect(first?.context).toMatchObject({
    functionName: 'consume',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:consume',
    memoryLimitInMB: '128',
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  expect(first?.left).toBeGreaterThan(2_000)
  expect(first?.left).toBeLessThanOrEqual(3_000)
  expect(second?.context.awsRequestId).not.toBe(first?.context.awsRequestId)
  expect(() => first?.context.done()).toThrow('return a promise')
})
