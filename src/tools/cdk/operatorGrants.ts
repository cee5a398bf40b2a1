import { ArnFormat, Stack } from 'aws-cdk-lib'
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { grantActions } from './permissions.ts'
import { grantMappings } from './subscriptions.ts'

export const OPERATOR_TABLE_ACTIONS: readonly string[] = [
  'dynamodb:Query',
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:UpdateItem',
  'dynamodb:PutItem',
  // For --scan, reconcile and the doctor.
  'dynamodb:Scan',
  'dynamodb:DescribeTable',
  'dynamodb:DescribeTimeToLive',
  'dynamodb:DescribeContinuousBackups',
]

const QUEUE_ACTIONS = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:SendMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueUrl',
  'sqs:GetQueueAttributes',
  'sqs:ListDeadLetterSourceQueues',
]
const FUNCTION_ACTIONS = ['lambda:GetFunctionConfiguration', 'lambda:GetFunctionRecursionConfig']
const TOPIC_ACTIONS = ['sns:ListSubscriptionsByTopic', 'sns:GetSubscriptionAttributes']
/** They list, and have no resource. */
const LISTING = ['sqs:ListQueues', 'lambda:ListEventSourceMappings']

/** What an operator needs besides single consumers: to find queues and mappings, and to pause the mappings of the table. */
export function grantFinding(grantee: IGrantable, scope: Construct, tableName: string): Grant {
  const functions = Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
  const mappings = ['lambda:UpdateEventSourceMapping', 'lambda:GetEventSourceMapping']
  return Grant.addToPrincipal({ grantee, actions: LISTING, resourceArns: ['*'] })
    .combine(grantActions(grantee, ['lambda:ListTags'], functions))
    .combine(grantMappings(grantee, scope, tableName, mappings))
}

interface OperatedConsumer {
  readonly queues: readonly IQueue[]
  readonly function: IFunction
  readonly topics: readonly ITopic[]
}

/** The queues of a consumer, and what the doctor reads of its function and its topics. */
export function grantConsumerOperator(
  grantee: IGrantable,
  { queues, topics, ...consumer }: OperatedConsumer,
): void {
  for (const { queueArn, encryptionMasterKey } of queues) {
    grantActions(grantee, QUEUE_ACTIONS, queueArn, encryptionMasterKey)
  }
  for (const arn of consumer.function.resourceArnsForGrantInvoke) {
    grantActions(grantee, FUNCTION_ACTIONS, arn)
  }
  for (const { topicArn } of topics) grantActions(grantee, TOPIC_ACTIONS, topicArn)
}
