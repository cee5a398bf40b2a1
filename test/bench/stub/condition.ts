import type { Attribute, Item } from './item.ts'
import { type Cursor, openCursor, unreadable } from './tokens.ts'

/** What a text is evaluated against. */
export interface Scope {
  readonly item: Item | undefined
  /** `#alias` to name. */
  readonly names: Readonly<Record<string, string>>
  /** `:placeholder` or `?0` to value. */
  readonly values: Readonly<Record<string, Attribute>>
}

export type Test = (scope: Scope) => boolean
export type Read = (scope: Scope) => Attribute | undefined

/** A ConditionExpression, or the WHERE of a PartiQL statement whose question marks are numbered. */
export function compileCondition(text: string): Test {
  const cursor = openCursor(text)
  const test = readAny(cursor)
  if (cursor.peek() !== '') throw unreadable(cursor, 'the end')
  return test
}

function readAny(cursor: Cursor): Test {
  const tests = [readAll(cursor)]
  while (cursor.takeIf('OR')) tests.push(readAll(cursor))
  return (scope) => tests.some((test) => test(scope))
}

function readAll(cursor: Cursor): Test {
  const tests = [readOne(cursor)]
  while (cursor.takeIf('AND')) tests.push(readOne(cursor))
  return (scope) => tests.every((test) => test(scope))
}

function readOne(cursor: Cursor): Test {
  if (cursor.takeIf('(')) {
    const inside = readAny(cursor)
    cursor.expect(')')
    return inside
  }
  if (cursor.takeIf('NOT')) {
    const inside = readOne(cursor)
    return (scope) => !inside(scope)
  }
  if (cursor.takeIf('CONTAINS')) return readMembership(cursor)
  if (cursor.takeIf('ATTRIBUTE_EXISTS')) return readPresence(cursor, true)
  if (cursor.takeIf('ATTRIBUTE_NOT_EXISTS')) return readPresence(cursor, false)
  return readComparison(cursor)
}

function readPresence(cursor: Cursor, present: boolean): Test {
  cursor.expect('(')
  const read = readOperand(cursor)
  cursor.expect(')')
  return (scope) => (read(scope) !== undefined) === present
}

/** Of a set of texts, the only one that the framework keeps. */
function readMembership(cursor: Cursor): Test {
  cursor.expect('(')
  const set = readOperand(cursor)
  cursor.expect(',')
  const member = readOperand(cursor)
  cursor.expect(')')
  return (scope) => set(scope)?.SS?.includes(member(scope)?.S ?? '') === true
}

function readComparison(cursor: Cursor): Test {
  const left = readOperand(cursor)
  if (cursor.takeIf('IS')) {
    const present = cursor.takeIf('NOT')
    cursor.expect('MISSING')
    return (scope) => (left(scope) !== undefined) === present
  }
  const compare = COMPARE[cursor.take()]
  if (compare === undefined) throw unreadable(cursor, 'a comparison')
  const right = readOperand(cursor)
  return (scope) => {
    const order = orderOf(left(scope), right(scope))
    return order !== undefined && compare(order)
  }
}

const COMPARE: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

export function readOperand(cursor: Cursor): Read {
  const token = cursor.take()
  if (token.startsWith(':') || token.startsWith('?')) return ({ values }) => values[token]
  return (scope) => scope.item?.[nameOf(token, scope)]
}

export function nameOf(token: string, { names }: Pick<Scope, 'names'>): string {
  return token.startsWith('#') ? (names[token] ?? token) : token.replaceAll('"', '')
}

/** Undefined: the two cannot be compared, and no comparison of them holds. */
function orderOf(one: Attribute | undefined, other: Attribute | undefined): number | undefined {
  if (one?.N !== undefined && other?.N !== undefined) return Number(one.N) - Number(other.N)
  const [left, right] = [one?.S ?? one?.BOOL, other?.S ?? other?.BOOL]
  if (left === undefined || right === undefined || typeof left !== typeof right) return undefined
  if (left === right) return 0
  return left < right ? -1 : 1
}
