import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb'
import { paginateListQueues, SQSClient } from '@aws-sdk/client-sqs'
import { type Account, stackOf } from './places/deployed.ts'
import { readService } from './places/service.ts'
import { findStack } from './remove.ts'

/** With the credentials that the SDK finds on this machine. */
export function accountIn(region: string): Account {
  let client: CloudFormationClient | undefined
  return {
    region,
    credentials: () => (client ??= new CloudFormationClient({ region })).config.credentials(),
  }
}

export interface Wanted {
  readonly account: Account
  readonly stage: string
  /** US dollars. */
  readonly limit: number
  readonly remove: boolean
}

/** Why nothing is done. undefined: it can be done. */
export async function refusalOf({
  account,
  stage,
  limit,
  remove,
}: Wanted): Promise<string | undefined> {
  // Its stack is emptied and deleted: no stage of a deployment that is in use may be meant.
  if (!/^run[a-z0-9]{0,12}$/.test(stage)) return '--stage: expected run, and up to 12 of a-z 0-9'
  if (account.region === '') return '--region: expected a Region, or AWS_REGION'
  if (!remove && !(limit > 0)) return '--limit: expected US dollars, such as 5'
  const denied = await account.credentials().then(
    () => undefined,
    (error: unknown) => `no credentials: ${String(error)}`,
  )
  if (denied !== undefined || remove) return denied
  const stack = await findStack(new CloudFormationClient(account), stackOf(stage))
  if (stack !== undefined) {
    return `the stack ${stackOf(stage)} is there already (${stack.StackStatus}): take another stage, or --remove it`
  }
  const taken = await takenIn(account)
  if (taken.length === 0) return undefined
  return `${account.region} has ${taken.join(', ')} already, which the examples would share: take another Region`
}

/** Names of the template that the examples read, and that are there. */
async function takenIn(account: Account): Promise<readonly string[]> {
  const { resources } = await readService()
  const named = Object.values(resources).flatMap(({ Properties: { TableName, QueueName } }) =>
    [TableName, QueueName].filter((name) => typeof name === 'string'),
  )
  const ours = new Set(named)
  const found: string[] = []
  for await (const page of paginateListTables({ client: new DynamoDBClient(account) }, {})) {
    found.push(...(page.TableNames ?? []))
  }
  const queues = { client: new SQSClient(account), pageSize: 1_000 }
  for await (const page of paginateListQueues(queues, { QueueNamePrefix: 'lineclear-' })) {
    found.push(...(page.QueueUrls ?? []).map((url) => url.split('/').at(-1) ?? ''))
  }
  return found.filter((name) => ours.has(name))
}
