import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { PublishCommand } from '@aws-sdk/client-sns'
import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  SQSClient,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { startLocalCloud, type CloudDescription } from 'lineclear/local'
import { expect, it, vi } from 'vitest'
import { quietMapping, send, until } from './helpers.ts'

const TABLES = { tables: { items: { hash: 'id' } } } as const

it('two clouds in one process do not see each other', async () => {
  const description = { queues: { q: {} }, ...TABLES }
  await using one = await startLocalCloud(description)
  await using two = await startLocalCloud({ ...description, tables: { others: { hash: 'id' } } })
  await send(one, 'q', { MessageBody: 'one' })
  expect(one.inspectQueue('q').ready).toMatchObject([{ body: 'one', receiveCount: 0 }])
  expect(two.inspectQueue('q').ready).toEqual([])
  expect(one.endpoints.sqs).not.toBe(two.endpoints.sqs)
  const tables = await Promise.all(
    [one, two].map(
      async (cloud) => (await cloud.dynamodb.send(new ListTablesCommand())).TableNames,
    ),
  )
  expect(tables).toEqual([['items'], ['others']])
})

it('listens on the loopback address only, while other servers listen where configured', async () => {
  const starting = startLocalCloud({ queues: { q: {} } })
  const other = createServer()
  const listening = once(other, 'listening')
  other.listen(0, '0.0.0.0')
  await using cloud = await starting
  await listening
  expect(other.address()).toMatchObject({ address: '0.0.0.0' })
  other.close()
  const { port } = new URL(cloud.endpoints.sqs ?? '')
  const outside = Object.values(networkInterfaces())
    .flat()
    .filter((each) => each?.family === 'IPv4' && !each.internal)
  for (const host of ['127.0.0.2', ...outside.map((each) => each?.address)]) {
    await expect(fetch(`http://${host}:${port}/`)).rejects.toThrow('fetch failed')
  }
})

it('stop ends mappings and engines, and may be called again', async () => {
  const cloud = await startLocalCloud({ queues: { q: {} }, ...TABLES })
  const mapping = quietMapping({ cloud, queue: 'q', handler: async () => {} })
  await Promise.all([cloud.stop(), cloud.stop()])
  await cloud.stop()
  await mapping.stop()
  await Promise.all([cloud.endpoints.sqs, cloud.endpoints.dynamodb].map(expectNobody))
})

it('stop ends the engines also when something before it throws', async () => {
  const cloud = await startLocalCloud({ queues: { q: {} } })
  cloud.onStop(() => Promise.reject(new Error('mine')))
  await expect(cloud.stop()).rejects.toThrow('mine')
  await expectNobody(cloud.endpoints.sqs)
})

async function expectNobody(endpoint = ''): Promise<void> {
  await expect(fetch(endpoint)).rejects.toThrow('fetch failed')
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueUrl.html */
it('each URL that it gives out takes messages', async () => {
  await using cloud = await startLocalCloud({ queues: { orders: {} } })
  const named = await cloud.sqs.send(new GetQueueUrlCommand({ QueueName: 'orders' }))
  const made = await cloud.sqs.send(new CreateQueueCommand({ QueueName: 'later' }))
  const { QueueUrls: listed } = await cloud.sqs.send(new ListQueuesCommand())
  const urls = [named.QueueUrl, made.QueueUrl]
  expect(urls).toEqual([cloud.queueUrl('orders'), `${cloud.endpoints.sqs}/000000000000/later`])
  expect(new Set(listed)).toEqual(new Set(urls))
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const config = { region: 'us-east-1', credentials, maxAttempts: 1 }
  for (const QueueUrl of urls) {
    const client = new SQSClient({ ...config, endpoint: new URL(QueueUrl ?? '').origin })
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }))
  }
  expect(cloud.inspectQueue('orders').ready).toHaveLength(1)
})

it('starts only what is asked for', async () => {
  await using queues = await startLocalCloud({ queues: { q: {} } })
  expect(Object.keys(queues.endpoints)).toEqual(['sqs', 'sns'])
  expect(() => queues.dynamodb).toThrow('the description has no tables')
  await using tables = await startLocalCloud(TABLES)
  expect(Object.keys(tables.endpoints)).toEqual(['dynamodb'])
  expect(() => tables.sqs).toThrow('the description has no queues')
})

it('subscriptions filter, and a FIFO topic feeds a FIFO queue', async () => {
  await using cloud = await startLocalCloud({
    queues: { paid: {}, 'all.fifo': { contentBasedDeduplication: true } },
    topics: {
      orders: { subscriptions: [{ queue: 'paid', filterPolicy: { kind: ['paid'] } }] },
      'orders.fifo': { subscriptions: [{ queue: 'all.fifo', raw: true }] },
    },
  })
  for (const kind of ['paid', 'sent']) {
    await cloud.sns.send(
      new PublishCommand({
        TopicArn: cloud.topicArn('orders'),
        Message: kind,
        MessageAttributes: { kind: { DataType: 'String', StringValue: kind } },
      }),
    )
  }
  await cloud.sns.send(
    new PublishCommand({
      TopicArn: cloud.topicArn('orders.fifo'),
      Message: 'x',
      MessageGroupId: 'g',
      MessageDeduplicationId: 'd',
    }),
  )
  expect(cloud.inspectQueue('paid').ready).toHaveLength(1)
  expect(cloud.inspectQueue('all.fifo').ready).toMatchObject([{ body: 'x' }])
})

it('a client with nothing but the environment reaches the queue', async () => {
  await using cloud = await startLocalCloud({ queues: { q: {} } })
  for (const [name, value] of Object.entries(cloud.environment)) vi.stubEnv(name, value)
  const client = new SQSClient()
  await client.send(new SendMessageCommand({ QueueUrl: cloud.queueUrl('q'), MessageBody: 'x' }))
  client.destroy()
  expect(cloud.inspectQueue('q').ready).toHaveLength(1)
})

it('tables take secondary indexes, streams aside, and a time to live', async () => {
  await using cloud = await startLocalCloud({
    tables: {
      lineclear: {
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
          { AttributeName: 'statusShard', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'byStatus',
            KeySchema: [{ AttributeName: 'statusShard', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      },
    },
  })
  const { TableNames } = await cloud.dynamodb.send(new ListTablesCommand())
  expect(TableNames).toEqual(['lineclear'])
})

it('tables may be provisioned, without saying so', async () => {
  const items = {
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' as const }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' as const }],
    ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
  }
  await using cloud = await startLocalCloud({ tables: { items } })
  expect((await cloud.dynamodb.send(new ListTablesCommand())).TableNames).toEqual(['items'])
})

const WRONG: readonly (readonly [string, object, string])[] = [
  [
    'an unknown list',
    { queue: {} },
    'startLocalCloud: "queue" is not known here: write \'queues\'',
  ],
  [
    'an unknown option of a queue',
    { queues: { q: { visibility: 3 } } },
    'queues.q: "visibility" is not known here',
  ],
  ['a name that SQS refuses', { queues: { 'a b': {} } }, 'queues.a b: expected a name'],
  [
    'too long a visibility',
    { queues: { q: { visibilityTimeout: 43_201 } } },
    'queues.q.visibilityTimeout: expected a whole number from 0 to 43200; got 43201',
  ],
  [
    'a dead letter queue that is not there',
    { queues: { q: { deadLetter: { queue: 'dead', maxReceiveCount: 3 } } } },
    'queues.q.deadLetter.queue: expected the name of a described queue (q); got "dead"',
  ],
  [
    'a dead letter queue of the other type',
    { queues: { 'q.fifo': { deadLetter: { queue: 'dead', maxReceiveCount: 3 } }, dead: {} } },
    'queues.q.fifo.deadLetter.queue: expected a FIFO queue',
  ],
  [
    'a subscriber that is not there',
    { topics: { t: { subscriptions: [{ queue: 'q' }] } } },
    'topics.t.subscriptions[0].queue: expected the name of a described queue',
  ],
  [
    'a FIFO subscriber of a standard topic',
    { queues: { 'q.fifo': {} }, topics: { t: { subscriptions: [{ queue: 'q.fifo' }] } } },
    'topics.t.subscriptions[0].queue: expected a standard queue',
  ],
  [
    'deduplication on a standard queue',
    { queues: { q: { contentBasedDeduplication: true } } },
    'queues.q.contentBasedDeduplication: expected none: only for FIFO',
  ],
  ['a short name of a table', { tables: { t: { hash: 'id' } } }, 'tables.t: expected a name of 3'],
  [
    'an unknown key',
    { tables: { items: { hash: 'id', sort: 'x' } } },
    'tables.items: "sort" is not known here',
  ],
  [
    'two names of a table',
    { tables: { items: { TableName: 'other', KeySchema: [] } } },
    'tables.items.TableName: expected "items"',
  ],
]
it.each(WRONG)('refuses %s', async (_, description, message) => {
  await expect(startLocalCloud(description as CloudDescription)).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining(message),
  })
})

it('leaves nothing behind when a table cannot be created', async () => {
  const tables = { items: { KeySchema: [] } } as unknown as { items: { hash: string } }
  // Other test files of this process may keep a server.
  const before = held().length
  await expect(startLocalCloud({ queues: { q: {} }, tables })).rejects.toMatchObject({
    name: 'ValidationException',
  })
  await until(() => held().length <= before)
})

/** Child processes and listening sockets of this process. */
function held(): readonly string[] {
  const kinds = ['ProcessWrap', 'TCPServerWrap']
  return process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind))
}

it('uses the engine that LINECLEAR_DYNAMODB_ENDPOINT names, and leaves its tables', async () => {
  await using engine = await startLocalCloud(TABLES)
  vi.stubEnv('LINECLEAR_DYNAMODB_ENDPOINT', engine.endpoints.dynamodb)
  const cloud = await startLocalCloud({ tables: { items: { hash: 'id' }, more: { hash: 'id' } } })
  expect(cloud.endpoints.dynamodb).toBe(engine.endpoints.dynamodb)
  await cloud.stop()
  const { TableNames } = await engine.dynamodb.send(new ListTablesCommand())
  expect(TableNames).toEqual(['items', 'more'])
})

it.each(['SIGKILL', 'SIGINT'] as const)(
  'no engine outlives a process that %s ends',
  async (signal) => {
    const child = spawn(
      process.execPath,
      ['--conditions=lineclear:source', resolve(import.meta.dirname, 'cloudChild.ts')],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const endpoint = await new Promise<string>((found) => {
      child.stdout.once('data', (line: Buffer) => found(line.toString().trim()))
    })
    expect((await fetch(endpoint)).status).toBe(200)
    child.kill(signal)
    await new Promise((ended) => child.once('close', ended))
    await untilNobody(endpoint)
  },
)

async function untilNobody(endpoint: string): Promise<void> {
  let alive = true
  const watching = setInterval(() => {
    fetch(endpoint).catch(() => (alive = false))
  }, 20)
  await until(() => !alive)
  clearInterval(watching)
}
