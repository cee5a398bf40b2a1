import * as DYNAMODB from '../../../base/limits/dynamodb.ts'
import { validateKey } from '../../../protocol/store/validateWrite.ts'
import type {
  StoreKey,
  ReadOutcome,
  UserItem,
  UserKey,
  DueOutcome,
  DueQuery,
} from '../../../protocol/store/store.ts'
import {
  type Retryable,
  replaceAnswers,
  FEW_TRIES,
  sendAllUntilSettled,
  sendEach,
  sendInChunks,
} from '../../../protocol/store/retries.ts'
import {
  toItem,
  addressIn,
  addressOf,
  keyAttributes,
  toAttributeMap,
  toUserItem,
  type AttributeMap,
} from '../../../protocol/store/wire/attributes.ts'
import { seen } from '../../../protocol/store/format.ts'
import { failureOf, kindOfError, userFailure } from './calls/failure.ts'
import { takeApart } from './calls/takeApart.ts'
import type { Table } from './calls/table.ts'

const CALLS_AT_ONCE = 4
const SINGLE_CALLS_AT_ONCE = 16

/** A key that no item can have fails alone, because DynamoDB would refuse the whole call for it. */
export async function batchReadItems(
  table: Table,
  keys: readonly StoreKey[],
  consistent: boolean,
): Promise<readonly ReadOutcome[]> {
  const [only] = keys
  if (only !== undefined && keys.length === 1) return [await getOne(table, only, consistent)]
  return replaceAnswers(keys, keys.map(openUnlessWrong), 'open', (good) =>
    readDistinct(table, good, consistent),
  )
}

function openUnlessWrong(key: StoreKey): { readonly kind: 'open' } | ReadOutcome {
  const error = validateKey(key)
  return error === undefined ? { kind: 'open' } : { kind: 'failed', error }
}

/** Reads each key once, because DynamoDB refuses a call that names a key twice. */
async function readDistinct(
  table: Table,
  keys: readonly StoreKey[],
  consistent: boolean,
): Promise<readonly ReadOutcome[]> {
  const distinct = [...new Map(keys.map((key) => [addressOf(key), key])).values()]
  const outcomes =
    distinct.length === 1
      ? await getEach(table, distinct, consistent)
      : await readTogether(table, distinct, consistent)
  const found = new Map(distinct.map((key, at) => [addressOf(key), outcomes[at] ?? NOT_THERE]))
  return keys.map((key) => found.get(addressOf(key)) ?? NOT_THERE)
}

const NOT_THERE: ReadOutcome = { kind: 'found', item: undefined }

/** If a call is refused as a whole, each key is read alone, so that only the bad one fails. */
async function readTogether(
  table: Table,
  keys: readonly StoreKey[],
  consistent: boolean,
): Promise<readonly ReadOutcome[]> {
  const outcomes = await sendInChunks(keys, DYNAMODB.batchGetKeys, CALLS_AT_ONCE, (chunk) =>
    sendAllUntilSettled(table, chunk, (open) => getMany(table, open, consistent)),
  )
  const each = (some: readonly StoreKey[]) => getEach(table, some, consistent)
  const tried = await takeApart(keys, outcomes, each)
  return replaceAnswers(keys, tried, 'alone', each)
}

function getEach(
  table: Table,
  keys: readonly StoreKey[],
  consistent: boolean,
): Promise<readonly ReadOutcome[]> {
  return sendEach(keys, SINGLE_CALLS_AT_ONCE, (key) => getOne(table, key, consistent))
}

async function getOne(table: Table, key: StoreKey, ConsistentRead: boolean): Promise<ReadOutcome> {
  const invalid = validateKey(key)
  if (invalid !== undefined) return { kind: 'failed', error: invalid }
  try {
    const input = { TableName: table.name, Key: keyAttributes(key), ConsistentRead }
    const { Item } = await table.call('GetItem', input)
    return seen('found', Item && toItem(Item))
  } catch (error) {
    return { kind: 'failed', error: failureOf(table.name, error) }
  }
}

interface Alone {
  readonly kind: 'alone'
}

async function getMany(
  table: Table,
  keys: readonly StoreKey[],
  ConsistentRead: boolean,
): Promise<readonly (ReadOutcome | Retryable | Alone)[]> {
  try {
    const asked = { [table.name]: { Keys: keys.map(keyAttributes), ConsistentRead } }
    const { Responses = {}, UnprocessedKeys = {} } = await table.call('BatchGetItem', {
      RequestItems: asked,
    })
    // Only one table was asked for, so the name in the answer (its ARN or its name) does not matter.
    const items = Object.values(Responses).flat()
    const left = Object.values(UnprocessedKeys).flatMap(({ Keys = [] }) => Keys)
    const found = new Map(items.map((item) => [addressIn(item), toItem(item)]))
    const unread = new Set(left.map(addressIn))
    return keys.map((key) =>
      // @protects a key that was not processed is not taken for missing
      // @without false
      unread.has(addressOf(key))
        ? { kind: 'retryable', error: unprocessed(table), tries: FEW_TRIES }
        : seen('found', found.get(addressOf(key))),
    )
  } catch (error) {
    if (kindOfError(error) === 'badEntry') return keys.map(() => ({ kind: 'alone' }))
    const failure = failureOf(table.name, error)
    return keys.map(() => ({ kind: 'failed', error: failure }))
  }
}

function unprocessed({ name }: Table): Error {
  return failureOf(name, 'unprocessed keys', 'throttled')
}

/**
 * @throws StoreUnavailableError when the table gives no answer; TerminalError when the key does not fit it; RetryableError
 * when there is no such table, or the role may not read it.
 */
export async function readUserItem(
  table: Table,
  { TableName, Key }: UserKey,
): Promise<UserItem | undefined> {
  const input = { TableName, Key: toAttributeMap(Key, TableName), ConsistentRead: true }
  try {
    const { Item } = await table.call('GetItem', input)
    return Item && toUserItem(Item)
  } catch (error) {
    throw userFailure(TableName, error)
  }
}

/** Needs the permission `dynamodb:Query` on the index. */
export async function readDue(
  table: Table,
  { statusShard, from = 0, until, most, after }: DueQuery,
): Promise<DueOutcome> {
  try {
    const { Items = [], LastEvaluatedKey } = await table.call('Query', {
      TableName: table.name,
      IndexName: 'byStatus',
      KeyConditionExpression: 'statusShard = :shard AND dueAt BETWEEN :from AND :until',
      ExpressionAttributeValues: {
        ':shard': { S: statusShard },
        ':from': { N: String(from) },
        ':until': { N: String(until) },
      },
      ProjectionExpression: 'pk, sk, dueAt',
      Limit: most,
      ExclusiveStartKey: after === undefined ? undefined : readPlace(after, statusShard),
    })
    const keys = Items.map(({ pk, sk, dueAt }) => ({
      pk: pk?.S ?? '',
      sk: sk?.S ?? '',
      dueAt: Number(dueAt?.N ?? 0),
    }))
    const next = LastEvaluatedKey && writePlace(LastEvaluatedKey)
    return { kind: 'found', keys, next }
  } catch (error) {
    return { kind: 'failed', error: failureOf(table.name, error) }
  }
}

/** The position of an item in the index, as one text. */
function writePlace({ pk, sk, dueAt }: AttributeMap): string {
  return [dueAt?.N ?? '', encodeURIComponent(pk?.S ?? ''), encodeURIComponent(sk?.S ?? '')].join(
    ' ',
  )
}

function readPlace(after: string, statusShard: string): AttributeMap {
  const [dueAt = '', pk = '', sk = ''] = after.split(' ').map(decodeURIComponent)
  return { pk: { S: pk }, sk: { S: sk }, statusShard: { S: statusShard }, dueAt: { N: dueAt } }
}
