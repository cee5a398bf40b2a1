import type { DeployedTable, TableIndex } from '../deployment.ts'
import {
  resourcesOf,
  type Template,
  asList,
  asValues,
  isOn,
  textOf,
  type Values,
} from './resolve.ts'

/** The framework's table, by its name or, when the name is only made at the deployment, by its index. */
export function readTable(template: Template, tableName: string): DeployedTable | undefined {
  const tables = [
    ...resourcesOf(template, 'AWS::DynamoDB::Table'),
    ...resourcesOf(template, 'AWS::DynamoDB::GlobalTable'),
  ]
  const found =
    tables.find(([, { TableName }]) => textOf(TableName) === tableName) ??
    tables.find(([, table]) => indexesOf(table).some(({ name }) => name === 'byStatus'))
  return found && tableOf(...found)
}

function tableOf(id: string, table: Values): DeployedTable {
  const ttl = asValues(table['TimeToLiveSpecification'])
  const replicas = asList(table['Replicas']).map(asValues)
  const ofOneCopy = replicas[0] ?? table
  const recovery = asValues(ofOneCopy['PointInTimeRecoverySpecification'])[
    'PointInTimeRecoveryEnabled'
  ]
  return {
    id,
    keys: keysOf(table),
    billing: table['BillingMode'] === 'PAY_PER_REQUEST' ? 'on demand' : 'provisioned',
    recovery: isOn(recovery) ? 'on' : 'off',
    deletion: isOn(ofOneCopy['DeletionProtectionEnabled']) ? 'protected' : 'open',
    regions: replicas.length > 1 ? replicas.map(({ Region }) => textOf(Region)) : [],
    consistency: table['MultiRegionConsistency'] === 'STRONG' ? 'strong' : 'eventual',
    indexes: indexesOf(table),
    ...(isOn(ttl['Enabled']) ? { timeToLive: textOf(ttl['AttributeName']) } : {}),
  }
}

function indexesOf(table: Values): TableIndex[] {
  return asList(table['GlobalSecondaryIndexes']).map((value) => {
    const index = asValues(value)
    const { ProjectionType, NonKeyAttributes } = asValues(index['Projection'])
    return {
      name: textOf(index['IndexName']),
      keys: keysOf(index),
      projection: projectionOf(ProjectionType),
      attributes: asList(NonKeyAttributes).map(String),
    }
  })
}

export function projectionOf(type: unknown): TableIndex['projection'] {
  return type === 'KEYS_ONLY' || type === 'INCLUDE' ? type : 'ALL'
}

function keysOf({ KeySchema }: Values): string[] {
  return asList(KeySchema)
    .map(asValues)
    .toSorted((a, b) => String(a['KeyType']).localeCompare(String(b['KeyType'])))
    .map(({ AttributeName }) => textOf(AttributeName))
}
