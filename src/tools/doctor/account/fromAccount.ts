import type { Deployment, DeployedQueue, DeployedTable, UncheckedPart } from '../deployment.ts'
import { type AccountClients, isAvailable } from './clients.ts'
import { type Consumers, describeFunctions } from './describeFunctions.ts'
import { describeQueues, describeTopics, type Publishers, topicsOf } from './describeQueues.ts'
import { describeTable } from './describeTable.ts'

export type { MissingClient, AccountClients, LambdaReader, SnsReader } from './clients.ts'

export interface AccountOptions {
  /** Of the framework's table, default `lineclear`. */
  readonly tableName?: string
  /** The queues that are consumed; their dead-letter queues are found. */
  readonly queueUrls: readonly string[]
}

/**
 * Reads what is deployed: queues (`sqs:GetQueueAttributes`, `GetQueueUrl`), the table (`dynamodb:DescribeTable`, `DescribeTimeToLive`,
 * `DescribeContinuousBackups`), with a client of Lambda mappings and functions (`lambda:ListEventSourceMappings`,
 * `GetFunctionConfiguration`, `GetFunctionRecursionConfig`), with one of SNS the topics that the queues' policies let in
 * (`sns:ListSubscriptionsByTopic`, `GetSubscriptionAttributes`). Changes nothing. Roles, alarms, rules and buckets are not read: check the
 * template for these.
 * @throws what the clients throw, other than that they may not look at functions or topics
 */
export async function fromAccount(
  clients: AccountClients,
  { tableName = 'lineclear', queueUrls }: AccountOptions,
): Promise<Deployment> {
  const [queues, table] = await Promise.all([
    describeQueues(clients.sqs, queueUrls),
    describeTable(clients.dynamodb, tableName),
  ])
  const [consumers, publishers] = await Promise.all([
    consumersOf(clients, queues),
    publishersOf(clients, queues),
  ])
  return {
    ...consumers,
    ...publishers,
    queues,
    ...(table === undefined ? {} : { table }),
    roles: [],
    schedules: [],
    from: 'account',
    unread: [],
    eventSources: [],
    invokers: [],
    buckets: [],
    alarms: [],
    unchecked: [
      ...consumers.unseen,
      ...publishers.unseen,
      ...uncheckedTable(table),
      ...TEMPLATE_ONLY,
    ],
  }
}

const TEMPLATE_ONLY: readonly UncheckedPart[] = (['roles', 'alarms', 'events'] as const).map(
  (part) => ({
    part,
    why: 'roles, alarms, rules and buckets can only be read from a template',
  }),
)

function uncheckedTable(table: DeployedTable | undefined): UncheckedPart[] {
  if (table?.recovery !== 'unknown') return []
  return [
    {
      part: 'recovery',
      why: 'dynamodb:DescribeContinuousBackups is not allowed, or not supported here',
      cure: 'Allow dynamodb:DescribeContinuousBackups, or give --template',
    },
  ]
}

async function consumersOf(
  { lambda = { why: 'no Lambda client was given', cure: 'Give one' } }: AccountClients,
  queues: readonly DeployedQueue[],
): Promise<Consumers> {
  if (isAvailable(lambda)) return describeFunctions(lambda, queues)
  const parts = ['mappings', 'functions', 'recursion'] as const
  return { mappings: [], functions: [], unseen: parts.map((part) => ({ part, ...lambda })) }
}

async function publishersOf(
  { sns = { why: 'no SNS client was given', cure: 'Give one' } }: AccountClients,
  queues: readonly DeployedQueue[],
): Promise<Publishers> {
  const topics = topicsOf(queues)
  if (topics.length === 0) return { topics: [], subscriptions: [], unseen: [NO_TOPIC] }
  if (isAvailable(sns)) return describeTopics(sns, topics, queues)
  return { topics: [], subscriptions: [], unseen: [{ part: 'topics', ...sns }] }
}

const NO_TOPIC: UncheckedPart = {
  part: 'topics',
  why: 'no queue policy names a topic',
}
