import type {
  DeployedTable,
  TableIndex,
  DeployedQueue,
  RedriveAllow,
  Subscription,
  Alarm,
  OwnName,
} from '../deployment.ts'
import {
  resourcesOf,
  type Template,
  asList,
  asValues,
  isOn,
  textOfValue,
  type Values,
  logicalId,
  jsonOf,
  numberOf,
  own,
} from './resolve.ts'
import { readQueuePolicies } from './readPolicies.ts'
import { functionId } from './readFunctions.ts'

/**
 * The framework's tables: by their name, by what `LINECLEAR_TABLE` or a tag names, or by their index. Where none is so, the name of
 * the index or the end of the name has to do.
 * @param named ids of what `LINECLEAR_TABLE` and tags name
 */
export function readTables(
  template: Template,
  tableName: string,
  named: ReadonlySet<string | undefined>,
): DeployedTable[] {
  const tables = [
    ...resourcesOf(template, 'AWS::DynamoDB::Table'),
    ...resourcesOf(template, 'AWS::DynamoDB::GlobalTable'),
  ]
  const isSure = ([id, table]: readonly [string, Values]): boolean =>
    named.has(id) ||
    textOfValue(table['TableName']) === tableName ||
    indexesOf(table).some(({ name, keys }) => name === INDEX && keys[0] === 'statusShard')
  const sure = tables.filter(isSure)
  const likely =
    tables.find(([, table]) => indexesOf(table).some(({ name }) => name === INDEX)) ??
    tables.find(([, { TableName }]) => textOfValue(TableName).endsWith('-lineclear'))
  const found = sure.length > 0 || likely === undefined ? sure : [likely]
  return found.map(([id, table]) => tableOf(id, table))
}

const INDEX = 'byStatus'

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
    regions: replicas.length > 1 ? replicas.map(({ Region }) => textOfValue(Region)) : [],
    consistency: table['MultiRegionConsistency'] === 'STRONG' ? 'strong' : 'eventual',
    indexes: indexesOf(table),
    ...(isOn(ttl['Enabled']) ? { timeToLive: textOfValue(ttl['AttributeName']) } : {}),
  }
}

function indexesOf(table: Values): TableIndex[] {
  return asList(table['GlobalSecondaryIndexes']).map((value) => {
    const index = asValues(value)
    const { ProjectionType, NonKeyAttributes } = asValues(index['Projection'])
    const isPart = ProjectionType === 'KEYS_ONLY' || ProjectionType === 'INCLUDE'
    return {
      name: textOfValue(index['IndexName']),
      keys: keysOf(index),
      attributes: isPart ? asList(NonKeyAttributes).map(String) : undefined,
    }
  })
}

function keysOf({ KeySchema }: Values): string[] {
  return asList(KeySchema)
    .map(asValues)
    .toSorted((a, b) => String(a['KeyType']).localeCompare(String(b['KeyType'])))
    .map(({ AttributeName }) => textOfValue(AttributeName))
}

function largestOf(size: unknown): DeployedQueue['largestMessage'] {
  return size === undefined || size === null ? 'default' : numberOf(size, 0)
}

export function readQueues(template: Template): DeployedQueue[] {
  const policies = readQueuePolicies(template)
  return resourcesOf(template, 'AWS::SQS::Queue').map(([id, queue]) => ({
    id,
    kind: isOn(queue['FifoQueue']) ? 'fifo' : 'standard',
    visibilityTimeout: numberOf(queue['VisibilityTimeout'], 30),
    largestMessage: largestOf(queue['MaximumMessageSize']),
    retention: numberOf(queue['MessageRetentionPeriod'], 345_600),
    encryption: encryptionOf(queue),
    ...(policies.get(id) ?? { policy: [], policies: [] }),
    ...redriveOf(template, queue),
    ...allowOf(template, queue),
  }))
}

function encryptionOf(queue: Values): DeployedQueue['encryption'] {
  const { KmsMasterKeyId, SqsManagedSseEnabled } = queue
  // AWS turns it on for new queues by default.
  if (KmsMasterKeyId === undefined)
    return textOfValue(SqsManagedSseEnabled) === 'false' ? 'none' : 'sqs'
  return /(^|:)alias\/aws\/sqs$/.test(textOfValue(KmsMasterKeyId)) ? 'aws managed kms' : 'kms'
}

function redriveOf(template: Template, queue: Values): Pick<DeployedQueue, 'deadLetter'> {
  const { deadLetterTargetArn, maxReceiveCount } = asValues(jsonOf(queue['RedrivePolicy']))
  if (deadLetterTargetArn === undefined) return {}
  return {
    deadLetter: {
      queue: logicalId(template, deadLetterTargetArn),
      maxReceiveCount: numberOf(maxReceiveCount, 10),
    },
  }
}

function allowOf(template: Template, queue: Values): { readonly redriveAllow?: RedriveAllow } {
  if (queue['RedriveAllowPolicy'] === undefined) return {}
  const { redrivePermission, sourceQueueArns } = asValues(jsonOf(queue['RedriveAllowPolicy']))
  return {
    redriveAllow: {
      permission: permissionOf(redrivePermission),
      sources: asList(sourceQueueArns).map((arn) => logicalId(template, arn)),
    },
  }
}

function permissionOf(text: unknown): RedriveAllow['permission'] {
  return text === 'denyAll' || text === 'byQueue' ? text : 'allowAll'
}

/** Subscriptions of queues. They are resources of their own, or listed by their topic. */
export function readSubscriptions(template: Template): Subscription[] {
  const listed = resourcesOf(template, 'AWS::SNS::Topic').flatMap(([id, { Subscription: list }]) =>
    asList(list).map((each, at): readonly [string, Values] => {
      return [`${id}.${at + 1}`, { ...asValues(each), TopicArn: id }]
    }),
  )
  return [...resourcesOf(template, 'AWS::SNS::Subscription'), ...listed]
    .filter(([, { Protocol }]) => textOfValue(Protocol) === 'sqs')
    .map(([id, subscription]) => {
      const { TopicArn, Endpoint, RawMessageDelivery, RedrivePolicy } = subscription
      const target = asValues(jsonOf(RedrivePolicy))['deadLetterTargetArn']
      return {
        id,
        topic: logicalId(template, TopicArn),
        queue: logicalId(template, Endpoint),
        delivery: deliveryOf(RawMessageDelivery),
        ...(target === undefined ? {} : { deadLetter: logicalId(template, target) }),
        ...filterOf(subscription),
      }
    })
}

function filterOf({ FilterPolicy, FilterPolicyScope }: Values): Pick<Subscription, 'filter'> {
  if (FilterPolicy === undefined) return {}
  return {
    filter: { scope: scopeOf(FilterPolicyScope), policy: jsonOf(FilterPolicy) ?? FilterPolicy },
  }
}

function deliveryOf(raw: unknown): Subscription['delivery'] {
  if (raw === undefined || raw === null || textOfValue(raw) === 'false') return 'wrapped'
  return isOn(raw) ? 'raw' : undefined
}

function scopeOf(scope: unknown): NonNullable<Subscription['filter']>['scope'] {
  if (scope === undefined || scope === null) return 'MessageAttributes'
  return scope === 'MessageBody' || scope === 'MessageAttributes' ? scope : undefined
}

/** Alarms on one metric. An alarm on several counts for each of them. */
export function readAlarms(template: Template): Alarm[] {
  return resourcesOf(template, 'AWS::CloudWatch::Alarm').flatMap(([id, alarm]) =>
    metricsOf(alarm).map((metric) => ({
      id,
      metric: textOfValue(metric['MetricName']),
      of: asList(metric['Dimensions']).map((of) => dimensionId(template, asValues(of))),
      ...watchesOf(template, metric),
      missingData: textOfValue(alarm['TreatMissingData'] ?? 'missing'),
      ...aboveOf(alarm),
      actions: asList(alarm['AlarmActions']).length,
    })),
  )
}

/** A sum and a count are of many values: they may be above what a single one can be. */
function aboveOf(alarm: Values): Pick<Alarm, 'above'> {
  const { MetricName, ComparisonOperator, Statistic, Threshold } = alarm
  if (MetricName === undefined || /^(Sum|SampleCount)$/.test(textOfValue(Statistic))) return {}
  if (!/^GreaterThan(OrEqualTo)?Threshold$/.test(textOfValue(ComparisonOperator))) return {}
  const above = Threshold === undefined ? undefined : numberOf(Threshold, 0)
  return above === undefined ? {} : { above }
}

/** The same text for the same metric of CloudWatch, where its dimensions are known. */
function watchesOf(
  template: Template,
  { Namespace, MetricName, Dimensions }: Values,
): Pick<Alarm, 'watches'> {
  const dimensions = asList(Dimensions).map(asValues)
  const isKnown = dimensions.every((of) => {
    const value = dimensionId(template, of)
    return !Object.hasOwn(template.Resources, value) && !value.includes('${')
  })
  if (!isKnown || Namespace === undefined) return {}
  const named = dimensions.map(({ Name, Value }) => `${textOfValue(Name)}=${textOfValue(Value)}`)
  return {
    watches: [textOfValue(Namespace), textOfValue(MetricName), ...named.toSorted()].join(' '),
  }
}

const NAMED: Readonly<Record<string, string>> = {
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::SQS::Queue': 'QueueName',
}

export function readNames({ Resources }: Template): OwnName[] {
  return Object.entries(Resources).flatMap(([id, { Type: type, Properties }]) => {
    const property = own(NAMED, type)
    const name = property === undefined ? undefined : Properties[textOfValue(property)]
    return typeof name === 'string' && name !== '' ? [{ id, type, name }] : []
  })
}

function dimensionId(template: Template, { Name, Value }: Values): string {
  if (Name === 'FunctionName') return functionId(template, Value)
  return Name === 'QueueName' ? logicalId(template, Value, 'sqs') : logicalId(template, Value)
}

function metricsOf(alarm: Values): Values[] {
  const several = asList(alarm['Metrics']).map((query) =>
    asValues(asValues(asValues(query)['MetricStat'])['Metric']),
  )
  const found = several.filter(({ MetricName }) => MetricName !== undefined)
  return alarm['MetricName'] === undefined && found.length > 0 ? found : [alarm]
}
