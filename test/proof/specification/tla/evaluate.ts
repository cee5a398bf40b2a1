import type { Bound, Change, Definition, Expression, Operation } from './syntax.ts'
import {
  asGroup,
  at,
  type Group,
  groupOf,
  replaced,
  rowOf,
  rowOn,
  textOf,
  type Value,
} from './values.ts'

/** By name: constants, definitions, and what is bound around an expression. */
export interface Scope {
  readonly find: (name: string) => Value | Meaning | undefined
}

/** What a name was defined as, and the scope of its body. */
export interface Meaning {
  readonly definition: Definition
  readonly scope: () => Scope
  /** Of a definition that speaks of no state: its value is the same in every state, and kept when it was found once. */
  readonly constant?: { value?: Value }
}

/** A state, and what an action has said so far of the next one. */
export interface Step {
  readonly now: ReadonlyMap<string, Value>
  readonly next: ReadonlyMap<string, Value>
}

export function bind(scope: Scope, names: ReadonlyMap<string, Value | Meaning>): Scope {
  return { find: (name) => names.get(name) ?? scope.find(name) }
}

export function isMeaning(found: Value | Meaning | undefined): found is Meaning {
  return typeof found === 'object' && 'definition' in found
}

/** The scope inside a definition. `values`: of its parameters. */
export function inside({ definition, scope }: Meaning, values: readonly Value[]): Scope {
  const { parameters } = definition
  return bind(scope(), new Map(parameters.map((name, nth) => [name, values[nth] ?? false])))
}

export function withLet(definitions: readonly Definition[], scope: Scope): Scope {
  const inner: Scope = bind(
    scope,
    new Map(definitions.map((definition) => [definition.name, { definition, scope: () => inner }])),
  )
  return inner
}

/** @param before the value of `@` */
export function evaluate(of: Expression, scope: Scope, step: Step, before?: Value): Value {
  const value = (part: Expression): Value => evaluate(part, scope, step, before)
  const isTrue = (part: Expression): boolean => value(part) === true
  const each = (bound: Bound): Group => asGroup(value(bound.from))
  const under = ({ name }: Bound, member: Value, to: Expression): Value =>
    evaluate(to, bind(scope, new Map([[name, member]])), step, before)
  switch (of.is) {
    case 'literal':
    case 'given':
      return of.value
    case 'name':
      return named(of.name, of.given.map(value), scope, step)
    case 'primed':
      return known(step.next.get(of.name), of.name)
    case 'before':
      return known(before, '@')
    case 'all':
      return of.parts.every(isTrue)
    case 'any':
      return of.parts.some(isTrue)
    case 'not':
      return !isTrue(of.of)
    case 'set':
      return setOf(of, value)
    case 'mapped':
      return groupOf(each(of.each).members.map((member) => under(of.each, member, of.to)))
    case 'function':
      return rowOf(
        each(of.each).members.map((member) => [member, under(of.each, member, of.to)] as const),
      )
    case 'some':
      return each(of.each).members.some((member) => under(of.each, member, of.to) === true)
    case 'every':
      return each(of.each).members.every((member) => under(of.each, member, of.to) === true)
    case 'record':
      return recordOf(of, value)
    case 'at':
      return at(value(of.of), value(of.key))
    case 'except':
      return excepted(value(of.of), of.changes, (part, old) => evaluate(part, scope, step, old))
    case 'cases':
      return value(chosen(of, isTrue))
    case 'let':
      return evaluate(of.in, withLet(of.definitions, scope), step, before)
    case 'unchanged':
    case 'tuple':
      throw new Error(`${of.is} stands where a value is expected`)
    default:
      return operated(of, value)
  }
}

function named(name: string, given: readonly Value[], scope: Scope, step: Step): Value {
  const found = scope.find(name) ?? step.now.get(name)
  if (!isMeaning(found)) return known(found, name)
  const { constant } = found
  if (constant?.value !== undefined) return constant.value
  const value = evaluate(found.definition.body, inside(found, given), step)
  if (constant !== undefined) constant.value = value
  return value
}

const literalSets = new WeakMap<Expression, Group>()

function setOf(of: Extract<Expression, { is: 'set' }>, value: (part: Expression) => Value): Value {
  const before = literalSets.get(of)
  if (before !== undefined) return before
  const set = groupOf(of.members.map(value))
  if (of.members.every(({ is }) => is === 'literal')) literalSets.set(of, set)
  return set
}

type RecordExpression = Extract<Expression, { is: 'record' }>
const domains = new WeakMap<Expression, { domain: Group; inOrder: readonly Expression[] }>()

/** The order of its fields is the same each time. */
function recordOf(of: RecordExpression, value: (part: Expression) => Value): Value {
  let known = domains.get(of)
  if (known === undefined) {
    const domain = groupOf(of.fields.map(([name]) => name))
    const byName = new Map(of.fields)
    const inOrder = domain.members.flatMap((name) =>
      typeof name === 'string' ? (byName.get(name) ?? []) : [],
    )
    known = { domain, inOrder }
    domains.set(of, known)
  }
  return rowOn(known.domain, known.inOrder.map(value))
}

function known(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`${name} has no value here`)
  return value
}

export function chosen(
  { cases, other }: Extract<Expression, { is: 'cases' }>,
  isTrue: (part: Expression) => boolean,
): Expression {
  const found = cases.find(({ when }) => isTrue(when))?.gives ?? other
  if (found === undefined) throw new Error('no case of a CASE is true')
  return found
}

function excepted(
  row: Value,
  changes: readonly Change[],
  value: (part: Expression, old?: Value) => Value,
): Value {
  return changes.reduce(
    (sum, { path, to }) =>
      replaced(
        sum,
        path.map((part) => value(part)),
        (old) => value(to, old),
      ),
    row,
  )
}

function operated({ is, left, right }: Operation, value: (part: Expression) => Value): Value {
  if (is === '=>') return value(left) !== true || value(right) === true
  const one = value(left)
  const other = value(right)
  switch (is) {
    case '=':
      return one === other
    case '#':
      return one !== other
    case '\\in':
      return asGroup(other).members.includes(one)
    case '\\notin':
      return !asGroup(other).members.includes(one)
    case '\\cup':
      return groupOf([...asGroup(one).members, ...asGroup(other).members])
    case '\\':
      return groupOf(asGroup(one).members.filter((each) => !asGroup(other).members.includes(each)))
    default:
      return counted(is, asNumber(one), asNumber(other))
  }
}

function counted(
  is: '<' | '>' | '<=' | '>=' | '..' | '+' | '-',
  one: number,
  other: number,
): Value {
  switch (is) {
    case '<':
      return one < other
    case '>':
      return one > other
    case '<=':
      return one <= other
    case '>=':
      return one >= other
    case '..':
      return groupOf(Array.from({ length: Math.max(other - one + 1, 0) }, (_, nth) => one + nth))
    case '+':
      return one + other
    case '-':
      return one - other
  }
}

function asNumber(value: Value): number {
  if (typeof value === 'number') return value
  throw new Error(`${textOf(value)} is no number`)
}
