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
} from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { quietLogger } from '../../batch/quietLogger.ts'

export type Payload = Readonly<Record<string, unknown>>

/** Queues, topic and tables that the tests of this folder share, each test with its own names in the payloads. */
export function startFixtureCloud(): Promise<LocalCloud> {
  return startLocalCloud(
    {
      queues: {
        orders: { visibilityTimeout: 4, deadLetter: { queue: 'dead', maxReceiveCount: 50 } },
        dead: {},
        lonely: { visibilityTimeout: 1 },
        paid: {},
        'steps.fifo': {
          visibilityTimeout: 1,
          deadLetter: { queue: 'dead.fifo', maxReceiveCount: 50 },
        },
        'dead.fifo': {},
      },
      topics: {
        placed: { subscriptions: [{ queue: 'orders' }] },
        receipts: { subscriptions: [{ queue: 'paid' }] },
      },
      tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
    },
    { logger: quietLogger() },
  )
}

export interface Watched {
  readonly handler: SqsHandler
  readonly settled: Settlement[]
}

/** A consumer of orders with short delays, which notes how each record ended. */
export function consumerOf(
  cloud: LocalCloud,
  handle: (payload: Payload, ctx: RecordContext) => unknown,
  options: Partial<RecordHandlerOptions<StandardSchemaV1<unknown, Payload>>> = {},
): Watched {
  const settled: Settlement[] = []
  const handler = recordHandler(
    {
      name: 'orders',
      store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
      sqs: cloud.sqs,
      sns: cloud.sns,
      queueUrl: cloud.queueUrl('orders'),
      topics: [cloud.topicArn('placed')],
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
