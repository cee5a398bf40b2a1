import * as DYNAMODB from '../../../base/limits/dynamodb.ts'
import { isPlain, kindOf } from '../../../base/kindOf.ts'
import type { RawWrite, UserItem, UserKey } from '../../../protocol/store/store.ts'
import { canonical } from '../../../protocol/store/value.ts'
import { checkGuards } from './checkGuard.ts'
import {
  toFields,
  type Fields,
  onTable,
  refuseAt,
  targetOf,
  invalidCall,
  checkItem,
  type Refuse,
} from './checkValue.ts'
import { type Guards, guardsIn } from './guard.ts'
import { unknownName } from '../../../base/options.ts'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { ConfigError } from '../../../base/errors.ts'

/** What a write can do to its item. */
const PARTS = ['put', 'set', 'add', 'remove', 'delete', 'check', 'raw'] as const
const EXPECTED =
  '{ TableName, Key } with set, add, remove, put, delete: true or check, or a list of such'

/**
 * Checks one write or a list of them, for one transaction. A part under a wrong name would be ignored and the record completed, so
 * anything unknown, missing or empty is refused before anything is written.
 * @param call what the error names, such as `ctx.write('sell')`
 * @throws ConfigError naming the call, the table and the attribute, what was expected and what kind of thing was given
 */
export function checkWrites(call: string, given: unknown): readonly (CheckedWrite | RawWrite)[] {
  if (!Array.isArray(given)) return [readWrite(call, given)]
  // @protects a transaction leaves room for the claim
  // @without its left @tests test/context/wrongWrites
  const most = DYNAMODB.transactionItems - 1
  if (given.length === 0 || given.length > most) {
    throw invalidCall(
      call,
      `expected 1 to ${most} writes (DynamoDB takes ${most + 1} in a transaction, one of which is the claim); got ${given.length}`,
    )
  }
  const writes = given.map((each: unknown, index) => readWrite(`${call}, write ${index}`, each))
  eachOnItsOwnItem(call, writes)
  return writes
}

function fieldsOf(call: string, given: unknown): Fields {
  const fields = toFields(given)
  if (fields === undefined) throw invalidCall(call, `expected ${EXPECTED}; got ${kindOf(given)}`)
  const allowed = ['TableName', 'Key', 'guard', ...PARTS]
  const unknown = unknownName(fields, 'raw' in fields ? ['raw'] : allowed)
  if (unknown !== undefined) throw invalidCall(onTable(call, fields), unknown)
  return fields
}

function readWrite(call: string, given: unknown): CheckedWrite | RawWrite {
  const fields = fieldsOf(call, given)
  if (fields['raw'] !== undefined) return { raw: checkRaw(call, fields['raw']) }
  const target = targetOf(call, fields)
  const here = onTable(call, fields)
  const refuse = refuseAt(here)
  const guard = guardOf(here, fields, refuse)
  const change = changeOf(here, fields, refuse)
  if (change.kind === 'update' && isEmpty(change) && !writesVersion(guard)) {
    throw invalidCall(here, 'there is nothing to write: set, add and remove name no attribute')
  }
  return { ...target, guard, ...change }
}

function isEmpty({
  set,
  add = {},
  remove = [],
}: Extract<CheckedChange, { kind: 'update' }>): boolean {
  return Object.keys(set).length + Object.keys(add).length + remove.length === 0
}

function writesVersion(guard: Guards | undefined): boolean {
  return guardsIn(guard).some(({ kind }) => kind === 'newerThan')
}

function guardOf(here: string, { guard, check }: Fields, refuse: Refuse): Guards | undefined {
  if (guard === undefined)
    return check === undefined ? undefined : checkGuards(check, refuse, 'check')
  if (check === undefined) return checkGuards(guard, refuse, 'guard')
  throw invalidCall(here, "'check' is a guard itself: put both into it as a list")
}

/** A write with one of these options has no other change. */
const ALONE: ReadonlySet<string> = new Set(['put', 'delete', 'check'])

function changeOf(here: string, fields: Fields, refuse: Refuse): CheckedChange {
  const parts = PARTS.filter((part) => fields[part] !== undefined)
  const [first] = parts
  if (first === undefined) {
    const given = Object.keys(fields).join(', ')
    throw invalidCall(here, `there is nothing to write: expected ${EXPECTED}; got ${given}`)
  }
  if (parts.length > 1 && parts.some((part) => ALONE.has(part))) {
    throw invalidCall(here, `${parts.join(' and ')} cannot be in one write; give a list of writes`)
  }
  switch (first) {
    case 'put':
      return { kind: 'put', put: attributesOf('put', fields['put'], refuse) }
    case 'delete':
      if (fields['delete'] !== true) throw refuse('delete', 'true', fields['delete'])
      return { kind: 'delete' }
    case 'check':
      return { kind: 'check' }
    default:
      return updateOf(fields, refuse)
  }
}

function updateOf(fields: Fields, refuse: Refuse): CheckedChange {
  const set = fields['set'] === undefined ? {} : attributesOf('set', fields['set'], refuse)
  const add = fields['add'] === undefined ? undefined : amountsOf(fields['add'], refuse)
  const remove = fields['remove'] === undefined ? undefined : namesOf(fields['remove'], refuse)
  return { kind: 'update', set, add, remove }
}

function attributesOf(part: string, given: unknown, refuse: Refuse): UserItem {
  if (typeof given !== 'object' || given === null || !isPlain(given)) {
    throw refuse(part, 'a plain object of attributes', given)
  }
  return checkItem(given, refuse)
}

function amountsOf(given: unknown, refuse: Refuse): Readonly<Record<string, number>> {
  const fields = toFields(given)
  if (fields === undefined) throw refuse('add', 'an object of amounts, such as { total: 5 }', given)
  for (const [name, amount] of Object.entries(fields)) {
    if (typeof amount !== 'number' || !Number.isFinite(amount)) {
      throw refuse(`add: ${name}`, 'a finite number', amount)
    }
  }
  return fields as Readonly<Record<string, number>>
}

function namesOf(given: unknown, refuse: Refuse): readonly string[] {
  if (!Array.isArray(given)) throw refuse('remove', "a list of names, such as ['note']", given)
  return given.map((name: unknown, index) => {
    if (typeof name === 'string' && name !== '') return name
    throw refuse(`remove[${index}]`, 'the name of an attribute', name)
  })
}

/** A transaction may have one action per item. DynamoDB would report it only when the transaction is sent. */
function eachOnItsOwnItem(call: string, writes: readonly (CheckedWrite | RawWrite)[]): void {
  const first = new Map<string, number>()
  for (const [index, write] of writes.entries()) {
    if ('raw' in write) continue
    const item = `${write.TableName} ${canonical(write.Key)}`
    const other = first.get(item)
    // @protects two writes of one item are refused before the transaction
    // @tests test/context/wrongWrites
    if (other !== undefined) {
      throw invalidCall(
        call,
        `writes ${other} and ${index} are on one item of table ${JSON.stringify(write.TableName)}: make one write of them`,
      )
    }
    first.set(item, index)
  }
}

const ACTIONS = ['Put', 'Update', 'Delete', 'ConditionCheck']
/** Maps from names to AttributeValues. */
const VALUES = ['Item', 'Key', 'ExpressionAttributeValues']
const TYPES = ['S', 'N', 'B', 'SS', 'NS', 'BS', 'L', 'M', 'BOOL', 'NULL']

/** @throws ConfigError when it is not an item of TransactWriteItems, or its values are not AttributeValues */
function checkRaw(call: string, given: unknown): TransactWriteItem {
  const actions = Object.entries(asFields(given)).filter(([, action]) => action !== undefined)
  const [only] = actions
  if (only === undefined || actions.length > 1 || !ACTIONS.includes(only[0])) {
    const expected = 'one of { Put }, { Update }, { Delete } or { ConditionCheck }'
    throw wrong(call, `expected ${expected}; got ${kindOf(given)}`)
  }
  const [name, content] = only
  const action = asFields(content)
  if (typeof action['TableName'] !== 'string') {
    throw wrong(call, `${name}: expected an object with TableName; got ${kindOf(content)}`)
  }
  for (const part of VALUES) checkValues(call, `${name}.${part}`, action[part])
  return given as TransactWriteItem
}

function checkValues(call: string, path: string, values: unknown): void {
  for (const [name, value] of Object.entries(asFields(values))) {
    const types = Object.keys(asFields(value))
    if (types.length === 1 && TYPES.includes(types[0] ?? '')) continue
    throw wrong(
      call,
      `${path}.${name}: expected an AttributeValue, such as { S: 'a' } (marshall of @aws-sdk/util-dynamodb makes them); got ${kindOf(value)}`,
    )
  }
}

function wrong(call: string, what: string): ConfigError {
  return new ConfigError(`${call}: raw: ${what}. Nothing was written.`)
}

function asFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {}
}

type CheckedChange =
  | { readonly kind: 'put'; readonly put: UserItem }
  | {
      readonly kind: 'update'
      readonly set: UserItem
      readonly add: Readonly<Record<string, number>> | undefined
      readonly remove: readonly string[] | undefined
    }
  | { readonly kind: 'delete' }
  | { readonly kind: 'check' }

/** A checked write: its kind is known, and its values can be stored. */
export type CheckedWrite = UserKey & { readonly guard: Guards | undefined } & CheckedChange
