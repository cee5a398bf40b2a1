import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { onlyKeys } from './ownKeys.ts'

/** What claims, effects and ends need of Lineclear's table. */
export const CONSUMER_TABLE_ACTIONS: readonly string[] = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
]

export const SWEEPER_TABLE_ACTIONS: readonly string[] = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:UpdateItem',
  'dynamodb:PutItem',
  'dynamodb:PartiQLUpdate',
  'dynamodb:Scan',
]

/** `idempotent`, lock tokens, and answers that a webhook hands in. */
export const CALL_TABLE_ACTIONS: readonly string[] = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
]

export const QUEUE_ACTIONS: readonly string[] = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
  'sqs:SendMessage',
]

/** The actions of guarded writes on a user's own table. */
export const WRITE_ACTIONS: readonly string[] = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:ConditionCheckItem',
]

/**
 * @param key of a customer, with which the resource is encrypted
 * @param keys of a table: the partition keys of the items that may be touched. Default: all
 */
export function grantActions(
  grantee: IGrantable,
  actions: readonly string[],
  resourceArn: string,
  key?: IKey,
  keys?: readonly string[],
): Grant {
  const grant = Grant.addToPrincipal({
    grantee,
    actions: [...actions],
    resourceArns: [resourceArn],
    ...onlyKeys(keys),
  })
  const ofKey = key?.grantEncryptDecrypt(grantee)
  return ofKey === undefined ? grant : grant.combine(ofKey)
}

export function grantSend(grantee: IGrantable, target: IQueue | ITopic): Grant {
  if ('topicArn' in target) {
    return grantActions(grantee, ['sns:Publish'], target.topicArn, target.masterKey)
  }
  return grantActions(grantee, ['sqs:SendMessage'], target.queueArn, target.encryptionMasterKey)
}
