import type {
  CreateTableCommandInput,
  DynamoDBClient,
  TimeToLiveSpecification,
} from '@aws-sdk/client-dynamodb'
import { systemClock } from '../../../library/base/clock.ts'
import type { TableDescription } from '../description/description.ts'

type Sdk = typeof import('@aws-sdk/client-dynamodb')

export async function createTables(
  client: DynamoDBClient,
  tables: Readonly<Record<string, TableDescription>>,
): Promise<void> {
  const sdk = await import('@aws-sdk/client-dynamodb')
  const creating = Object.entries(tables).map(([name, table]) =>
    createTable(sdk, client, name, table),
  )
  await Promise.all(creating)
}

/** Creates the table and waits until it is active. In an engine of the user an existing table is kept. */
async function createTable(
  sdk: Sdk,
  client: DynamoDBClient,
  name: string,
  table: TableDescription,
): Promise<void> {
  const { TimeToLiveSpecification, ...input } = toInput(name, table)
  try {
    await client.send(new sdk.CreateTableCommand(input))
  } catch (error) {
    // By its name: two copies of a client break `instanceof`.
    if (error instanceof Error && error.name === 'ResourceInUseException') return
    throw error
  }
  await untilActive(sdk, client, name)
  if (TimeToLiveSpecification === undefined) return
  await client.send(new sdk.UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }))
}

function toInput(
  name: string,
  table: TableDescription,
): CreateTableCommandInput & { TimeToLiveSpecification?: TimeToLiveSpecification | undefined } {
  if (!('hash' in table)) {
    const isProvisioned = table.ProvisionedThroughput !== undefined
    return { ...(!isProvisioned && { BillingMode: 'PAY_PER_REQUEST' }), ...table, TableName: name }
  }
  const names = [table.hash, ...(table.range === undefined ? [] : [table.range])]
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: names.map((key) => ({ AttributeName: key, AttributeType: 'S' })),
    KeySchema: names.map((key, index) => ({
      AttributeName: key,
      KeyType: index === 0 ? 'HASH' : 'RANGE',
    })),
  }
}

async function untilActive(sdk: Sdk, client: DynamoDBClient, name: string): Promise<void> {
  for (;;) {
    const { Table } = await client.send(new sdk.DescribeTableCommand({ TableName: name }))
    if (Table?.TableStatus === 'ACTIVE') return
    await systemClock.sleep(20)
  }
}
