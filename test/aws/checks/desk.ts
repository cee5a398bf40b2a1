import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import {
  CreateTopicCommand,
  DeleteTopicCommand,
  paginateListTopics,
  type SNSClient,
  SubscribeCommand,
} from '@aws-sdk/client-sns'
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  paginateListQueues,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'

export interface Clients {
  readonly sqs: SQSClient
  readonly sns: SNSClient
  readonly dynamodb: DynamoDBClient
  readonly eventBridge: EventBridgeClient
}

export interface Queue {
  readonly url: string
  readonly arn: string
}

/** Sends it to a queue whose function answers with it. `kept`: the message came to the dead-letter queue. */
export type Answered = (answer: unknown) => Promise<'kept' | 'deleted'>

/** Queues, topics and a table of the checks' own. Names begin with the prefix, by which `clearDesk` finds them. */
export interface Desk {
  readonly clients: Clients
  /** With the keys `pk` and `sk`. */
  readonly table: string
  readonly answered: Answered | undefined
  queue(attributes?: Readonly<Record<string, string>>): Promise<Queue>
  topic(attributes?: Readonly<Record<string, string>>): Promise<string>
  subscribe(topic: string, queue: Queue, raw: boolean): Promise<void>
  /** Up to `count`, those that come within the time. */
  receive(queue: Queue, count?: number, seconds?: number): Promise<Message[]>
}

export async function openDesk(
  clients: Clients,
  prefix: string,
  answered?: Answered,
): Promise<Desk> {
  const { sqs, sns, dynamodb } = clients
  let made = 0
  const nameOf = (attributes: Readonly<Record<string, string>>): string => {
    const isFifo = Object.keys(attributes).some((name) => /^Fifo(?:Queue|Topic)$/.test(name))
    return `${prefix}${(made += 1)}${isFifo ? '.fifo' : ''}`
  }
  const table = `${prefix}table`
  await dynamodb.send(new CreateTableCommand(tableNamed(table)))
  await waitUntilTableExists({ client: dynamodb, maxWaitTime: 120 }, { TableName: table })
  return {
    clients,
    table,
    answered,
    queue: (attributes = {}) => createQueue(sqs, nameOf(attributes), attributes),
    async topic(Attributes = {}) {
      const { TopicArn = '' } = await sns.send(
        new CreateTopicCommand({ Name: nameOf(Attributes), Attributes }),
      )
      return TopicArn
    },
    subscribe: (topic, queue, raw) => subscribe(clients, topic, queue, raw),
    async receive({ url: QueueUrl }, count = 1, seconds = 10) {
      const received: Message[] = []
      const until = Date.now() + seconds * 1_000
      while (received.length < count && Date.now() < until) {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({
            QueueUrl,
            MaxNumberOfMessages: Math.min(10, count - received.length),
            WaitTimeSeconds: 1,
            MessageAttributeNames: ['All'],
            MessageSystemAttributeNames: ['All'],
          }),
        )
        received.push(...Messages)
      }
      return received
    },
  }
}

/** The queue gets what is published to the topic. */
export async function subscribe(
  { sqs, sns }: Pick<Clients, 'sqs' | 'sns'>,
  TopicArn: string,
  { url: QueueUrl, arn: Endpoint }: Queue,
  raw: boolean,
): Promise<void> {
  const Policy = JSON.stringify(allow(Endpoint))
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }))
  const Attributes = { RawMessageDelivery: String(raw) }
  await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint, Attributes }))
}

export async function createQueue(
  sqs: SQSClient,
  QueueName: string,
  Attributes: Readonly<Record<string, string>> = {},
): Promise<Queue> {
  const { QueueUrl: url = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))
  return { url, arn: await arnOf(sqs, url) }
}

async function arnOf(sqs: SQSClient, QueueUrl: string): Promise<string> {
  const asked = { QueueUrl, AttributeNames: ['QueueArn' as const] }
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(asked))
  return Attributes['QueueArn'] ?? ''
}

function allow(Resource: string): object {
  const Principal = { Service: 'sns.amazonaws.com' }
  const statement = { Effect: 'Allow', Principal, Action: 'sqs:SendMessage', Resource }
  return { Version: '2012-10-17', Statement: [statement] }
}

function tableNamed(TableName: string) {
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST' as const,
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' as const },
      { AttributeName: 'sk', KeyType: 'RANGE' as const },
    ],
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' as const },
      { AttributeName: 'sk', AttributeType: 'S' as const },
    ],
  }
}

/** Deletes all that begins with the prefix, also what a run that was killed has left. A queue takes a minute to go. */
export async function clearDesk({ sqs, sns, dynamodb }: Clients, prefix: string): Promise<void> {
  for await (const { QueueUrls = [] } of paginateListQueues(
    { client: sqs, pageSize: 1_000 },
    { QueueNamePrefix: prefix },
  )) {
    for (const QueueUrl of QueueUrls) await sqs.send(new DeleteQueueCommand({ QueueUrl }))
  }
  for await (const { Topics = [] } of paginateListTopics({ client: sns }, {})) {
    const ours = Topics.filter(({ TopicArn = '' }) => TopicArn.includes(`:${prefix}`))
    for (const { TopicArn } of ours) await sns.send(new DeleteTopicCommand({ TopicArn }))
  }
  const gone = (error: unknown): boolean =>
    error instanceof Error && error.name === 'ResourceNotFoundException'
  // A table that is being made cannot be deleted yet.
  for (let tries = 0; tries < 30; tries += 1) {
    const error: unknown = await dynamodb
      .send(new DeleteTableCommand({ TableName: `${prefix}table` }))
      .then(() => undefined)
      .catch((refused: unknown) => refused)
    if (error === undefined || gone(error)) return
    await sleep(1_000)
  }
}
