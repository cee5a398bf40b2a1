import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Runtime } from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs'
import { Queue, RedrivePermission } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'

const TIMEOUT = Duration.seconds(30)

/** The table, once for all consumers: `tableDefinition()` and `timeToLive()` in the words of CDK. */
export function lineclearTable(scope: Construct): TableV2 {
  return new TableV2(scope, 'LineclearTable', {
    tableName: 'lineclear',
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    timeToLiveAttribute: 'ttl',
    billing: Billing.onDemand(),
    deletionProtection: true,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy: RemovalPolicy.RETAIN,
    globalSecondaryIndexes: [
      {
        indexName: 'byStatus',
        partitionKey: { name: 'statusShard', type: AttributeType.STRING },
        sortKey: { name: 'dueAt', type: AttributeType.NUMBER },
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: ['status', 'lockedBy', 'created', 'expectedCompletion', 'attempt'],
      },
    ],
  })
}

/** A queue with its dead-letter queue, and the function that consumes it. */
export function consumer(scope: Construct, table: TableV2, name: string, entry: string): Queue {
  const sourceArn = `arn:aws:sqs:${table.stack.region}:${table.stack.account}:${name}`
  const deadLetters = new Queue(scope, `${name}DeadLetters`, {
    retentionPeriod: Duration.days(14),
    redriveAllowPolicy: {
      redrivePermission: RedrivePermission.BY_QUEUE,
      sourceQueues: [Queue.fromQueueArn(scope, `${name}Source`, sourceArn)],
    },
  })
  const queue = new Queue(scope, `${name}Queue`, {
    queueName: name,
    visibilityTimeout: Duration.seconds(6 * TIMEOUT.toSeconds()),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: 10 },
  })
  deadLetters
    .metricApproximateNumberOfMessagesVisible()
    .createAlarm(scope, `${name}DeadLettersAlarm`, { threshold: 1, evaluationPeriods: 1 })
  const handler = new NodejsFunction(scope, `${name}Function`, {
    entry,
    runtime: Runtime.NODEJS_24_X,
    timeout: TIMEOUT,
    bundling: { format: OutputFormat.ESM },
  })
  handler.addEventSource(
    new SqsEventSource(queue, { reportBatchItemFailures: true, maxConcurrency: 10 }),
  )
  queue.grantSendMessages(handler)
  queue.grant(handler, 'sqs:ChangeMessageVisibility')
  deadLetters.grantSendMessages(handler)
  table.grant(
    handler,
    'dynamodb:GetItem',
    'dynamodb:BatchGetItem',
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'dynamodb:ConditionCheckItem',
    'dynamodb:PartiQLInsert',
    'dynamodb:PartiQLUpdate',
  )
  return queue
}
