import * as DYNAMODB from '../../../../../library/base/limits/dynamodb.ts'
import { textBytes } from '../../../../../library/base/limits/wireValue.ts'
import { invalid, Refusal } from '../values/refusal.ts'
import { readValue } from '../values/value.ts'
import { type ParsedUpdate, readChange } from './change.ts'
import { type ParsedCondition, readCondition } from './condition.ts'
import { type Projection, readProjection, openSource, type Scope, type Source } from './path.ts'

const READERS: Readers = {
  ConditionExpression: readCondition,
  FilterExpression: readCondition,
  KeyConditionExpression: readCondition,
  ProjectionExpression: readProjection,
  UpdateExpression: readChange,
}

interface Expressions {
  readonly ConditionExpression: ParsedCondition
  readonly FilterExpression: ParsedCondition
  readonly KeyConditionExpression: ParsedCondition
  readonly ProjectionExpression: Projection
  readonly UpdateExpression: ParsedUpdate
}
type Readers = { readonly [K in Kind]: (source: Source) => Expressions[K] }
type Kind = keyof Expressions
const KINDS = Object.keys(READERS) as readonly Kind[]

/** The members of a request that hold expressions and what they name. */
export type Texts = { readonly [K in Kind]?: string } & {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>
}

/** The expressions of a request, ready to be evaluated. */
export type BoundExpressions = { readonly [K in Kind]?: Expressions[K] } & {
  readonly scope: Omit<Scope, 'item'>
}

/** @throws Refusal when an expression cannot be read, or does not fit the names and values */
export function bind(request: Texts): BoundExpressions {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = request
  const parsed = KINDS.flatMap((kind) => {
    const text = request[kind]
    return text === undefined ? [] : [[kind, parseExpression(kind, text)] as const]
  })
  if (parsed.length === 0) refuseUnneeded(request)
  const scope = { names: names ?? {}, values: valuesOf(values ?? {}) }
  const sources = parsed.map(([, { source }]) => source)
  const usedNames = new Set(sources.flatMap((source) => [...source.names]))
  const usedValues = new Set(sources.flatMap((source) => [...source.values]))
  checkPlaceholders('Names', names, usedNames)
  checkPlaceholders('Values', values, usedValues)
  for (const { checks } of sources) for (const check of checks) check({ ...scope, item: undefined })
  const bound = parsed.map(([kind, { expression }]) => [kind, expression])
  return { ...(Object.fromEntries(bound) as BoundExpressions), scope }
}

interface Parsed<K extends Kind> {
  readonly expression: Expressions[K]
  readonly source: Source
}

/** A program sends the same few texts all the time. */
const known = new Map<string, Parsed<Kind>>()
const MOST_KNOWN = 2_000

/** @throws Refusal when it cannot be read */
export function parseExpression<K extends Kind>(kind: K, text: string): Parsed<K> {
  const before = known.get(`${kind} ${text}`)
  if (before !== undefined) return before as Parsed<K>
  const source = openSource(kind, text)
  const bytes = textBytes(text)
  if (bytes > DYNAMODB.expressionBytes) {
    throw source.wrong(
      `Expression size has exceeded the maximum allowed size; expression size: ${bytes}`,
    )
  }
  if (source.peek() === '') throw source.wrong('The expression can not be empty;')
  const parsed = { expression: READERS[kind](source), source }
  if (source.peek() !== '') throw source.unexpected()
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(`${kind} ${text}`, parsed)
  return parsed
}

function refuseUnneeded(request: Texts): void {
  for (const member of ['ExpressionAttributeNames', 'ExpressionAttributeValues'] as const) {
    if (request[member] !== undefined) {
      throw invalid(`${member} can only be specified when using expressions`)
    }
  }
}

function valuesOf(given: Readonly<Record<string, unknown>>): Scope['values'] {
  const entries = Object.entries(given).map(([placeholder, value]) => {
    try {
      return [placeholder, readValue(value)]
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw invalid(
        `ExpressionAttributeValues contains invalid value: ${error.message} for key ${placeholder}`,
      )
    }
  })
  return Object.fromEntries(entries) as Scope['values']
}

/** Each that is used is given, and each that is given is used. */
function checkPlaceholders(
  what: 'Names' | 'Values',
  given: Readonly<Record<string, unknown>> | undefined,
  used: ReadonlySet<string>,
): void {
  const all = Object.keys(given ?? {})
  if (given !== undefined && all.length === 0) {
    throw invalid(`ExpressionAttribute${what} must not be empty`)
  }
  for (const placeholder of used) {
    if (given === undefined || !Object.hasOwn(given, placeholder)) {
      throw invalid(UNDEFINED[what] + placeholder)
    }
  }
  const unused = all.filter((placeholder) => !used.has(placeholder))
  if (unused.length === 0) return
  throw invalid(
    `Value provided in ExpressionAttribute${what} unused in expressions: keys: {${unused.join(', ')}}`,
  )
}

const UNDEFINED = {
  Names: 'An expression attribute name used in the document path is not defined; attribute name: ',
  Values: 'An expression attribute value used in expression is not defined; attribute value: ',
} as const
