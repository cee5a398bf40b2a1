import type { WireItem, WireValue } from '../../../../../library/base/limits/wireValue.ts'
import { invalid, type Refusal } from '../values/refusal.ts'
import { ownAttribute, readNumber, typeOf } from '../values/value.ts'
import { isReserved } from './reserved.ts'

/** A path as the text has it, with aliases. */
export type Path = readonly Step[]
type Step = { readonly name: string } | { readonly index: number }

/** A path with the names of attributes, and places in lists. */
export type Resolved = readonly (string | number)[]

export function readPath(source: Source): Path {
  const steps: Step[] = [{ name: readName(source) }]
  for (;;) {
    if (source.takeIf('.')) steps.push({ name: readName(source) })
    else if (source.takeIf('[')) steps.push({ index: readIndex(source) })
    else return steps
  }
}

function readName(source: Source): string {
  const token = source.peek()
  if (!(source.isPartiQl ? /^["A-Za-z_]/ : /^(#\w|[A-Za-z])/).test(token)) {
    throw source.unexpected()
  }
  if (token.startsWith('#')) source.names.add(token)
  else if (!source.isPartiQl && isReserved(token)) {
    throw source.wrong(`Attribute name is a reserved keyword; reserved keyword: ${token}`)
  }
  return unquotedToken(source.take())
}

export function unquotedToken(token: string): string {
  const [quote = ''] = token
  if (quote !== '"' && quote !== "'") return token
  return token.slice(1, -1).replaceAll(quote + quote, quote)
}

function readIndex(source: Source): number {
  if (!/^\d+$/.test(source.peek())) throw source.unexpected()
  const index = Number(source.take())
  source.expect(']')
  return index
}

export function resolve(path: Path, { names }: Pick<Scope, 'names'>): Resolved {
  return path.map((step) => ('index' in step ? step.index : (ownOf(names, step.name) ?? step.name)))
}

export function valueAt(item: WireItem | undefined, path: Resolved): WireValue | undefined {
  const [name = '', ...rest] = path
  let value = ownAttribute(item, String(name))
  for (const step of rest) {
    value = typeof step === 'number' ? value?.L?.[step] : ownAttribute(value?.M, step)
  }
  return value
}

/** @throws Refusal when one path is another, leads to it, or takes for a list what is a map to another */
export function checkOverlap(source: Pick<Source, 'wrong'>, paths: readonly Resolved[]): void {
  const known = new Set(paths.map(textOf))
  checkConflict(source, paths)
  for (const path of paths) {
    const inner = path.findIndex((_, at) => at > 0 && known.has(textOf(path.slice(0, at))))
    if (inner > 0) throw overlap(source, path, path.slice(0, inner))
  }
  const twice = paths.find(
    (path, at) => paths.findIndex((one) => textOf(one) === textOf(path)) < at,
  )
  if (known.size < paths.length && twice !== undefined) throw overlap(source, twice, twice)
}

function checkConflict(source: Pick<Source, 'wrong'>, paths: readonly Resolved[]): void {
  const inside = new Map<string, Resolved>()
  for (const path of paths) {
    for (let depth = 1; depth < path.length; depth++) {
      const outer = textOf(path.slice(0, depth))
      const other = inside.get(outer)
      inside.set(outer, path)
      if (other === undefined || typeof other[depth] === typeof path[depth]) continue
      throw source.wrong(
        `Two document paths conflict with each other; must remove or rewrite one of these paths; path one: ${shownPath(other)}, path two: ${shownPath(path)}`,
      )
    }
  }
}

function overlap(source: Pick<Source, 'wrong'>, one: Resolved, other: Resolved): Error {
  return source.wrong(
    `Two document paths overlap with each other; must remove or rewrite one of these paths; path one: ${shownPath(one)}, path two: ${shownPath(other)}`,
  )
}

function textOf(path: Resolved): string {
  return JSON.stringify(path)
}

export function shownPath(path: Resolved): string {
  return `[${path.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join(', ')}]`
}

/** The paths of a ProjectionExpression. */
export type Projection = (scope: Pick<Scope, 'names'>) => readonly Resolved[]

export function readProjection(source: Source): Projection {
  const paths = readList(source, readPath)
  const projection: Projection = (scope) => paths.map((path) => resolve(path, scope))
  source.checks.push((scope) => checkOverlap(source, projection(scope)))
  return projection
}

/** A part of an item: these paths, as far as they are there. */
export function project(item: WireItem, paths: readonly Resolved[]): WireItem {
  return select({ M: item }, paths)?.M ?? {}
}

function select(value: WireValue, paths: readonly Resolved[]): WireValue | undefined {
  if (paths.some((path) => path.length === 0)) return value
  const inside = (step: string | number, one: WireValue): WireValue | undefined => {
    const rest = paths.filter(([first]) => first === step).map((path) => path.slice(1))
    return rest.length === 0 ? undefined : select(one, rest)
  }
  if (value.L !== undefined) {
    const list = value.L.map((one, at) => inside(at, one)).filter((one) => one !== undefined)
    return list.length === 0 ? undefined : { L: list }
  }
  const found = Object.entries(value.M ?? {}).flatMap(([name, one]) => {
    const part = inside(name, one)
    return part === undefined ? [] : [[name, part] as const]
  })
  return found.length === 0 ? undefined : { M: Object.fromEntries(found) }
}

/** A path, a value, or a function of them, in a condition or a change. */
export interface Operand {
  read(scope: Scope): WireValue | undefined
  /** Its value, if that does not depend on the item. */
  readonly literal?: Literal
  readonly path?: Path
}

export type Literal = (scope: Scope) => WireValue | undefined

export function readOperand(source: Source): Operand {
  const literal = readLiteral(source)
  if (literal !== undefined) return { read: literal, literal }
  if (source.peek() !== 'size') {
    const path = readPath(source)
    return { read: (scope) => valueAt(scope.item, resolve(path, scope)), path }
  }
  source.take()
  source.expect('(')
  if (source.peek() === 'size') {
    throw source.wrong(
      'The function is not allowed to be used this way in an expression; function: size',
    )
  }
  const operand = readOperand(source)
  allowOnly(source, operand, 'S B SS NS BS L M', 'operator or function: size')
  source.expect(')')
  return { read: (scope) => sizeOf(operand.read(scope)) }
}

/** What a literal operand may be: types, separated by blanks. */
export function allowOnly(source: Source, operand: Operand, types: string, where: string): void {
  source.checks.push((scope) => {
    const literal = operand.literal?.(scope)
    if (literal === undefined || types.split(' ').includes(typeOf(literal))) return
    throw source.wrong(
      `Incorrect operand type for operator or function; ${where}, operand type: ${typeOf(literal)}`,
    )
  })
}

export function readLiteral(source: Source): Literal | undefined {
  const token = source.peek()
  if (source.isPartiQl) return readPartiQlLiteral(source, token)
  if (!token.startsWith(':') || token.length === 1) return undefined
  source.values.add(source.take())
  return ({ values }) => values[token]
}

/** Question marks are numbered as they come. */
function readPartiQlLiteral(source: Source, token: string): Literal | undefined {
  const value = token.startsWith("'")
    ? { S: unquotedToken(token) }
    : /^-?\d/.test(token) && { N: readNumber(token) }
  if (value !== false) {
    source.take()
    return () => value
  }
  if (token !== '?') return undefined
  source.take()
  const placeholder = `?${source.values.size}`
  source.values.add(placeholder)
  return ({ values }) => values[placeholder]
}

function sizeOf(value: WireValue | undefined): WireValue | undefined {
  const { S, B, SS, NS, BS, L, M } = value ?? {}
  const sized = S ?? B ?? SS ?? NS ?? BS ?? L ?? (M && Object.keys(M))
  return sized === undefined ? undefined : { N: String(sized.length) }
}

/** What an expression is evaluated against. */
export interface Scope {
  readonly item: WireItem | undefined
  /** `#alias` to name. */
  readonly names: Readonly<Record<string, string>>
  /** `:placeholder`, or `?0` of a PartiQL statement, to value. */
  readonly values: Readonly<Record<string, WireValue>>
}

/** A text that is being read, token by token, and what was found in it. */
export interface Source {
  readonly isPartiQl: boolean
  /** The placeholders that the text uses. */
  readonly names: Set<string>
  readonly values: Set<string>
  /** What can be wrong with the values, whatever the item is. */
  readonly checks: ((scope: Scope) => void)[]
  /** The next token, or one further ahead, without taking it; an empty text behind the end. */
  peek(ahead?: number): string
  take(): string
  /** Takes the next token if it is this word, in any case, or this sign. */
  takeIf(word: string): boolean
  /** @throws Refusal when something else comes */
  expect(word: string): void
  /** That what comes next is not what may come. */
  unexpected(): Refusal
  wrong(why: string): Refusal
}

const TOKENS = /[#:]\w+|\w+|<>|<=|>=|[=<>(),.+\-[\]]|\S/gu
const PARTIQL_TOKENS = /"(?:[^"]|"")*"|'(?:[^']|'')*'|-?\d+(?:\.\d+)?|\w+|<>|<=|>=|\S/gu

/** @param kind the member of the request that holds the text */
export function openSource(kind: string, text: string, isPartiQl = false): Source {
  const tokens = text.match(isPartiQl ? PARTIQL_TOKENS : TOKENS) ?? []
  let at = 0
  const source: Source = {
    isPartiQl,
    names: new Set(),
    values: new Set(),
    checks: [],
    peek: (ahead = 0) => tokens[at + ahead] ?? '',
    take: () => tokens[at++] ?? '',
    takeIf(word) {
      if (source.peek().toUpperCase() !== word) return false
      at += 1
      return true
    },
    expect(word) {
      if (!source.takeIf(word)) throw source.unexpected()
    },
    unexpected() {
      const near = tokens.slice(Math.max(0, at - 1), at + 2).join(' ')
      return source.wrong(`Syntax error; token: "${tokens[at] ?? '<EOF>'}", near: "${near}"`)
    },
    wrong: (why) =>
      invalid(
        isPartiQl
          ? `Statement wasn't well formed, can't be processed: ${why}`
          : `Invalid ${kind}: ${why}`,
      ),
  }
  return source
}

/** What a table has under a word of a text. Without this, each word that every object has, such as `toString`, would be found in it. */
export function ownOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}

/** Reads one after the other, until no comma follows. */
export function readList<T>(source: Source, read: (source: Source) => T): readonly T[] {
  const all = [read(source)]
  while (source.takeIf(',')) all.push(read(source))
  return all
}
