import {
  ReceiveMessageCommand,
  SendMessageCommand,
  type Message,
  type MessageAttributeValue,
} from '@aws-sdk/client-sqs'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  type RecordContext,
  recordHandler,
  type RecordHandlerOptions,
  type Settlement,
  type SqsHandler,
  type HandlerResult,
  snsTopic,
} from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import {
  type LocalCloud,
  type QueueDescription,
  startLocalCloud,
  type TopicDescription,
} from 'lineclear/local'
import { quietLogger } from '../../deliver/quietLogger.ts'

export type Payload = Readonly<Record<string, unknown>>

/** How many tests of a file run side by side, each with queues and topics of its own. */
export const LANES = 20

/** Tables, and in each lane queues and topics under their plain names. */
export function startFixtureCloud(): Promise<LocalCloud> {
  const lanes = Array.from({ length: LANES }, (_, lane) => lane)
  return startLocalCloud(
    {
      queues: Object.assign({}, ...lanes.map(queuesOf)),
      topics: Object.assign({}, ...lanes.map(topicsOf)),
      tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
    },
    { logger: quietLogger() },
  )
}

function queuesOf(lane: number): Record<string, QueueDescription> {
  const dead = (name: string) => ({ queue: inLane(lane, name), maxReceiveCount: 50 })
  const queues: Record<string, QueueDescription> = {
    orders: { visibilityTimeout: 4, deadLetter: dead('dead') },
    dead: {},
    lonely: { visibilityTimeout: 1 },
    paid: {},
    'steps.fifo': { visibilityTimeout: 1, deadLetter: dead('dead.fifo') },
    'dead.fifo': {},
  }
  return renamed(lane, queues)
}

function topicsOf(lane: number): Record<string, TopicDescription> {
  return renamed(lane, {
    placed: { subscriptions: [{ queue: inLane(lane, 'orders') }] },
    receipts: { subscriptions: [{ queue: inLane(lane, 'paid') }] },
  })
}

function renamed<T>(lane: number, named: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => [inLane(lane, name), value]),
  )
}

/** `.fifo` has to stay the end of a name. */
function inLane(lane: number, name: string): string {
  return name.replace(/(\.fifo)?$/, `-${lane}$1`)
}

/** The cloud as a test sees it that has the queues and topics for itself. */
export function laneOf(cloud: LocalCloud, lane: number): LocalCloud {
  const own: Partial<LocalCloud> = {
    queueUrl: (name) => cloud.queueUrl(inLane(lane, name)),
    queueArn: (name) => cloud.queueArn(inLane(lane, name)),
    topicArn: (name) => cloud.topicArn(inLane(lane, name)),
    inspectQueue: (name) => cloud.inspectQueue(inLane(lane, name)),
    queueDepth: (name) => cloud.queueDepth(inLane(lane, name)),
  }
  // Not spread: that would ask for the client of a service that was not started.
  return Object.assign(Object.create(cloud) as LocalCloud, own)
}

export interface Watched {
  readonly handler: SqsHandler
  readonly settled: Settlement[]
}

/** A consumer of orders with short delays, which notes how each record ended. */
export function consumerOf(
  cloud: LocalCloud,
  handle: (payload: Payload, ctx: RecordContext) => HandlerResult,
  options: Partial<RecordHandlerOptions<StandardSchemaV1<unknown, Payload>>> = {},
): Watched {
  const settled: Settlement[] = []
  const handler = recordHandler(
    {
      name: 'orders',
      store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
      clients: { sqs: cloud.sqs, sns: cloud.sns },
      queueUrl: cloud.queueUrl('orders'),
      envelopes: [snsTopic(cloud.topicArn('placed'))],
      logger: quietLogger(),
      onSettled: (settlement) => settled.push(settlement),
      ...options,
      retry: { maxAttempts: 3, delay: (retry) => retry * 1_000, ...options.retry },
    },
    (payload, ctx) => handle(payload, ctx),
  )
  return { handler, settled }
}

export async function send(
  cloud: LocalCloud,
  queue: string,
  payload: unknown,
  more: {
    readonly attributes?: Record<string, MessageAttributeValue>
    readonly group?: string
  } = {},
): Promise<void> {
  await cloud.sqs.send(
    new SendMessageCommand({
      QueueUrl: cloud.queueUrl(queue),
      MessageBody: typeof payload === 'string' ? payload : JSON.stringify(payload),
      ...(more.attributes === undefined ? {} : { MessageAttributes: more.attributes }),
      ...(more.group === undefined
        ? {}
        : { MessageGroupId: more.group, MessageDeduplicationId: crypto.randomUUID() }),
    }),
  )
}

export async function receive(cloud: LocalCloud, queue: string): Promise<Message[]> {
  const { Messages = [] } = await cloud.sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: cloud.queueUrl(queue),
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 1,
      MessageAttributeNames: ['All'],
    }),
  )
  return Messages
}

export function attributeOf(message: Message | undefined, name: string): string | undefined {
  return message?.MessageAttributes?.[name]?.StringValue
}

export function carriedBy(message: Message | undefined): unknown {
  return JSON.parse(attributeOf(message, 'lineclear') ?? '{}')
}
