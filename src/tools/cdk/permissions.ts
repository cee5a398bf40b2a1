import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { CALL_TABLE_ACTIONS } from '../actions.ts'

/** What claims, effects and ends need of Lineclear's table. */
export const CONSUMER_TABLE_ACTIONS: readonly string[] = [
  ...CALL_TABLE_ACTIONS,
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
]

export const SWEEPER_TABLE_ACTIONS: readonly string[] = [
  ...CALL_TABLE_ACTIONS,
  'dynamodb:PartiQLUpdate',
  'dynamodb:Scan',
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

/** What the handler of a consumer touches in Lineclear's table, beside the claims under its name. */
export interface OwnKeysProps {
  /** The `formerNames` of its handler, whose claims it still reads. Default: none. */
  readonly formerNames?: readonly string[]
  /** Whether its handler has `delays: storedDelays(…)`, or its flow `failures`. Default: false. */
  readonly delays?: boolean
  /** Whether its handler has `circuitBreaker: circuitBreaker(…)`. Default: false. */
  readonly circuitBreaker?: boolean
  /**
   * Whether it is an awaited step whose handler has `onLate`, which claims each late answer apart. {@link LineclearFlow} sets it for its
   * `answers`. Default: false.
   */
  readonly lateAnswers?: boolean
  /** The names of what its handler calls of `idempotent`, `lockTokens` and `onceForever`. Default: none. */
  readonly keyNames?: readonly string[]
}

/** The partition keys of a consumer, or of a stage of a flow. */
export function ownKeys(
  name: string,
  flow: string | undefined,
  props: OwnKeysProps,
): readonly string[] {
  const { formerNames = [], lateAnswers = false, keyNames = [] } = props
  const prefix = flow === undefined ? '' : `${flow}.`
  const claimed = flow === undefined || lateAnswers ? [name, ...formerNames] : []
  return [
    ...(flow === undefined ? [] : keysOfFlow(flow)),
    ...claimed.map((each) => `lock#${prefix}${each}/*`),
    ...(props.delays === true ? ['later#*'] : []),
    ...(props.circuitBreaker === true ? ['circuits'] : []),
    ...keysOfNames(keyNames),
  ]
}

export function keysOfFlow(flow: string): readonly string[] {
  return [`flow#${flow}/*`, `await#${flow}/*`]
}

/** Behind the `@` is the tenant. */
export function keysOfNames(names: readonly string[]): readonly string[] {
  return names
    .map((name) => encodeURIComponent(name).replaceAll('*', '${*}'))
    .flatMap((name) => [`key#${name}/*`, `key#${name}@*`, `once#${name}/*`])
}

/** @param keys undefined: all items. `ForAllValues` is also true of a request without keys: hence `Null`. */
function onlyKeys(keys: readonly string[] | undefined): object {
  if (keys === undefined) return {}
  const conditions = {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys] },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  }
  return { conditions }
}
