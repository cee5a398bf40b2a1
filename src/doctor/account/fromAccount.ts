import type { Deployment, Table, Unseen } from '../deployment.ts'
import type { AccountClients } from './clients.ts'
import { describeFunctions } from './describeFunctions.ts'
import { describeQueues } from './describeQueues.ts'
import { describeTable } from './describeTable.ts'

export type { AccountClients, LambdaReader } from './clients.ts'

export interface AccountOptions {
  /** Of the framework's table, default `lineclear`. */
  readonly tableName?: string
  /** The queues that are consumed; their dead-letter queues are found. */
  readonly queueUrls: readonly string[]
}

/**
 * Reads what is deployed: queues (`sqs:GetQueueAttributes`, `GetQueueUrl`), the table (`dynamodb:DescribeTable`, `DescribeTimeToLive`,
 * `DescribeContinuousBackups`) and, with a Lambda client, mappings and functions. Changes nothing. Topics, roles and alarms
 * are not read: check the template for these.
 * @throws what the clients throw.
 */
export async function fromAccount(
  clients: AccountClients,
  { tableName = 'lineclear', queueUrls }: AccountOptions,
): Promise<Deployment> {
  const [queues, table] = await Promise.all([
    describeQueues(clients.sqs, queueUrls),
    describeTable(clients.dynamodb, tableName),
  ])
  const { lambda } = clients
  const consumers = lambda && (await describeFunctions(lambda, queues))
  return {
    queues,
    ...(table === undefined ? {} : { table }),
    functions: consumers?.functions ?? [],
    mappings: consumers?.mappings ?? [],
    topics: [],
    subscriptions: [],
    roles: [],
    alarms: [],
    unseen: [...unseenOf(clients), ...hiddenOf(table), ...TEMPLATE_ONLY],
  }
}

const TEMPLATE_ONLY: readonly Unseen[] = (['topics', 'roles', 'alarms'] as const).map((part) => ({
  part,
  why: `${part} are read from a template only`,
}))

function hiddenOf(table: Table | undefined): Unseen[] {
  if (table?.recovery !== 'unknown') return []
  return [{ part: 'recovery', why: 'DescribeContinuousBackups was refused' }]
}

function unseenOf({ lambda }: AccountClients): Unseen[] {
  const recursion: Unseen = { part: 'recursion', why: 'GetFunctionRecursionConfig was not given' }
  if (lambda !== undefined) return lambda.getFunctionRecursionConfig ? [] : [recursion]
  const why = 'no Lambda client was given'
  return [{ part: 'mappings', why }, { part: 'functions', why }, recursion]
}
