import { arnOf, type Consumer, pascal } from './consumer.ts'
import { ownItems } from './ownItems.ts'

const QUEUE_ACTIONS = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
  'sqs:SendMessage',
]

/** The role of one consumer: its own queue and dead letters, its own tables, and nothing else. */
export function roleOf(consumer: Consumer): Record<string, unknown> {
  const { name, tables = {}, sends = [], publishes, payloads, traced } = consumer
  const id = pascal(name)
  const targets = [`${id}DeadLetters`, ...sends]
  const statements = [
    allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [arnOf(`${id}LogGroup`)]),
    allow(QUEUE_ACTIONS, [arnOf(`${id}Queue`)]),
    allow(['sqs:SendMessage'], targets.map(arnOf)),
    ...ownItems(prefixesOf(consumer)),
    ...Object.entries(tables).map(([table, actions]) => allow(actions, [arnOf(table)])),
    ...(payloads === undefined ? [] : payloadsOf(payloads)),
    // X-Ray knows no resources.
    ...(traced ? [allow(['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], ['*'])] : []),
    ...(publishes === undefined ? [] : [allow(['sns:Publish'], [{ Ref: publishes }])]),
  ]
  return { [`${id}Role`]: role(statements) }
}

function prefixesOf({ name, reportsAs = {}, delays, circuitBreaker }: Consumer): string[] {
  const { flow, consumer = name } = reportsAs
  const own = flow === undefined ? [`lock#${consumer}/*`] : [`flow#${flow}/*`, `await#${flow}/*`]
  return [...own, ...(delays ? ['later#*'] : []), ...(circuitBreaker ? ['circuits'] : [])]
}

/** With ListBucket S3 says of a missing object that it is missing; without it, that it is forbidden. */
function payloadsOf(bucket: string): object[] {
  const objects = { 'Fn::Sub': `\${${bucket}.Arn}/lineclear/*` }
  return [
    allow(['s3:GetObject', 's3:PutObject'], [objects]),
    allow(['s3:ListBucket'], [arnOf(bucket)]),
  ]
}

function allow(Action: readonly string[], Resource: readonly unknown[]): object {
  return { Effect: 'Allow', Action, Resource }
}

function role(Statement: readonly object[]): object {
  const trust = {
    Effect: 'Allow',
    Principal: { Service: 'lambda.amazonaws.com' },
    Action: 'sts:AssumeRole',
  }
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [trust] },
      Policies: [{ PolicyName: 'own', PolicyDocument: { Version: '2012-10-17', Statement } }],
    },
  }
}
