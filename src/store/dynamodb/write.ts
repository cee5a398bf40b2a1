import * as DYNAMODB from '../../base/limits/dynamodb.ts'
import type { Item, StoreKey, WriteOutcome, Update } from '../store.ts'
import {
  type Retryable,
  replaceAnswers,
  sendAllUntilSettled,
  sendInChunks,
  sendUntilSettled,
} from '../retries.ts'
import { type Alone, type Ready, sendStatements, type RefusedUnseen } from './fast/writeMany.ts'
import { addressOf, toAttributeMap, toItem, keyAttributes } from '../wire/attributes.ts'
import { readItems } from './read.ts'
import { type Statement, insertStatement, updateStatement } from './fast/statement.ts'
import type { Table, Verb } from './calls/table.ts'
import { validateKey, validateUpdate } from '../validateWrite.ts'
import { withoutEmptySets } from '../value.ts'
import { isConditionFailure, failedOrRetryable } from './calls/failure.ts'
import { changesOf, toExpression } from '../wire/expression.ts'

/** One kind of write, as a single call and as a batched statement. */
interface WriteForm<E> {
  readonly verb: Verb
  key(entry: E): StoreKey
  /** Makes the write as a call of its own. */
  one(entry: E): Promise<WriteOutcome | RefusedUnseen | Retryable>
  /**
   * @returns undefined when the entry has no batched form
   * @throws TerminalError when a value cannot be stored
   */
  statement(entry: E): Statement | undefined
  /** The item after the write, if the entry determines it. */
  written(entry: E): Item | undefined
}

const CALLS_AT_ONCE = 4
const SINGLE_CALLS_AT_ONCE = 16
/** The smallest batch. Two parallel calls answer as fast as one batch, and also return the items that refused them. */
const WORTH_A_BATCH = 3

/** Writes of one key are made in their order, because one call may not name a key twice. All others are made in parallel. */
async function writeAll<E>(
  table: Table,
  entries: readonly E[],
  form: WriteForm<E>,
): Promise<readonly WriteOutcome[]> {
  const turns = turnsOf(entries, form)
  const written = await replaceAnswers(entries, turns, 'first', (firsts) =>
    writeDistinct(table, firsts, form),
  )
  return replaceAnswers(entries, written, 'later', (rest) => writeAll(table, rest, form))
}

async function writeDistinct<E>(
  table: Table,
  entries: readonly E[],
  form: WriteForm<E>,
): Promise<readonly WriteOutcome[]> {
  const batched =
    entries.length >= WORTH_A_BATCH && table.takesStatements && !table.partiQl.denied.has(form.verb)
  const prepared = entries.map((entry) => (batched ? prepare(entry, form) : ALONE))
  const sent = await replaceAnswers(entries, prepared, 'ready', (_, ready) =>
    sendInChunks(ready, DYNAMODB.batchStatements, CALLS_AT_ONCE, (chunk) =>
      sendAllUntilSettled(table, chunk, (open) => sendStatements(table, form.verb, open)),
    ),
  )
  const written = await replaceAnswers(entries, sent, 'alone', (open, alone) =>
    writeAlone(table, open, alone, form),
  )
  return replaceAnswers(entries, written, 'unseen', (open) => readRefusing(table, open, form))
}

const ALONE: Alone = { kind: 'alone' }

/** A value that cannot be stored fails in a call of its own, so that no other entry fails with it. */
function prepare<E>(entry: E, form: WriteForm<E>): Ready | Alone {
  try {
    const statement = form.statement(entry)
    return statement ? { kind: 'ready', statement, item: form.written(entry) } : ALONE
  } catch {
    return ALONE
  }
}

async function writeAlone<E>(
  table: Table,
  entries: readonly E[],
  alone: readonly Alone[],
  form: WriteForm<E>,
): Promise<readonly (WriteOutcome | RefusedUnseen)[]> {
  const outcomes = await sendInChunks(entries, 1, SINGLE_CALLS_AT_ONCE, (chunk) =>
    Promise.all(chunk.map((entry) => sendUntilSettled(table, () => form.one(entry)))),
  )
  for (const [nth, { unread }] of alone.entries()) {
    // The single call succeeded, so the values were good and the engine could not read the text.
    if (unread && outcomes[nth]?.kind !== 'failed') markUnreadable(table, unread)
  }
  return outcomes
}

function markUnreadable({ partiQl, logger }: Table, unreadable: string): void {
  if (partiQl.unreadable.has(unreadable)) return
  partiQl.unreadable.add(unreadable)
  logger?.debug(`DynamoDB cannot read a statement; it is not sent again: ${unreadable}`)
}

/**
 * Reads the item that refused the write. A refusal without it is worth nothing: the caller may have made the write itself before,
 * and lost the answer.
 */
async function readRefusing<E>(
  table: Table,
  entries: readonly E[],
  form: WriteForm<E>,
): Promise<readonly WriteOutcome[]> {
  const keys = entries.map((entry) => form.key(entry))
  const found = await readItems(table, keys, true)
  return found.map((one) => (one.kind === 'found' ? { ...one, kind: 'refused' } : one))
}

type Turn = { readonly kind: 'first' } | { readonly kind: 'later' }

function turnsOf<E>(entries: readonly E[], form: WriteForm<E>): readonly Turn[] {
  const seen = new Set<string>()
  return entries.map((entry) => {
    const before = seen.size
    seen.add(addressOf(form.key(entry)))
    return { kind: seen.size > before ? 'first' : 'later' }
  })
}

export function createItems(
  table: Table,
  items: readonly (Item & StoreKey)[],
): Promise<readonly WriteOutcome[]> {
  return writeAll(table, items, {
    verb: 'INSERT',
    key: (item) => item,
    one: (item) => putOne(table, item),
    statement: (item) => (validateKey(item) ? undefined : insertStatement(table.name, item)),
    written: withoutEmptySets,
  })
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
      ConditionExpression: 'attribute_not_exists(#pk)',
      ExpressionAttributeNames: { '#pk': 'pk' },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    return { kind: 'applied', item: withoutEmptySets(item) }
  } catch (error) {
    if (!isConditionFailure(error)) return failedOrRetryable(table.name, error)
    return error.Item ? { kind: 'refused', item: toItem(error.Item) } : { kind: 'unseen' }
  }
}

export function updateItems(
  table: Table,
  updates: readonly Update[],
): Promise<readonly WriteOutcome[]> {
  return writeAll(table, updates, {
    verb: 'UPDATE',
    key: ({ key }) => key,
    one: (update) => updateOne(table, update),
    statement: (update) =>
      validateUpdate(update) ? undefined : updateStatement(table.name, update, table.partiQl),
    written: () => undefined,
  })
}

/** `attribute_exists` keeps UpdateItem from creating a missing item. */
async function updateOne(table: Table, update: Update): Promise<WriteOutcome | Retryable> {
  try {
    const invalid = validateUpdate(update)
    if (invalid !== undefined) return { kind: 'failed', error: invalid }
    const { Attributes } = await table.call('UpdateItem', {
      TableName: table.name,
      Key: keyAttributes(update.key),
      ...toExpression([{ exists: 'pk' }, ...update.where], changesOf(update)),
      ReturnValues: update.needsNoItem ? undefined : 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    return { kind: 'applied', item: Attributes && toItem(Attributes) }
  } catch (error) {
    if (!isConditionFailure(error)) return failedOrRetryable(table.name, error)
    return { kind: 'refused', item: error.Item && toItem(error.Item) }
  }
}
