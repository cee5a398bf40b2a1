import type { WireItem, WireValue } from '../../../../../library/base/limits/wireValue.ts'
import { idOf, membersOf, addNumbers, ownAttribute, isSetType, typeOf } from '../values/value.ts'
import { invalid } from '../values/refusal.ts'
import {
  allowOnly,
  type Literal,
  type Operand,
  readLiteral,
  readOperand,
  checkOverlap,
  type Path,
  readPath,
  type Resolved,
  resolve,
  valueAt,
  ownOf,
  readList,
  type Scope,
  type Source,
} from './path.ts'

/** An UpdateExpression, or the SET and REMOVE of a PartiQL statement. */
export interface ParsedUpdate {
  readonly actions: readonly Action[]
  /** It has nothing but REMOVE and DELETE, which find nothing in an item that is not there. */
  readonly onlyRemoves: boolean
  /** The attributes that it changes. */
  paths(scope: Pick<Scope, 'names'>): readonly Resolved[]
  /** @throws Refusal when it cannot be made of this item */
  apply(scope: Scope): WireItem
}

interface Action {
  readonly path: Path
  /** undefined: the attribute is removed. */
  readonly value: (scope: Scope) => WireValue | undefined
  /** The value that it is set to, or the members that are added to it, if these do not depend on the item. */
  readonly set?: Literal | undefined
  readonly added?: Literal | undefined
  readonly removes?: true
}

export function readChange(source: Source): ParsedUpdate {
  const actions: Action[] = []
  const seen = new Set<string>()
  for (;;) {
    const word = source.peek().toUpperCase()
    const read = ownOf(CLAUSES, word)
    if (read === undefined) break
    source.take()
    if (seen.has(word) && !source.isPartiQl) {
      throw source.wrong(`The "${word}" section can only be used once in an update expression;`)
    }
    seen.add(word)
    actions.push(...readList(source, read))
  }
  if (actions.length === 0) throw source.unexpected()
  const paths: ParsedUpdate['paths'] = (scope) => actions.map(({ path }) => resolve(path, scope))
  source.checks.push((scope) => checkOverlap(source, paths(scope)))
  const onlyRemoves = !seen.has('SET') && !seen.has('ADD')
  return { actions, onlyRemoves, paths, apply: (scope) => applyAll(actions, scope) }
}

const CLAUSES: Readonly<Record<string, (source: Source) => Action>> = {
  SET: readSet,
  REMOVE: (source) => ({ path: readPath(source), removes: true, value: () => undefined }),
  ADD: (source) => readMembers(source, 'ADD', 'N SS NS BS', added),
  DELETE: (source) => readMembers(source, 'DELETE', 'SS NS BS', without),
}

/**
 * Values are read from the item as it was. What lies behind the end of a list is appended in the order of its places; elements
 * are removed from the end, so that the others keep their index.
 */
function applyAll(actions: readonly Action[], scope: Scope): WireItem {
  const made = actions.map(({ path, value }) => ({ to: resolve(path, scope), value: value(scope) }))
  const removed = made.filter(({ value }) => value === undefined)
  const put = made.filter(({ value }) => value !== undefined)
  const ordered = [
    ...put.toSorted((one, other) => placeIn(one.to) - placeIn(other.to)),
    ...removed.toSorted((one, other) => placeIn(other.to) - placeIn(one.to)),
  ]
  const after = new Map(Object.entries(scope.item ?? {}))
  for (const { to, value } of ordered) {
    const [name = '', ...rest] = to
    const top = rest.length === 0 ? value : replaced(after.get(String(name)), rest, value)
    if (top === undefined) after.delete(String(name))
    else after.set(String(name), top)
  }
  return Object.fromEntries(after)
}

function placeIn(path: Resolved): number {
  const last = path.at(-1)
  return typeof last === 'number' ? last : 0
}

/** What `value` becomes when another is put inside it, or removed if it is undefined. */
function replaced(
  value: WireValue | undefined,
  [step = '', ...rest]: Resolved,
  put: WireValue | undefined,
): WireValue {
  const inside = (now: WireValue | undefined): WireValue | undefined =>
    rest.length === 0 ? put : replaced(now, rest, put)
  if (typeof step === 'number' && value?.L !== undefined) {
    const list = [...value.L]
    const now = inside(list[step])
    if (now !== undefined) list[Math.min(step, list.length)] = now
    else list.splice(step, 1)
    return { L: list }
  }
  if (typeof step === 'string' && value?.M !== undefined) {
    const map = new Map(Object.entries(value.M))
    const now = inside(ownAttribute(value.M, step))
    if (now === undefined) map.delete(step)
    else map.set(step, now)
    return { M: Object.fromEntries(map) }
  }
  throw invalid('The document path provided in the update expression is invalid for update')
}

function readSet(source: Source): Action {
  const path = readPath(source)
  source.expect('=')
  const { read, literal: set, added } = readSum(source)
  return { path, set, added, value: (scope) => present(read(scope)) }
}

interface SetOperand extends Operand, Pick<Action, 'added'> {
  /** The function whose result it is. */
  readonly name?: string
  readonly isEnclosed?: true
}

/** What SET assigns: an operand, or the sum or difference of two. */
function readSum(source: Source): SetOperand {
  const first = readPart(source)
  const sign = source.peek()
  if (sign !== '+' && sign !== '-') return first
  source.take()
  const second = readPart(source)
  for (const each of [first, second]) allowOnly(source, each, 'N', `operator or function: ${sign}`)
  return {
    read: (scope) => {
      const [one, other] = [present(first.read(scope)), present(second.read(scope))]
      if (one.N === undefined || other.N === undefined) throw wrongType()
      return { N: addNumbers(one.N, other.N, sign === '+' ? 1 : -1) }
    },
  }
}

function readPart(source: Source): SetOperand {
  if (source.isPartiQl || !source.takeIf('(')) return readTerm(source)
  const inside = readSum(source)
  if (inside.isEnclosed) throw source.wrong('The expression has redundant parentheses;')
  source.expect(')')
  return { ...inside, isEnclosed: true }
}

/** An operand of SET, which has functions of its own. */
function readTerm(source: Source): SetOperand {
  const name = source.peek()
  const read = ownOf(TERMS, name)
  if (read === undefined) return readOperand(source)
  source.take()
  source.expect('(')
  const first = readTerm(source)
  source.expect(',')
  const second = readTerm(source)
  source.expect(')')
  if (!source.isPartiQl) checkArguments(source, name, [first, second])
  return {
    name,
    read: (scope) => read(first.read(scope), second.read(scope)),
    ...(name === 'set_add' && { added: second.literal }),
  }
}

/** Functions are nested, but for `list_append` in another, and `if_not_exists` asks for an attribute. */
function checkArguments(source: Source, name: string, given: readonly SetOperand[]): void {
  if (name === 'list_append' && given.some((one) => one.name === name)) {
    throw source.wrong(
      `The function is not allowed to be used this way in an expression; function: ${name}`,
    )
  }
  if (name === 'list_append') {
    for (const each of given) allowOnly(source, each, 'L', `operator or function: ${name}`)
  }
  if (name !== 'if_not_exists' || given[0]?.path !== undefined) return
  throw source.wrong(`Operator or function requires a document path; operator or function: ${name}`)
}

type Term = (one: WireValue | undefined, other: WireValue | undefined) => WireValue | undefined

const TERMS: Readonly<Record<string, Term>> = {
  if_not_exists: (one, other) => one ?? other,
  list_append: (one, other) => {
    const [left, right] = [present(one).L, present(other).L]
    if (left === undefined || right === undefined) throw wrongType()
    return { L: [...left, ...right] }
  },
  set_add: (one, other) => added(one, present(other)),
  set_delete: (one, other) => without(one, present(other)),
}

function readMembers(
  source: Source,
  word: string,
  types: string,
  change: (now: WireValue | undefined, members: WireValue) => WireValue | undefined,
): Action {
  const path = readPath(source)
  const literal = readLiteral(source)
  if (literal === undefined) throw source.unexpected()
  allowOnly(source, { read: literal, literal }, types, `operator: ${word}`)
  return {
    path,
    ...(word === 'ADD' && { added: literal }),
    value: (scope) => change(valueAt(scope.item, resolve(path, scope)), present(literal(scope))),
  }
}

/** The sum of two numbers, or the union of two sets. */
function added(now: WireValue | undefined, more: WireValue): WireValue {
  if (now === undefined) return more
  if (now.N !== undefined && more.N !== undefined) return { N: addNumbers(now.N, more.N) }
  const { type, all, some } = setsOf(now, more)
  return { [type]: [...new Map([...all, ...some]).values()] }
}

/** A set without some members. It is removed with the last one. */
function without(now: WireValue | undefined, less: WireValue): WireValue | undefined {
  if (now === undefined) return undefined
  const { type, all, some } = setsOf(now, less)
  for (const id of some.keys()) all.delete(id)
  return all.size === 0 ? undefined : { [type]: [...all.values()] }
}

/** The members of two sets of one type, by their ids. */
function setsOf(one: WireValue, other: WireValue) {
  const type = typeOf(one)
  if (!isSetType(type) || typeOf(other) !== type) throw wrongType()
  const [all, some] = [membersById(one), membersById(other)]
  return { type, all, some }
}

function membersById(set: WireValue): Map<string, unknown> {
  return new Map(membersOf(set).map((member) => [idOf(member), Object.values(member)[0]]))
}

function present(value: WireValue | undefined): WireValue {
  if (value !== undefined) return value
  throw invalid('The provided expression refers to an attribute that does not exist in the item')
}

function wrongType(): Error {
  return invalid('An operand in the update expression has an incorrect data type')
}
