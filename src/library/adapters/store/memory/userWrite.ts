import * as DYNAMODB from '../../../base/limits/dynamodb.ts'
import { TerminalError } from '../../../base/errors.ts'
import { holds } from '../../../protocol/store/condition.ts'
import type { UserItem, UserWrite, UserCondition, UserKey } from '../../../protocol/store/store.ts'
import { attribute, isNumber, canonical, isMap } from '../../../protocol/store/value.ts'
import { asStoredCondition, asStoredUserItem, keptOf, outcomeOf } from './stored.ts'
import {
  addDecimals,
  decimalText,
  parseDecimal,
  itemBytes,
  type WireItem,
  wrongItem,
  wrongNumber,
  wrongValue,
} from '../../../base/limits/wireValue.ts'
import {
  toUserValue,
  toAttribute,
  toAttributeMap,
  toUserItem,
} from '../../../protocol/store/wire/attributes.ts'
import { kindOf } from '../../../base/kindOf.ts'
import {
  type WireAction,
  wrongAction,
  type TableKeys,
  wrongIndexKeys,
} from '../../../base/limits/wrongAction.ts'
import { orTerminalError, invalidWrite } from '../../../protocol/store/validateWrite.ts'
import { changesNothing } from '../../../protocol/store/wire/expression.ts'
import { userAction } from '../../../protocol/store/wire/transactItem.ts'

export type UserOutcome =
  | { readonly kind: 'applied'; readonly item: UserItem | undefined }
  | { readonly kind: 'refused'; readonly item: UserItem | undefined }
  | { readonly kind: 'failed'; readonly error: TerminalError }

/**
 * Applies `write` to the user's `item`. As in DynamoDB, a change creates a missing item, unless all that it does is remove.
 * @throws TerminalError naming a value that cannot be stored.
 */
export function applyUserWrite(item: UserItem | undefined, write: UserWrite): UserOutcome {
  const where = write.where.map(asStoredCondition)
  if (!where.every((condition) => holds(condition, item))) return { kind: 'refused', item }
  if ('delete' in write) return { kind: 'applied', item: undefined }
  if ('put' in write) {
    return outcomeOf(asStoredUserItem({ ...write.put, ...write.Key }, write.TableName))
  }
  const { set = {}, add = {}, remove = [] } = write
  const isRemoval = changesNothing({ set, add, remove: [] })
  if (isRemoval && (item === undefined || remove.length === 0)) return { kind: 'applied', item }
  const summed = sums(item, write.TableName, add)
  if (summed instanceof Error) return { kind: 'failed', error: summed }
  const kept = keptOf(item ?? write.Key, remove)
  return outcomeOf(asStoredUserItem({ ...kept, ...set, ...summed }, write.TableName))
}

function sums(
  item: UserItem | undefined,
  table: string,
  add: Readonly<Record<string, number | bigint>>,
): UserItem | TerminalError {
  const changed: [string, number | bigint][] = []
  for (const [name, amount] of Object.entries(add)) {
    const found = attribute(item, name) ?? 0
    const after = isNumber(found) ? sum(found, amount) : 'is no number'
    if (typeof after === 'string') {
      const what = `Attribute ${JSON.stringify(name)} of table ${table}`
      return new TerminalError(`${what} ${after}: nothing was added to it, and nothing written.`)
    }
    changed.push([name, after])
  }
  return Object.fromEntries(changed)
}

/**
 * Adds as DynamoDB does, in decimal: 0.1 and 0.2 make 0.3.
 * @returns a text that says what is wrong, when there is no such sum
 */
export function sum(one: number | bigint, other: number | bigint): number | bigint | string {
  const [left, right] = [parseDecimal(String(one)), parseDecimal(String(other))]
  if (left === undefined || right === undefined) return 'is no number'
  const text = decimalText(addDecimals(left, right))
  const wrong = wrongNumber(text)
  if (wrong !== undefined) return wrong
  const value = toUserValue({ N: text })
  return isNumber(value) ? value : 'is no number'
}

/**
 * Checks what DynamoDB refuses before it looks at the items, so that a test with the memory store finds it.
 * @param keysOf the keys of a table, if they are known
 */
export function validateUserWrites(
  writes: readonly UserWrite[],
  keysOf: (table: string) => TableKeys | undefined,
): TerminalError | undefined {
  return (
    firstWrong(writes, (write) => validateUserWrite(write, keysOf(write.TableName))) ??
    tooMany(writes) ??
    onOneItem(writes)
  )
}

/** DynamoDB: "Transaction request cannot include multiple operations on one item". */
function onOneItem(writes: readonly UserWrite[]): TerminalError | undefined {
  const items = new Set<string>()
  for (const { TableName, Key } of writes) {
    const item = `${TableName} ${canonical(toUserItem(toAttributeMap(Key)))}`
    if (items.has(item)) {
      return new TerminalError(
        `Two writes of one transaction are on the same item of table ${TableName}. Nothing was written. Make one write of them.`,
      )
    }
    items.add(item)
  }
  return undefined
}

/** The check of the claim counts as one more action. */
function tooMany(writes: readonly UserWrite[]): TerminalError | undefined {
  const bytes = writes.reduce((sum, write) => sum + itemBytes(valuesOf(actionOf(write))), 0)
  const wrong =
    writes.length >= DYNAMODB.transactionItems
      ? `${writes.length} writes, and DynamoDB takes ${DYNAMODB.transactionItems - 1} beside the claim`
      : `${bytes} bytes, and DynamoDB takes ${DYNAMODB.transactionBytes} (4 MB)`
  if (writes.length < DYNAMODB.transactionItems && bytes <= DYNAMODB.transactionBytes)
    return undefined
  return new TerminalError(`One transaction has ${wrong}. Nothing was written.`)
}

function valuesOf({ Item, ExpressionAttributeValues }: WireAction): WireItem {
  return { ...Item, ...ExpressionAttributeValues }
}

function validateUserWrite(
  write: UserWrite,
  table: TableKeys | undefined,
): TerminalError | undefined {
  const { TableName } = write
  return (
    validateUserKey(write, table) ??
    orTerminalError(() => invalidWrite(wrongWrite(write, table), TableName))
  )
}

export function validateUserKey(
  { TableName, Key }: UserKey,
  table?: TableKeys,
): TerminalError | undefined {
  const isName = typeof TableName === 'string' && /^[\w.:/-]{1,1024}$/.test(TableName)
  if (!isName) return noTarget('TableName', 'the name or ARN of a table', TableName)
  if (!isMap(Key)) return noTarget('Key', 'a plain object with the key of an item', Key)
  return orTerminalError(() =>
    invalidWrite(wrongAction({ Key: toAttributeMap(Key, TableName) }, table), TableName),
  )
}

function noTarget(option: string, expected: string, given: unknown): TerminalError {
  return new TerminalError(
    `${option}: expected ${expected}, got ${kindOf(given)}. Nothing was read or written.`,
  )
}

/** Checks the values first, so that errors name their attributes: in the request they have placeholders. */
function wrongWrite(write: UserWrite, table: TableKeys | undefined): string | undefined {
  const { TableName, where } = write
  return (
    wrongValues(write, table) ??
    wrongConditions(where, TableName) ??
    wrongAction(actionOf(write), table)
  )
}

function actionOf(write: UserWrite): WireAction {
  const { Put, Update, Delete, ConditionCheck } = userAction(write)
  return Put ?? Update ?? Delete ?? ConditionCheck ?? {}
}

/** After an update, an item is at least as large as what the update sets. */
function wrongValues(write: UserWrite, table: TableKeys | undefined): string | undefined {
  const set = 'set' in write ? write.set : undefined
  const item = { ...('put' in write ? write.put : set), ...write.Key }
  const attributes = toAttributeMap(item, write.TableName)
  return (
    (table && wrongIndexKeys(table, attributes)) ??
    wrongItem(attributes) ??
    firstWrong(Object.entries({ ...set, ...('add' in write ? write.add : {}) }), ([name, value]) =>
      wrongNamed(name, value, write.TableName),
    )
  )
}

function wrongConditions(conditions: readonly UserCondition[], table: string): string | undefined {
  return firstWrong(conditions, (condition) => {
    if ('all' in condition) return wrongConditions(condition.all, table)
    if ('any' in condition) return wrongConditions(condition.any, table)
    if (!('field' in condition)) return undefined
    return wrongNamed(condition.field, condition.value, table)
  })
}

/** An empty set is left out of an item, and cannot be set or compared. */
function wrongNamed(name: string, value: UserItem[string], table: string): string | undefined {
  return wrongValue(toAttribute(value, name, table), name)
}

function firstWrong<T, W>(all: readonly T[], wrong: (one: T) => W | undefined): W | undefined {
  for (const one of all) {
    const found = wrong(one)
    if (found !== undefined) return found
  }
  return undefined
}
