import type { DeployedQueue, DeployedTable } from '../deployment.ts'
import { type Fix, nameFor } from '../fix.ts'
import { asValues, own, type Values } from '../template/values.ts'

/** What the writer knows of the template that it writes for. */
interface Target {
  /** The resources of the file, by their names in it. */
  readonly resources: Values
  /** The name of a resource in the file, or undefined: it is in another one. */
  readonly local: (id: string) => string | undefined
}

/** What is to be merged into `Resources`: objects are merged, lists are joined, and other values are replaced. */
export function cloudFormation(fix: Fix, target: Target): Values {
  if ('change' in fix) return changed(fix, target)
  const { id } = fix
  if (fix.add === 'queue') return { [id]: resource('AWS::SQS::Queue', newQueue(fix, target)) }
  if (fix.add === 'alarm') return alarm(fix, target)
  if (fix.add === 'table') return { [id]: resource('AWS::DynamoDB::Table', newTable(fix.to)) }
  if (fix.add === 'statement') return statement(fix, target)
  return queuePolicy(fix, target)
}

function changed(fix: Extract<Fix, { change: string }>, target: Target): Values {
  const { local, resources } = target
  const name = local(fix.id) ?? fix.id
  const properties = propertiesOf(fix, target)
  if (Object.keys(properties).length === 0) return {}
  if (own(resources, name) !== undefined) return { [name]: { Properties: properties } }
  const made = ofFunction(resources, name)
  return made === undefined ? {} : { [made.name]: { Properties: made.wrap(properties) } }
}

function propertiesOf(fix: Extract<Fix, { change: string }>, target: Target): Values {
  if (fix.change === 'queue') return queue(fix.to, target)
  if (fix.change === 'table') return table(fix.to)
  if (fix.change === 'function') {
    const { runtime: Runtime, recursiveLoop: RecursiveLoop } = fix.to
    return defined({ Runtime, RecursiveLoop })
  }
  if (fix.change === 'subscription') {
    const { deadLetter, delivery } = fix.to
    return defined({
      RedrivePolicy:
        deadLetter === undefined ? undefined : { deadLetterTargetArn: arn(deadLetter, target) },
      RawMessageDelivery: delivery === undefined ? undefined : delivery === 'raw',
    })
  }
  const { batchSize, window, itemFailures, maximumConcurrency } = fix.to
  return defined({
    BatchSize: batchSize,
    MaximumBatchingWindowInSeconds: window,
    FunctionResponseTypes: itemFailures === undefined ? undefined : ['ReportBatchItemFailures'],
    ScalingConfig:
      maximumConcurrency === undefined ? undefined : { MaximumConcurrency: maximumConcurrency },
  })
}

/** Resources that SAM makes of a function belong to its events and policies. */
function ofFunction(
  resources: Values,
  made: string,
): { readonly name: string; readonly wrap: (properties: Values) => Values } | undefined {
  for (const [name, each] of Object.entries(resources)) {
    if (asValues(each)['Type'] !== 'AWS::Serverless::Function' || !made.startsWith(name)) continue
    const rest = made.slice(name.length)
    if (rest === 'Role')
      return { name, wrap: ({ Policies }) => ({ Policies: samPolicies(Policies) }) }
    const events = asValues(asValues(asValues(each)['Properties'])['Events'])
    if (Object.hasOwn(events, rest)) {
      return { name, wrap: (properties) => ({ Events: { [rest]: { Properties: properties } } }) }
    }
  }
  return undefined
}

/** A policy of a role, as an entry of a function's `Policies`. */
function samPolicies(policies: unknown): unknown[] {
  return (Array.isArray(policies) ? policies : []).map((each) => asValues(each)['PolicyDocument'])
}

function queue(to: Partial<DeployedQueue>, target: Target): Values {
  const { visibilityTimeout, retention, deadLetter, redriveAllow, encryption, kind } = to
  return defined({
    FifoQueue: kind === undefined ? undefined : kind === 'fifo',
    VisibilityTimeout: visibilityTimeout,
    MessageRetentionPeriod: retention,
    RedrivePolicy:
      deadLetter === undefined
        ? undefined
        : {
            deadLetterTargetArn: arn(deadLetter.queue, target),
            maxReceiveCount: deadLetter.maxReceiveCount,
          },
    RedriveAllowPolicy:
      redriveAllow === undefined ? undefined : allow(redriveAllow.sources, target),
    SqsManagedSseEnabled: encryption === 'sqs' ? true : undefined,
  })
}

/** By name: the queues refer to each other, and references both ways would be a circle. undefined: a source has no name yet. */
function allow(sources: readonly string[], { local, resources }: Target): Values | undefined {
  const arns = sources.map((id) => {
    const { QueueName } = asValues(asValues(own(resources, local(id) ?? ''))['Properties'])
    if (id.startsWith('arn:')) return id
    const prefix = 'arn:${AWS::Partition}:sqs:${AWS::Region}:${AWS::AccountId}:'
    if (typeof QueueName === 'string') return { 'Fn::Sub': `${prefix}${QueueName}` }
    const { 'Fn::Sub': text } = asValues(QueueName)
    return typeof text === 'string' ? { 'Fn::Sub': `${prefix}${text}` } : undefined
  })
  if (arns.includes(undefined)) return undefined
  return { redrivePermission: 'byQueue', sourceQueueArns: arns }
}

function newQueue(fix: Extract<Fix, { add: 'queue' }>, target: Target): Values {
  const { kind, source } = fix
  return defined({
    FifoQueue: kind === 'fifo' ? true : undefined,
    MessageRetentionPeriod: 1_209_600,
    SqsManagedSseEnabled: true,
    RedriveAllowPolicy: source === undefined ? undefined : allow([source], target),
  })
}

function table(to: Partial<DeployedTable>): Values {
  const { timeToLive, recovery, deletion, billing, indexes = [], keys } = to
  return defined({
    BillingMode: billing === 'on demand' ? 'PAY_PER_REQUEST' : undefined,
    KeySchema: keys === undefined ? undefined : keySchema(keys),
    GlobalSecondaryIndexes:
      indexes.length === 0
        ? undefined
        : indexes.map((index) => ({
            IndexName: index.name,
            KeySchema: keySchema(index.keys),
            Projection: { ProjectionType: index.projection, NonKeyAttributes: index.attributes },
          })),
    AttributeDefinitions:
      indexes.length === 0
        ? undefined
        : [...(keys ?? []), ...indexes.flatMap((index) => index.keys)].map((AttributeName) => ({
            AttributeName,
            AttributeType: AttributeName === 'dueAt' ? 'N' : 'S',
          })),
    TimeToLiveSpecification:
      timeToLive === undefined ? undefined : { AttributeName: timeToLive, Enabled: true },
    PointInTimeRecoverySpecification:
      recovery === 'on' ? { PointInTimeRecoveryEnabled: true } : undefined,
    DeletionProtectionEnabled: deletion === 'protected' ? true : undefined,
  })
}

function newTable(to: Omit<DeployedTable, 'id'>): Values {
  return { TableName: 'lineclear', ...table(to) }
}

function keySchema(keys: readonly string[]): Values[] {
  return keys.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' }))
}

function alarm(fix: Extract<Fix, { add: 'alarm' }>, target: Target): Values {
  const { of, id, metric, threshold } = fix
  const isQueue = of === 'queue'
  const local = target.local(id)
  const Value = isQueue
    ? local === undefined
      ? id
      : { 'Fn::GetAtt': [local, 'QueueName'] }
    : { Ref: local ?? id }
  const properties = {
    Namespace: isQueue ? 'AWS/SQS' : 'AWS/Lambda',
    MetricName: metric,
    Dimensions: [{ Name: isQueue ? 'QueueName' : 'FunctionName', Value }],
    Statistic: isQueue ? 'Maximum' : 'Sum',
    Period: 60,
    EvaluationPeriods: 1,
    ComparisonOperator: 'GreaterThanThreshold',
    Threshold: threshold,
    TreatMissingData: 'notBreaching',
    AlarmActions: ['ARN of the topic that reaches the engineer on call'],
  }
  return { [nameFor(id, `${metric}Alarm`)]: resource('AWS::CloudWatch::Alarm', properties) }
}

function statement(fix: Extract<Fix, { add: 'statement' }>, target: Target): Values {
  const Statement = fix.allowed.map(({ actions, resource: id }) => ({
    Effect: 'Allow',
    Action: actions,
    Resource: arn(id, target),
  }))
  const name = target.local(fix.id) ?? fix.id
  const Policies = [
    {
      PolicyName: 'lineclear-consumer',
      PolicyDocument: { Version: '2012-10-17', Statement },
    },
  ]
  if (own(target.resources, name) !== undefined) return { [name]: { Properties: { Policies } } }
  const made = ofFunction(target.resources, name)
  return made === undefined ? {} : { [made.name]: { Properties: made.wrap({ Policies }) } }
}

function queuePolicy(fix: Extract<Fix, { add: 'queue policy' }>, target: Target): Values {
  const { id, service, source } = fix
  const name = target.local(id) ?? id
  const topic = target.local(source)
  const properties = {
    Queues: [{ Ref: name }],
    PolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: service },
          Action: 'sqs:SendMessage',
          Resource: { 'Fn::GetAtt': [name, 'Arn'] },
          Condition: {
            ArnEquals: { 'aws:SourceArn': topic === undefined ? source : { Ref: topic } },
          },
        },
      ],
    },
  }
  return { [nameFor(id, 'Policy')]: resource('AWS::SQS::QueuePolicy', properties) }
}

function arn(id: string, { local }: Target): unknown {
  const name = local(id)
  if (name === undefined) return id.startsWith('arn:') ? id : `ARN of ${id}`
  return { 'Fn::GetAtt': [name, 'Arn'] }
}

function resource(Type: string, Properties: Values): Values {
  return { Type, Properties }
}

function defined(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
