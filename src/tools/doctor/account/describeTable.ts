import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type KeySchemaElement,
  type TableDescription,
} from '@aws-sdk/client-dynamodb'
import type { DeployedTable, TableIndex } from '../deployment.ts'
import { projectionOf } from '../template/readTable.ts'
import { regionOf, type AccountClients } from './clients.ts'

/** undefined when there is no table of that name. */
export async function describeTable(
  dynamodb: AccountClients['dynamodb'],
  TableName: string,
): Promise<DeployedTable | undefined> {
  const description = await describe(dynamodb, TableName)
  if (description === undefined) return undefined
  const [{ TimeToLiveDescription: ttl }, recovery] = await Promise.all([
    dynamodb.send(new DescribeTimeToLiveCommand({ TableName })),
    describeRecovery(dynamodb, TableName),
  ])
  const on = ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING'
  return {
    ...tableOf(description),
    recovery,
    ...(on && ttl.AttributeName !== undefined ? { timeToLive: ttl.AttributeName } : {}),
  }
}

/** Roles that may read tables often may not read backups, and local engines have none. */
async function describeRecovery(
  dynamodb: AccountClients['dynamodb'],
  TableName: string,
): Promise<DeployedTable['recovery']> {
  try {
    const answer = await dynamodb.send(new DescribeContinuousBackupsCommand({ TableName }))
    const found = answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription
    return found?.PointInTimeRecoveryStatus === 'ENABLED' ? 'on' : 'off'
  } catch (error) {
    if (error instanceof Error && UNREADABLE.includes(error.name)) return 'unknown'
    throw error
  }
}

const UNREADABLE = ['AccessDeniedException', 'UnknownOperationException']

async function describe(
  dynamodb: AccountClients['dynamodb'],
  TableName: string,
): Promise<TableDescription | undefined> {
  try {
    return (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined
    throw error
  }
}

function tableOf(table: TableDescription): Omit<DeployedTable, 'recovery'> {
  return {
    id: table.TableArn ?? table.TableName ?? '',
    ...(table.TableArn !== undefined && { region: regionOf(table.TableArn) }),
    keys: keysOf(table.KeySchema),
    billing:
      table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' ? 'on demand' : 'provisioned',
    deletion: table.DeletionProtectionEnabled === true ? 'protected' : 'open',
    regions: regionsOf(table),
    consistency: table.MultiRegionConsistency === 'STRONG' ? 'strong' : 'eventual',
    indexes: (table.GlobalSecondaryIndexes ?? []).map(
      ({ IndexName = '', KeySchema, Projection }): TableIndex => ({
        name: IndexName,
        keys: keysOf(KeySchema),
        projection: projectionOf(Projection?.ProjectionType),
        attributes: Projection?.NonKeyAttributes ?? [],
      }),
    ),
  }
}

/** DynamoDB lists the other Regions only (DescribeTable, Replicas). */
function regionsOf({ Replicas = [], TableArn = '' }: TableDescription): string[] {
  const others = Replicas.map(({ RegionName = '' }) => RegionName)
  return others.length === 0 ? [] : [...new Set([regionOf(TableArn), ...others])]
}

/** The partition key first, whatever the order in the schema. */
function keysOf(schema: readonly KeySchemaElement[] = []): string[] {
  return schema
    .toSorted((a, b) => (a.KeyType ?? '').localeCompare(b.KeyType ?? ''))
    .map(({ AttributeName = '' }) => AttributeName)
}
