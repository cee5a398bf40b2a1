import type { DeployedTable, TableIndex } from '../deployment.ts'
import {
  isOn,
  asList,
  resourcesOf,
  type Template,
  resolveText,
  type Values,
  asValues,
} from './resolve.ts'

/** The framework's table, by its name or, when the name is only made at the deployment, by its index. */
export function readTable(template: Template, tableName: string): DeployedTable | undefined {
  const tables = [
    ...resourcesOf(template, 'AWS::DynamoDB::Table'),
    ...resourcesOf(template, 'AWS::DynamoDB::GlobalTable'),
  ]
  const found =
    tables.find(([, { TableName }]) => resolveText(template, TableName) === tableName) ??
    tables.find(([, table]) => indexesOf(template, table).some(({ name }) => name === 'byStatus'))
  return found && tableOf(template, ...found)
}

function tableOf(template: Template, id: string, table: Values): DeployedTable {
  const ttl = asValues(table['TimeToLiveSpecification'])
  const replicas = asList(table['Replicas']).map(asValues)
  const ofOneCopy = replicas[0] ?? table
  const recovery = asValues(ofOneCopy['PointInTimeRecoverySpecification'])[
    'PointInTimeRecoveryEnabled'
  ]
  return {
    id,
    keys: keysOf(template, table),
    billing: table['BillingMode'] === 'PAY_PER_REQUEST' ? 'on demand' : 'provisioned',
    recovery: isOn(template, recovery) ? 'on' : 'off',
    deletion: isOn(template, ofOneCopy['DeletionProtectionEnabled']) ? 'protected' : 'open',
    regions: replicas.length > 1 ? replicas.map(({ Region }) => resolveText(template, Region)) : [],
    consistency: table['MultiRegionConsistency'] === 'STRONG' ? 'strong' : 'eventual',
    indexes: indexesOf(template, table),
    ...(isOn(template, ttl['Enabled'])
      ? { timeToLive: resolveText(template, ttl['AttributeName']) }
      : {}),
  }
}

function indexesOf(template: Template, table: Values): TableIndex[] {
  return asList(table['GlobalSecondaryIndexes']).map((value) => {
    const index = asValues(value)
    const { ProjectionType, NonKeyAttributes } = asValues(index['Projection'])
    return {
      name: resolveText(template, index['IndexName']),
      keys: keysOf(template, index),
      projection: projectionOf(ProjectionType),
      attributes: asList(NonKeyAttributes).map(String),
    }
  })
}

export function projectionOf(type: unknown): TableIndex['projection'] {
  return type === 'KEYS_ONLY' || type === 'INCLUDE' ? type : 'ALL'
}

function keysOf(template: Template, { KeySchema }: Values): string[] {
  return asList(KeySchema)
    .map(asValues)
    .toSorted((a, b) => String(a['KeyType']).localeCompare(String(b['KeyType'])))
    .map(({ AttributeName }) => resolveText(template, AttributeName))
}
