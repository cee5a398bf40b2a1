import type { Item, StoreKey, WriteOutcome, Update } from '../../../protocol/store/store.ts'
import {
  type Retryable,
  replaceAnswers,
  sendEach,
  sendUntilSettled,
} from '../../../protocol/store/retries.ts'
import { type Batched, type RefusedUnseen, writeMany } from './fast/writeMany.ts'
import {
  addressOf,
  toAttributeMap,
  toItem,
  keyAttributes,
} from '../../../protocol/store/wire/attributes.ts'
import { IS_OF_OUR_FORMAT, seen } from '../../../protocol/store/format.ts'
import { batchReadItems } from './read.ts'
import { insertStatement, updateStatement } from './fast/statement.ts'
import type { Table } from './calls/table.ts'
import { validateKey, validateUpdate } from '../../../protocol/store/validateWrite.ts'
import { withoutEmptySets } from '../../../protocol/store/value.ts'
import { isConditionFailure, failedOrRetryable } from './calls/failure.ts'
import { changesOf, toExpression } from '../../../protocol/store/wire/expression.ts'

/** One kind of write, as a single call and as a batched statement. */
interface WriteForm<E> extends Batched<E> {
  readonly key: (entry: E) => StoreKey
  /** Makes the write as a call of its own. */
  readonly one: (table: Table, entry: E) => Promise<WriteOutcome | RefusedUnseen | Retryable>
}

const SINGLE_CALLS_AT_ONCE = 16
/** The smallest batch. Two parallel calls answer as fast as one batch, and also return the items that refused them. */
const WORTH_A_BATCH = 3

/** Writes of one key are made in their order, because one call may not name a key twice. All others are made in parallel. */
export async function writeAll<E>(
  table: Table,
  entries: readonly E[],
  form: WriteForm<E>,
): Promise<readonly WriteOutcome[]> {
  const [only] = entries
  if (only !== undefined && entries.length === 1) {
    const written = await writeOne(table, only, form)
    return written.kind === 'unseen' ? readRefusing(table, entries, form) : [written]
  }
  const turns = turnsOf(entries, form)
  const written = await replaceAnswers(entries, turns, 'first', (firsts) =>
    writeDistinct(table, firsts, form),
  )
  return replaceAnswers(entries, written, 'later', (rest) => writeAll(table, rest, form))
}

function writeOne<E>(
  table: Table,
  entry: E,
  form: WriteForm<E>,
): Promise<WriteOutcome | RefusedUnseen> {
  return sendUntilSettled(table, () => form.one(table, entry))
}

async function writeDistinct<E>(
  table: Table,
  entries: readonly E[],
  form: WriteForm<E>,
): Promise<readonly WriteOutcome[]> {
  const writeEach = (some: readonly E[]): Promise<readonly (WriteOutcome | RefusedUnseen)[]> =>
    sendEach(some, SINGLE_CALLS_AT_ONCE, (entry) => writeOne(table, entry, form))
  const isBatch = entries.length >= WORTH_A_BATCH && !table.partiQl.denied.has(form.verb)
  const written = isBatch
    ? await writeMany(table, entries, form, writeEach)
    : await writeEach(entries)
  return replaceAnswers(entries, written, 'unseen', (open) => readRefusing(table, open, form))
}

/**
 * Reads the item that refused the write. A refusal without it is worth nothing: the caller may have made the write itself before,
 * and lost the answer.
 */
async function readRefusing<E>(
  table: Table,
  entries: readonly E[],
  { key }: WriteForm<E>,
): Promise<readonly WriteOutcome[]> {
  const found = await batchReadItems(
    table,
    entries.map(key),
    // @protects the item that refused a write is read consistently
    // @without false
    true,
  )
  return found.map((one) => (one.kind === 'found' ? { ...one, kind: 'refused' } : one))
}

type Turn = { readonly kind: 'first' } | { readonly kind: 'later' }

function turnsOf<E>(entries: readonly E[], { key }: WriteForm<E>): readonly Turn[] {
  const known = new Set<string>()
  return entries.map((entry) => {
    const before = known.size
    known.add(addressOf(key(entry)))
    // @protects writes of one key are made in their order
    // @without { kind: 'first' }
    return { kind: known.size > before ? 'first' : 'later' }
  })
}

export const CREATION: WriteForm<Item & StoreKey> = {
  verb: 'INSERT',
  key: (item) => item,
  one: putOne,
  statement: ({ name }, item) => (validateKey(item) ? undefined : insertStatement(name, item)),
  written: withoutEmptySets,
}

async function putOne(
  table: Table,
  item: Item & StoreKey,
): Promise<WriteOutcome | RefusedUnseen | Retryable> {
  try {
    const invalid = validateKey(item)
    if (invalid !== undefined) return { kind: 'failed', error: invalid }
    await table.call('PutItem', {
      TableName: table.name,
      Item: toAttributeMap(item),
      // @protects a claim does not replace another one
      // @without 'attribute_not_exists(#pk) OR attribute_exists(#pk)'
      ConditionExpression: 'attribute_not_exists(#pk)',
      ExpressionAttributeNames: { '#pk': 'pk' },
      // @protects the item that refused a write comes with the refusal
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    return { kind: 'applied', item: withoutEmptySets(item) }
  } catch (error) {
    if (!isConditionFailure(error)) return failedOrRetryable(table.name, error)
    return error.Item ? seen('refused', toItem(error.Item)) : { kind: 'unseen' }
  }
}

export const UPDATE: WriteForm<Update> = {
  verb: 'UPDATE',
  key: ({ key }) => key,
  one: updateOne,
  statement: ({ name, partiQl }, update) =>
    validateUpdate(update) ? undefined : updateStatement(name, update, partiQl),
  written: () => undefined,
}

/** The condition on the format keeps UpdateItem from creating a missing item. */
async function updateOne(table: Table, update: Update): Promise<WriteOutcome | Retryable> {
  try {
    const invalid = validateUpdate(update)
    if (invalid !== undefined) return { kind: 'failed', error: invalid }
    const { Attributes } = await table.call('UpdateItem', {
      TableName: table.name,
      Key: keyAttributes(update.key),
      ...toExpression([IS_OF_OUR_FORMAT, ...update.where], changesOf(update)),
      ReturnValues: update.needsNoItem ? undefined : 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    return { kind: 'applied', item: Attributes && toItem(Attributes) }
  } catch (error) {
    if (!isConditionFailure(error)) return failedOrRetryable(table.name, error)
    return seen('refused', error.Item && toItem(error.Item))
  }
}
