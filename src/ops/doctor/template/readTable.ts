import type { Table, TableIndex } from '../deployment.ts'
import {
  isOn,
  listOf,
  resourcesOf,
  type Template,
  textOf,
  type Values,
  valuesOf,
} from './resolve.ts'

/** The framework's table, by its name or, when the name is only made at the deployment, by its index. */
export function readTable(template: Template, tableName: string): Table | undefined {
  const tables = [
    ...resourcesOf(template, 'AWS::DynamoDB::Table'),
    ...resourcesOf(template, 'AWS::DynamoDB::GlobalTable'),
  ]
  const found =
    tables.find(([, { TableName }]) => textOf(template, TableName) === tableName) ??
    tables.find(([, table]) => indexesOf(template, table).some(({ name }) => name === 'byStatus'))
  return found && tableOf(template, ...found)
}

function tableOf(template: Template, id: string, table: Values): Table {
  const ttl = valuesOf(table['TimeToLiveSpecification'])
  const replicas = listOf(table['Replicas']).map(valuesOf)
  const ofOneCopy = replicas[0] ?? table
  const recovery = valuesOf(ofOneCopy['PointInTimeRecoverySpecification'])[
    'PointInTimeRecoveryEnabled'
  ]
  return {
    id,
    keys: keysOf(template, table),
    billing: table['BillingMode'] === 'PAY_PER_REQUEST' ? 'on demand' : 'provisioned',
    recovery: isOn(template, recovery) ? 'on' : 'off',
    deletion: isOn(template, ofOneCopy['DeletionProtectionEnabled']) ? 'protected' : 'open',
    regions: replicas.length > 1 ? replicas.map(({ Region }) => textOf(template, Region)) : [],
    consistency: table['MultiRegionConsistency'] === 'STRONG' ? 'strong' : 'eventual',
    indexes: indexesOf(template, table),
    ...(isOn(template, ttl['Enabled'])
      ? { timeToLive: textOf(template, ttl['AttributeName']) }
      : {}),
  }
}

function indexesOf(template: Template, table: Values): TableIndex[] {
  return listOf(table['GlobalSecondaryIndexes']).map((value) => {
    const index = valuesOf(value)
    const { ProjectionType, NonKeyAttributes } = valuesOf(index['Projection'])
    return {
      name: textOf(template, index['IndexName']),
      keys: keysOf(template, index),
      projection: projectionOf(ProjectionType),
      attributes: listOf(NonKeyAttributes).map(String),
    }
  })
}

export function projectionOf(type: unknown): TableIndex['projection'] {
  return type === 'KEYS_ONLY' || type === 'INCLUDE' ? type : 'ALL'
}

function keysOf(template: Template, { KeySchema }: Values): string[] {
  return listOf(KeySchema)
    .map(valuesOf)
    .toSorted((a, b) => String(a['KeyType']).localeCompare(String(b['KeyType'])))
    .map(({ AttributeName }) => textOf(template, AttributeName))
}
