import type { CreateTableCommandInput, TimeToLiveSpecification } from '@aws-sdk/client-dynamodb'
import { ConfigError } from '../../../library/base/errors.ts'
import { keysOf } from '../../../library/base/limits/wrongAction.ts'
import {
  anObject,
  checkOptions,
  listOf,
  required,
  wrongOption,
} from '../../../library/base/options.ts'
import { type BusDescription, checkBuses } from '../../queues/eventBus.ts'
import type { QueueDescription, TopicDescription } from '../../queues/description.ts'
import { aText, checkQueues, SUBSCRIPTION } from '../../queues/checkQueues.ts'

export type {
  QueueDescription,
  SubscriptionDescription,
  TopicDescription,
} from '../../queues/description.ts'

/** A table: the names of its string keys, or the input of CreateTable with `TimeToLiveSpecification`, as in CloudFormation. */
export type TableDescription =
  | { readonly hash: string; readonly range?: string }
  | (Omit<CreateTableCommandInput, 'TableName'> & {
      readonly TableName?: string | undefined
      readonly TimeToLiveSpecification?: TimeToLiveSpecification | undefined
    })

/** The queues, topics, event buses and tables of a local cloud, by name, and its buckets. */
export interface CloudDescription {
  readonly queues?: Readonly<Record<string, QueueDescription>>
  readonly topics?: Readonly<Record<string, TopicDescription>>
  readonly buses?: Readonly<Record<string, BusDescription>>
  readonly tables?: Readonly<Record<string, TableDescription>>
  /** Names of S3 buckets, for results and payloads. Clients find them by `environment`. @example ['payloads'] */
  readonly buckets?: readonly string[]
}

/** The ARNs of topics with raw message delivery in a subscription. */
export function rawTopicsOf({ topics = {} }: CloudDescription): ReadonlySet<string> {
  const raw = Object.entries(topics).filter(([, { subscriptions = [] }]) =>
    subscriptions.some((subscription) => subscription.raw === true),
  )
  return new Set(raw.map(([name]) => localTopicArn(name)))
}

/** The names of each table's key attributes; undefined for a table that is not described. */
export function keyNamesOf({
  tables = {},
}: CloudDescription): (table: string) => readonly string[] | undefined {
  const names = new Map(
    Object.entries(tables).map(([name, table]) => [
      name,
      keysOf(table).key.map((part) => part.name),
    ]),
  )
  return (table) => names.get(table)
}

/** @throws ConfigError when `service` was not started, because `list` is empty */
export function requireStarted<T>(what: string, list: string, service: T | undefined): T {
  if (service !== undefined) return service
  throw new ConfigError(
    `cloud.${what}: the description has no ${list}, so the service was not started. Add them to startLocalCloud({ ${list} })`,
  )
}

/** @throws ConfigError when the description does not list `name`. */
export function requireDescribed<List extends 'queues' | 'topics' | 'buses'>(
  asked: Readonly<Record<List, object>>,
  list: List,
  name: string,
): string {
  if (Object.hasOwn(asked[list], name)) return name
  throw new ConfigError(
    `${list}: expected one of ${Object.keys(asked[list]).join(', ') || '(none described)'}, got ${JSON.stringify(name)}`,
  )
}

const WHO = 'startLocalCloud'
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const BUCKET = /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/
const DESCRIPTION = {
  queues: anObject,
  topics: anObject,
  buses: anObject,
  tables: anObject,
  buckets: listOf(BUCKET, 'a list of names of 3 to 63 of a-z 0-9 . -'),
}

/** @throws ConfigError on an unknown option, a value that AWS would refuse, or a queue that is not described. */
export function checkDescription(description: CloudDescription): void {
  checkOptions(WHO, description, DESCRIPTION)
  const { queues = {}, topics = {}, buses = {}, tables = {} } = description
  checkQueues(WHO, queues, topics, SUBSCRIPTION)
  checkBuses(WHO, buses, queues)
  for (const [name, table] of Object.entries(tables)) checkTable(name, table)
}

function checkTable(name: string, table: TableDescription): void {
  const where = `tables.${name}`
  if (!/^[A-Za-z0-9_.-]{3,255}$/.test(name)) {
    throw wrongOption(WHO, where, 'a name of 3 to 255 of A-Z a-z 0-9 _ - .', name)
  }
  if ('hash' in table) {
    checkOptions(WHO, table, { hash: required(aText), range: aText }, `${where}.`)
  } else if (table.TableName !== undefined && table.TableName !== name) {
    const expected = `${JSON.stringify(name)}, as its place in the description says`
    throw wrongOption(WHO, `${where}.TableName`, expected, table.TableName)
  }
}

/** The region of the local engines. */
export const LOCAL_REGION = 'us-east-1'
export const LOCAL_ACCOUNT = '000000000000'

export function localQueueArn(name: string): string {
  return `arn:aws:sqs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${name}`
}

export function localTopicArn(name: string): string {
  return `arn:aws:sns:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${name}`
}

export function localBusArn(name: string): string {
  return `arn:aws:events:${LOCAL_REGION}:${LOCAL_ACCOUNT}:event-bus/${name}`
}

/** The URL of a queue that every client of this machine can use. */
export function queueUrlAt(endpoint: string, name: string): string {
  return `${endpoint}/${LOCAL_ACCOUNT}/${name}`
}

/** The function that consumes a queue, in the queue's region and account. */
export function functionArnOf(queueArn: string, functionName: string): string {
  const [, partition, , region, account] = queueArn.split(':')
  return `arn:${partition}:lambda:${region}:${account}:function:${functionName}`
}
