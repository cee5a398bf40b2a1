import { isDeepStrictEqual } from 'node:util'
import * as DYNAMODB from '../../../../../library/base/limits/dynamodb.ts'
import type { WireValue } from '../../../../../library/base/limits/wireValue.ts'
import { areEqual, membersOf, orderOf, typeOf } from '../values/value.ts'
import {
  allowOnly,
  type Literal,
  type Operand,
  readOperand,
  type Path,
  readPath,
  resolve,
  shownPath,
  valueAt,
  ownOf,
  readList,
  type Scope,
  type Source,
} from './path.ts'

type Test = (scope: Scope) => boolean

/** A ConditionExpression, FilterExpression or KeyConditionExpression, or what follows the WHERE of a PartiQL statement. */
export interface ParsedCondition {
  readonly test: Test
  /** What AND joins, at the top. undefined: what is no comparison of a path with values. */
  readonly conjuncts: readonly (Comparison | undefined)[]
  /** It is nothing but a pair of parentheses, around which another pair is refused. */
  readonly isEnclosed: boolean
}

interface Comparison {
  readonly path: Path
  readonly sign: string
  readonly values: readonly Literal[]
}

export function readCondition(source: Source): ParsedCondition {
  const parts = readAllOf(source, 'OR', readConjunction)
  if (parts.length === 1) return parts[0]
  return plain((scope) => parts.some(({ test }) => test(scope)))
}

function readConjunction(source: Source): ParsedCondition {
  const parts = readAllOf(source, 'AND', readOne)
  if (parts.length === 1) return parts[0]
  return {
    test: (scope) => parts.every(({ test }) => test(scope)),
    conjuncts: parts.flatMap(({ conjuncts }) => conjuncts),
    isEnclosed: false,
  }
}

function readAllOf<T>(
  source: Source,
  word: string,
  read: (source: Source) => T,
): readonly [T, ...T[]] {
  const parts: [T, ...T[]] = [read(source)]
  while (source.takeIf(word)) parts.push(read(source))
  return parts
}

function readOne(source: Source): ParsedCondition {
  if (source.takeIf('NOT')) {
    const { test } = readOne(source)
    return plain((scope) => !test(scope))
  }
  if (source.peek() !== '(' || isOperandNext(source)) return readSimple(source)
  source.take()
  const inside = readCondition(source)
  if (inside.isEnclosed && !source.isPartiQl) {
    throw source.wrong('The expression has redundant parentheses;')
  }
  source.expect(')')
  return { ...inside, isEnclosed: true }
}

function readSimple(source: Source): ParsedCondition {
  const read = ownOf(FUNCTIONS, source.peek())
  if (read === undefined) return readComparison(source)
  source.take()
  source.expect('(')
  const condition = read(source)
  source.expect(')')
  return condition
}

/** @param sign of what compares the first operand with the others */
function plain(test: Test, sign = '', operands: readonly Operand[] = []): ParsedCondition {
  const [{ path } = {}, ...others] = operands
  const values = others.flatMap(({ literal }) => literal ?? [])
  const isComparison = path !== undefined && values.length === others.length
  const conjuncts = [isComparison ? { path, sign, values } : undefined]
  return { test, conjuncts, isEnclosed: false }
}

const FUNCTIONS: Readonly<Record<string, (source: Source) => ParsedCondition>> = {
  attribute_exists: (source) => readPresence(source, true),
  attribute_not_exists: (source) => readPresence(source, false),
  attribute_type: readTypeTest,
  begins_with: (source) => readPair(source, 'begins_with', 'S B', beginsWith),
  contains: (source) => readPair(source, 'contains', undefined, contains),
}

function readPresence(source: Source, isPresent: boolean): ParsedCondition {
  const path = readPath(source)
  return plain((scope) => (valueAt(scope.item, resolve(path, scope)) !== undefined) === isPresent)
}

const TYPES = ['B', 'NULL', 'SS', 'BOOL', 'L', 'BS', 'N', 'NS', 'S', 'M']

function readTypeTest(source: Source): ParsedCondition {
  const checkName = ({ literal }: Operand): void => {
    if (literal === undefined) {
      throw source.wrong(
        'Incorrect operand type for operator or function; operator or function: attribute_type, operand type: an attribute',
      )
    }
    source.checks.push((scope) => {
      const { S: type } = literal(scope) ?? {}
      if (type === undefined || TYPES.includes(type)) return
      throw source.wrong(
        `Invalid attribute type name found; type: ${type}, valid types: {${TYPES.join(',')}}`,
      )
    })
  }
  const isOfType = (value: WireValue, type: WireValue): boolean => typeOf(value) === type.S
  return readPair(source, 'attribute_type', 'S', isOfType, checkName)
}

/**
 * @param types what the second operand may be; undefined: anything
 * @param check what else is asked of it
 */
function readPair(
  source: Source,
  name: string,
  types: string | undefined,
  holds: (one: WireValue, other: WireValue) => boolean,
  check?: (other: Operand) => void,
): ParsedCondition {
  const one = readOperand(source)
  source.expect(',')
  const other = readOperand(source)
  check?.(other)
  if (types !== undefined) allowOnly(source, other, types, `operator or function: ${name}`)
  refuseSame(source, name, one, other)
  const test: Test = (scope) => {
    const [left, right] = [one.read(scope), other.read(scope)]
    return left !== undefined && right !== undefined && holds(left, right)
  }
  return plain(test, name, [one, other])
}

function beginsWith(value: WireValue, start: WireValue): boolean {
  if (value.S !== undefined && start.S !== undefined) return value.S.startsWith(start.S)
  if (value.B === undefined || start.B === undefined) return false
  return Buffer.compare(value.B.subarray(0, start.B.length), start.B) === 0
}

function contains(value: WireValue, member: WireValue): boolean {
  if (value.S !== undefined) return member.S !== undefined && value.S.includes(member.S)
  if (value.B !== undefined) {
    return member.B !== undefined && Buffer.from(value.B).includes(Buffer.from(member.B))
  }
  return [...(value.L ?? []), ...membersOf(value)].some((one) => areEqual(one, member))
}

/** An operand may stand in parentheses. */
function readEnclosed(source: Source): Operand {
  if (source.isPartiQl || !source.takeIf('(')) return readOperand(source)
  const operand = readEnclosed(source)
  source.expect(')')
  return operand
}

/** Whether the parenthesis that comes encloses an operand: a comparison follows on it. */
function isOperandNext(source: Source): boolean {
  if (source.isPartiQl) return false
  let [at, depth] = [0, 0]
  do {
    const token = source.peek(at++)
    if (token === '') return false
    if (token === '(') depth += 1
    if (token === ')') depth -= 1
  } while (depth > 0)
  const next = source.peek(at).toUpperCase()
  return next === 'BETWEEN' || next === 'IN' || ownOf(COMPARISONS, next) !== undefined
}

/** `n <> n` is a mistake, and no test. */
function refuseSame(source: Source, sign: string, one: Operand, other: Operand): void {
  const [left, right] = [one.path, other.path]
  if (left === undefined || right === undefined || source.isPartiQl) return
  source.checks.push((scope) => {
    const path = resolve(left, scope)
    if (!isDeepStrictEqual(path, resolve(right, scope))) return
    throw source.wrong(
      `The first operand must be distinct from the remaining operands for this operator or function; operator: ${sign}, first operand: ${shownPath(path)}`,
    )
  })
}

function readComparison(source: Source): ParsedCondition {
  const operand = readEnclosed(source)
  if (source.isPartiQl && source.takeIf('IS')) return readMissing(source, operand)
  if (source.takeIf('BETWEEN')) return readBetween(source, operand)
  if (source.takeIf('IN')) return readIn(source, operand)
  const sign = source.peek()
  const holds = ownOf(COMPARISONS, sign)
  if (holds === undefined) throw source.unexpected()
  source.take()
  const other = readEnclosed(source)
  refuseSame(source, sign, operand, other)
  if (sign !== '=' && sign !== '<>') {
    for (const each of [operand, other]) allowOnly(source, each, 'S N B', `operator: ${sign}`)
  }
  const test: Test = (scope) => {
    const [one, two] = [operand.read(scope), other.read(scope)]
    // A missing attribute is other than any value in an expression, and neither other nor equal in PartiQL.
    if (source.isPartiQl && (one === undefined || two === undefined)) return false
    return holds(one, two)
  }
  const isTurned = other.path !== undefined && operand.literal !== undefined && !source.isPartiQl
  return isTurned
    ? plain(test, TURNED[sign] ?? sign, [other, operand])
    : plain(test, sign, [operand, other])
}

/** What `:v < n` asks of `n`. */
const TURNED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

type Compare = (one: WireValue | undefined, other: WireValue | undefined) => boolean

const areSame: Compare = (one, other) =>
  one !== undefined && other !== undefined && areEqual(one, other)

const COMPARISONS: Readonly<Record<string, Compare>> = {
  '=': areSame,
  '<>': (one, other) => !areSame(one, other),
  '<': inOrder((order) => order < 0),
  '<=': inOrder((order) => order <= 0),
  '>': inOrder((order) => order > 0),
  '>=': inOrder((order) => order >= 0),
}

function inOrder(fits: (order: number) => boolean): Compare {
  return (one, other) => {
    const order = one && other && orderOf(one, other)
    return order !== undefined && fits(order)
  }
}

function readMissing(source: Source, { read }: Operand): ParsedCondition {
  const isPresent = source.takeIf('NOT')
  source.expect('MISSING')
  return plain((scope) => (read(scope) !== undefined) === isPresent)
}

function readBetween(source: Source, operand: Operand): ParsedCondition {
  const lower = readEnclosed(source)
  source.expect('AND')
  const upper = readEnclosed(source)
  source.checks.push((scope) => checkBounds(source, lower.literal?.(scope), upper.literal?.(scope)))
  const test: Test = (scope) => {
    const [value, low, high] = [operand, lower, upper].map(({ read }) => read(scope))
    const above = value && low && orderOf(value, low)
    const below = value && high && orderOf(value, high)
    return above !== undefined && below !== undefined && above >= 0 && below <= 0
  }
  return plain(test, 'BETWEEN', [operand, lower, upper])
}

function checkBounds(
  source: Pick<Source, 'wrong'>,
  low: WireValue | undefined,
  high: WireValue | undefined,
): void {
  if (low === undefined || high === undefined) return
  const bounds = `lower bound operand: AttributeValue: ${shown(low)}, upper bound operand: AttributeValue: ${shown(high)}`
  if (typeOf(low) !== typeOf(high)) {
    throw source.wrong(
      `The BETWEEN operator requires same data type for lower and upper bounds; ${bounds}`,
    )
  }
  if ((orderOf(low, high) ?? 0) > 0) {
    throw source.wrong(
      `The BETWEEN operator requires upper bound to be greater than or equal to lower bound; ${bounds}`,
    )
  }
}

function shown(value: WireValue): string {
  const type = typeOf(value)
  return `{${type}:${value.S ?? value.N ?? JSON.stringify(Object.values(value)[0])}}`
}

function readIn(source: Source, operand: Operand): ParsedCondition {
  const closing = source.isPartiQl && source.takeIf('[') ? ']' : ')'
  if (closing === ')') source.expect('(')
  const members = readList(source, readOperand)
  source.expect(closing)
  if (members.length > DYNAMODB.inOperands) {
    throw source.wrong('Invalid number of operands for operator or function; operator: IN')
  }
  return plain((scope) => {
    const value = operand.read(scope)
    return members.some((member) => areSame(value, member.read(scope)))
  })
}
