import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ListSubscriptionsByTopicCommand,
  SetSubscriptionAttributesCommand,
} from '@aws-sdk/client-sns'
import {
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs'
import {
  type Clients,
  type Clock,
  jsonLogger,
  type Logger,
  producer,
  recordHandler,
  type RecordHandlerOptions,
  type Store,
} from 'lineclear'
import { dynamoDbStore, tableDefinition, timeToLive } from 'lineclear/dynamodb'
import {
  type CloudDescription,
  type LocalCloud,
  mapQueue,
  type QueueMapping,
  startLocalCloud,
} from 'lineclear/local'
import { type Deployed, type LambdaApi, serveLambda } from './lambdaApi.ts'

export const TABLE = 'lineclear'

/** An account on this machine: queues and a table, Lambda's API, and the log of the functions. */
export interface Site {
  readonly cloud: LocalCloud
  readonly lambda: LambdaApi
  /** Path of what the functions have logged. */
  readonly log: string
  readonly options: Options
  /** Those of functions that ran `ago` milliseconds ago. */
  optionsOf(ago: number): Options
  /** A line that Lambda itself writes into the log of a function. */
  say(line: string): void
  /** Describes the function of a queue, and its mapping. */
  deploy(queue: string, more?: Partial<Pick<Deployed, 'function' | 'mapping'>>): void
  /** Has `handler` read the queue as long as the site is up. */
  run(queue: string, handler: Handler, more?: Running): QueueMapping
  send(queue: string, id: string, payload: object): Promise<void>
  /** Without a producer of Lineclear. */
  sendText(queue: string, text: string): Promise<void>
  /** What a poller does that has no execution for the messages: they count a receive, and are visible again after so many seconds. */
  receive(queue: string, seconds: number): Promise<void>
  stop(): Promise<void>
}

export interface Options {
  readonly store: Store
  readonly logger: Logger
  readonly clock: Clock
  readonly clients: Clients
}

export type Handler = Parameters<typeof mapQueue>[0]['handler']
type Running = Partial<Omit<Parameters<typeof mapQueue>[0], 'cloud' | 'queue' | 'handler'>>

/** Seconds. Messages of a killed function come back while somebody waits for them. */
const HIDDEN = 30
const consumed = (name: string, receives = 10, hidden = HIDDEN) => ({
  [name]: {
    visibilityTimeout: hidden,
    deadLetter: { queue: `${name}-dead`, maxReceiveCount: receives },
  },
  [`${name}-dead`]: {},
})

const QUEUES: NonNullable<CloudDescription['queues']> = {
  ...consumed('orders'),
  ...consumed('payments'),
  ...consumed('mails'),
  ...consumed('scans', 1),
  ...consumed('uploads', 3, 2),
  ...consumed('imports', 10, 5),
  exports: { maximumMessageSize: 262_144 },
  'orders-undelivered': {},
  'ledger.fifo': {
    visibilityTimeout: HIDDEN,
    deadLetter: { queue: 'ledger-dead.fifo', maxReceiveCount: 100 },
  },
  'ledger-dead.fifo': {},
}

const TOPICS: NonNullable<CloudDescription['topics']> = {
  placed: { subscriptions: [{ queue: 'orders', raw: true, filterPolicy: { channel: ['shop'] } }] },
}

const TABLES = {
  [TABLE]: {
    ...tableDefinition(),
    TimeToLiveSpecification: timeToLive().TimeToLiveSpecification,
    DeletionProtectionEnabled: true,
  },
  stock: { hash: 'sku' },
  totals: { hash: 'account' },
}

function clockOf(ago: number): Clock {
  return {
    now: () => Date.now() - ago,
    sleep: async (milliseconds, signal) => {
      await sleep(milliseconds, undefined, signal && { signal }).catch(() => {})
    },
  }
}

export async function openSite(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'lineclear-oncall-'))
  const log = join(folder, 'functions.log')
  const file = openSync(log, 'a')
  const say = (line: string): void => void writeSync(file, `${line}\n`)
  const logger = jsonLogger('INFO', say)
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const [cloud, lambda] = await Promise.all([
    startLocalCloud({ queues: QUEUES, topics: TOPICS, tables: TABLES }, { logger: silent }),
    serveLambda(),
  ])
  await Promise.all(Object.keys(QUEUES).map(async (queue) => keepLong(cloud, queue)))
  const clients = { sqs: cloud.sqs }
  const optionsOf = (ago: number): Options => {
    const clock = clockOf(ago)
    const store = dynamoDbStore({ tableName: TABLE, client: cloud.dynamodb, clock, logger })
    return { store, logger, clock, clients }
  }
  const functionOf = (queue: string): string => queue.replace('.', '-')
  return {
    cloud,
    lambda,
    log,
    options: optionsOf(0),
    optionsOf,
    say,
    deploy: (queue, more = {}) => {
      lambda.add({
        queueArn: cloud.queueArn(queue),
        functionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionOf(queue)}`,
        function: {
          FunctionName: functionOf(queue),
          Runtime: 'nodejs24.x',
          ...FUNCTION,
          ...more.function,
        },
        mapping: { ...more.mapping },
      })
    },
    run: (queue, handler, more = {}) => {
      const shared = { cloud, queue, handler, logger: silent, functionTimeout: '5s' } as const
      const mapping = mapQueue({ ...shared, ...more })
      lambda.onSwitch((queueArn, enabled) => {
        if (queueArn === mapping.queueArn) void (enabled ? mapping.resume() : mapping.pause())
      })
      return mapping
    },
    send: async (queue, id, payload) => {
      await producer({ clients }).send(cloud.queueUrl(queue), payload, {
        uniqueRequestId: id,
        ...(queue.endsWith('.fifo') && { groupId: String(Reflect.get(payload, 'account')) }),
      })
    },
    sendText: async (queue, MessageBody) => {
      await cloud.sqs.send(new SendMessageCommand({ QueueUrl: cloud.queueUrl(queue), MessageBody }))
    },
    receive: async (queue, VisibilityTimeout) => {
      const QueueUrl = cloud.queueUrl(queue)
      await cloud.sqs.send(
        new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout, MaxNumberOfMessages: 10 }),
      )
    },
    stop: async () => {
      await cloud.stop()
      await lambda.stop()
      closeSync(file)
      rmSync(folder, { recursive: true })
    },
  }
}

/** The topic `placed` may send to `orders`, and what SNS cannot deliver goes to `orders-undelivered`. */
export async function admitTopic({ cloud }: Pick<Site, 'cloud'>, isRaw = true): Promise<void> {
  const TopicArn = cloud.topicArn('placed')
  const Policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: cloud.queueArn('orders'),
        Condition: { ArnEquals: { 'aws:SourceArn': TopicArn } },
      },
    ],
  })
  const QueueUrl = cloud.queueUrl('orders')
  await cloud.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }))
  const listed = await cloud.sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }))
  const attributes = {
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: cloud.queueArn('orders-undelivered') }),
    RawMessageDelivery: String(isRaw),
  }
  const SubscriptionArn = listed.Subscriptions?.[0]?.SubscriptionArn ?? ''
  for (const [AttributeName, AttributeValue] of Object.entries(attributes)) {
    await cloud.sns.send(
      new SetSubscriptionAttributesCommand({ SubscriptionArn, AttributeName, AttributeValue }),
    )
  }
}

/** As the doctor wants it of dead letters: 14 days. */
async function keepLong(cloud: LocalCloud, queue: string): Promise<void> {
  if (!queue.includes('-dead')) return
  const Attributes = { MessageRetentionPeriod: '1209600' }
  await cloud.sqs.send(
    new SetQueueAttributesCommand({ QueueUrl: cloud.queueUrl(queue), Attributes }),
  )
}

const FUNCTION = { Timeout: 5, MemorySize: 512, PackageType: 'Zip' }

type Work = Parameters<typeof recordHandler>[1]

/** A consumer named like its queue, which tries twice. */
export function consumerOf(
  { options }: Pick<Site, 'options'>,
  name: string,
  work: Work,
  more: Partial<RecordHandlerOptions> = {},
): Handler {
  const retry = { maxAttempts: 2, delay: '1s' } as const
  return recordHandler({ ...options, name, retry, ...more }, work)
}

/** Milliseconds. Enough for a busy machine. */
const LONGEST = 120_000

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + LONGEST; !(await condition()); await sleep(20)) {
    if (Date.now() > end) throw new Error('a cause could not be planted')
  }
}
