import { Stack, ArnFormat } from 'aws-cdk-lib'
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { CALL_TABLE_ACTIONS, QUEUE_ACTIONS } from '../actions.ts'
import { CONSUMER_TABLE_ACTIONS, grantActions, SWEEPER_TABLE_ACTIONS } from './permissions.ts'
import { grantMappings } from './subscriptions.ts'

/** The index of what is open. */
export const INDEX = 'byStatus'

/** Lineclear's table, of this stack or of another one. */
export interface ILineclearTable {
  readonly tableName: string
  /** The name that commands need in `--table`. undefined: the default name, `lineclear`. */
  readonly ownName: string | undefined
  readonly tableArn: string
  /** Where alarms of what uses the table go by default. */
  readonly alarmTopic?: ITopic | undefined
  /**
   * What a consumer needs of the table. {@link LineclearConsumer} calls it itself, with the partition keys of its own items. Default: all
   * items.
   */
  grantConsumer(grantee: IGrantable, keys?: readonly string[]): Grant
  /** What the sweeper needs of the table and its index. {@link LineclearSweeper} calls it itself. */
  grantSweeper(grantee: IGrantable): Grant
  /**
   * What `npx lineclear` needs of the table, to find queues without naming them, and to pause the consumers of the table. For the queues
   * of a consumer or a flow call its own `grantOperator`.
   * @example
   * table.grantOperator(onCall)
   * checkout.grantOperator(onCall)
   */
  grantOperator(grantee: IGrantable): Grant
  /**
   * What a function with `idempotent`, `lockTokens`, `onceForever` or `flow.answer` needs of the table.
   * @param keys the partition keys of its own items, such as `['key#refunds/*', 'key#refunds@*']` of the name `refunds`. Default: all items
   */
  grantCalls(grantee: IGrantable, keys?: readonly string[]): Grant
}

/** Properties of a table of another stack. */
export interface LineclearTableAttributes {
  readonly alarmTopic?: ITopic
  /** The key of a customer that it is encrypted with. */
  readonly encryptionKey?: IKey
}

export abstract class TableGrants extends Construct implements ILineclearTable {
  abstract readonly tableName: string
  abstract readonly ownName: string | undefined
  abstract readonly tableArn: string
  abstract readonly alarmTopic: ITopic | undefined
  protected abstract readonly encryptionKey: IKey | undefined

  grantConsumer(grantee: IGrantable, keys?: readonly string[]): Grant {
    return this.#grant(grantee, CONSUMER_TABLE_ACTIONS, keys)
  }

  grantSweeper(grantee: IGrantable): Grant {
    const index = `${this.tableArn}/index/${INDEX}`
    const query = grantActions(grantee, ['dynamodb:Query'], index)
    return this.#grant(grantee, SWEEPER_TABLE_ACTIONS).combine(query)
  }

  grantCalls(grantee: IGrantable, keys?: readonly string[]): Grant {
    return this.#grant(grantee, CALL_TABLE_ACTIONS, keys)
  }

  grantOperator(grantee: IGrantable): Grant {
    const index = `${this.tableArn}/index/${INDEX}`
    return this.#grant(grantee, OPERATOR_TABLE_ACTIONS)
      .combine(grantActions(grantee, ['dynamodb:Query'], index))
      .combine(grantFinding(grantee, this, this.tableName))
  }

  #grant(grantee: IGrantable, actions: readonly string[], keys?: readonly string[]): Grant {
    return grantActions(grantee, actions, this.tableArn, this.encryptionKey, keys)
  }
}

export class TableOfAnotherStack extends TableGrants {
  readonly tableName: string
  readonly ownName: string | undefined
  readonly tableArn: string
  readonly alarmTopic: ITopic | undefined
  protected readonly encryptionKey: IKey | undefined

  constructor(
    scope: Construct,
    id: string,
    tableName: string,
    { alarmTopic, encryptionKey }: LineclearTableAttributes,
  ) {
    super(scope, id)
    this.tableName = tableName
    this.ownName = ownNameOf(tableName)
    this.tableArn = Stack.of(scope).formatArn({
      service: 'dynamodb',
      resource: 'table',
      resourceName: tableName,
    })
    this.alarmTopic = alarmTopic
    this.encryptionKey = encryptionKey
  }
}

export function ownNameOf(tableName: string | undefined): string | undefined {
  return tableName === 'lineclear' ? undefined : tableName
}

const OPERATOR_TABLE_ACTIONS: readonly string[] = [
  ...CALL_TABLE_ACTIONS,
  'dynamodb:Query',
  // For --scan, reconcile and the doctor.
  'dynamodb:Scan',
  'dynamodb:DescribeTable',
  'dynamodb:DescribeTimeToLive',
  'dynamodb:DescribeContinuousBackups',
]

const OPERATOR_QUEUE_ACTIONS = [
  ...QUEUE_ACTIONS,
  'sqs:GetQueueUrl',
  'sqs:ListDeadLetterSourceQueues',
]
const FUNCTION_ACTIONS = ['lambda:GetFunctionConfiguration', 'lambda:GetFunctionRecursionConfig']
/** They have no resource. */
const LISTING = [
  'sqs:ListQueues',
  'lambda:ListEventSourceMappings',
  'sns:GetSubscriptionAttributes',
]

/** What an operator needs besides single consumers: to find queues, mappings and subscriptions, and to pause the mappings of the table. */
function grantFinding(grantee: IGrantable, scope: Construct, tableName: string): Grant {
  const functions = Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
  const topics = Stack.of(scope).formatArn({ service: 'sns', resource: '*' })
  const mappings = ['lambda:UpdateEventSourceMapping', 'lambda:GetEventSourceMapping']
  return Grant.addToPrincipal({ grantee, actions: LISTING, resourceArns: ['*'] })
    .combine(grantActions(grantee, ['lambda:ListTags'], functions))
    .combine(grantActions(grantee, ['sns:ListSubscriptionsByTopic'], topics))
    .combine(grantMappings(grantee, scope, tableName, mappings))
}

/** The queues of a consumer, and what the doctor reads of its function. */
export function grantConsumerOperator(
  grantee: IGrantable,
  queues: readonly IQueue[],
  { resourceArnsForGrantInvoke }: IFunction,
): void {
  for (const { queueArn, encryptionMasterKey } of queues) {
    grantActions(grantee, OPERATOR_QUEUE_ACTIONS, queueArn, encryptionMasterKey)
  }
  for (const arn of resourceArnsForGrantInvoke) grantActions(grantee, FUNCTION_ACTIONS, arn)
}
