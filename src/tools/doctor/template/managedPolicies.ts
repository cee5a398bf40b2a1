import type { PolicyStatement } from '../deployment.ts'

/** Policies of AWS that grant nothing that a rule examines. */
const WITHOUT_QUEUES = new Set([
  'AWSLambdaBasicExecutionRole',
  'AWSLambdaVPCAccessExecutionRole',
  'AWSLambdaENIManagementAccess',
  'AWSXRayDaemonWriteAccess',
  'AWSXrayWriteOnlyAccess',
  'CloudWatchLambdaInsightsExecutionRolePolicy',
  'CloudWatchLambdaApplicationSignalsExecutionRolePolicy',
  'CloudWatchLogsFullAccess',
  'AmazonS3FullAccess',
  'AmazonS3ReadOnlyAccess',
  'AmazonSSMReadOnlyAccess',
  'AmazonEventBridgeFullAccess',
])

/** https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html */
const GRANTS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'AWSLambdaSQSQueueExecutionRole',
    ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  ],
  ['AmazonSQSFullAccess', ['sqs:*']],
  [
    'AmazonSQSReadOnlyAccess',
    [
      'sqs:GetQueueAttributes',
      'sqs:GetQueueUrl',
      'sqs:ListDeadLetterSourceQueues',
      'sqs:ListQueues',
    ],
  ],
  ['AmazonSNSFullAccess', ['sns:*']],
  ['AmazonDynamoDBFullAccess', ['dynamodb:*']],
  ['AmazonDynamoDBFullAccess_v2', ['dynamodb:*']],
  [
    'AmazonDynamoDBReadOnlyAccess',
    ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:Scan'],
  ],
  ['AdministratorAccess', ['*']],
  ['PowerUserAccess', ['*']],
])

/**
 * The statements of a policy of AWS, by its name or ARN; undefined: it is another one.
 * A role cannot narrow what an execution role's policy of AWS allows on `*`, so such a statement says who wrote it.
 */
export function managedPolicy(nameOrArn: string): readonly PolicyStatement[] | undefined {
  const isOfAws = /^arn:.+:iam::aws:policy\//.test(nameOrArn) || !nameOrArn.includes(':')
  const name = nameOrArn.split('/').at(-1) ?? ''
  if (!isOfAws) return undefined
  if (WITHOUT_QUEUES.has(name)) return []
  const actions = GRANTS.get(name)
  if (actions === undefined) return undefined
  return [
    {
      effect: 'Allow',
      actions,
      resources: ['*'],
      principals: [],
      sourceArns: [],
      isConditional: false,
      ...(name.endsWith('ExecutionRole') ? { author: 'aws' } : {}),
    },
  ]
}
