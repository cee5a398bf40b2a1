import * as DYNAMODB from '../../base/limits/dynamodb.ts'
import { validateKey } from '../validateWrite.ts'
import type { StoreKey, ReadOutcome } from '../store.ts'
import {
  type Retryable,
  replaceAnswers,
  FEW_TRIES,
  sendAllUntilSettled,
  sendInChunks,
} from '../retries.ts'
import { toItem } from '../wire/attributes.ts'
import { addressIn, addressOf, keyAttributes } from '../wire/key.ts'
import { failureOf } from './failure.ts'
import type { Table } from './table.ts'
import { kindOfError } from './errorKind.ts'

const CALLS_AT_ONCE = 4
const SINGLE_CALLS_AT_ONCE = 16

/** A key that no item can have fails alone, because DynamoDB would refuse the whole call for it. */
export async function readItems(
  table: Table,
  keys: readonly StoreKey[],
  consistent: boolean,
): Promise<readonly ReadOutcome[]> {
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
  return replaceAnswers(keys, outcomes, 'alone', (alone) => getEach(table, alone, consistent))
}

function getEach(
  table: Table,
  keys: readonly StoreKey[],
  consistent: boolean,
): Promise<readonly ReadOutcome[]> {
  return sendInChunks(keys, 1, SINGLE_CALLS_AT_ONCE, (chunk) =>
    Promise.all(chunk.map((key) => getOne(table, key, consistent))),
  )
}

async function getOne(table: Table, key: StoreKey, ConsistentRead: boolean): Promise<ReadOutcome> {
  try {
    const input = { TableName: table.name, Key: keyAttributes(key), ConsistentRead }
    const { Item } = await table.call('GetItem', input)
    return { kind: 'found', item: Item && toItem(Item) }
  } catch (error) {
    return { kind: 'failed', error: failureOf(table.name, kindOfError(error), error) }
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
      unread.has(addressOf(key))
        ? { kind: 'retryable', error: unprocessed(table), tries: FEW_TRIES }
        : { kind: 'found', item: found.get(addressOf(key)) },
    )
  } catch (error) {
    const errorKind = kindOfError(error)
    if (errorKind === 'badEntry') return keys.map(() => ({ kind: 'alone' }))
    const failure = failureOf(table.name, errorKind, error)
    return keys.map(() => ({ kind: 'failed', error: failure }))
  }
}

function unprocessed({ name }: Table): Error {
  return failureOf(name, 'throttled', 'unprocessed keys')
}
