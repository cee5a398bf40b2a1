import type { StandardSchemaV1 } from '@standard-schema/spec'
import { RejectedError } from '../../../base/errors.ts'

export type PayloadForm = 'json' | 'text'

const ISSUES_SHOWN = 5

/** @throws RejectedError when the body is not JSON, or the schema refuses it; or what the schema itself throws */
export function parsePayload(
  body: string,
  form: PayloadForm,
  schema: StandardSchemaV1 | undefined,
): unknown {
  const value = form === 'json' ? parseJson(body) : body
  if (schema === undefined) return value
  const result = schema['~standard'].validate(value)
  return result instanceof Promise
    ? result.then((each) => acceptResult(each, value, schema))
    : acceptResult(result, value, schema)
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    throw new RejectedError(`the body is not JSON${placeOf(error)}`)
  }
}

/** Only the position: the rest of the parser's message quotes the body, and would be written to the log. */
function placeOf(error: unknown): string {
  // @survives StringLiteral: the replacement for the text of a thrown value that is no error neither begins as a JSON error does
  // nor names a position; JSON.parse throws errors only.
  const text = error instanceof Error ? error.message : ''
  if (text.startsWith('Unexpected end')) return ' (it ends too soon)'
  // @survives ArrayDeclaration: only the second place is read, and it stays empty.
  // @survives Regex: The parser of the Node that runs the tests always adds line and column after the position, and no body makes it
  // leave them out; the form without them is that of older versions.
  const [, position] = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(text) ?? []
  return position === undefined ? '' : ` (at character ${position})`
}

/** The nesting is counted only after a RangeError: a deep payload that the schema can read is valid. */
export function asNestingError(error: unknown, body: string): unknown {
  if (!(error instanceof RangeError) || !exceedsNestingLimit(body)) return error
  return new RejectedError(`the payload is nested more than ${MAX_NESTING} levels deep`, {
    cause: error,
  })
}

function acceptResult(
  result: StandardSchemaV1.Result<unknown>,
  payload: unknown,
  schema: StandardSchemaV1,
): unknown {
  if (result.issues === undefined) return result.value
  const shown = result.issues
    .slice(0, ISSUES_SHOWN)
    .map((issue) => describeIssue(issue, payload, declaredNames(schema)))
  const more = result.issues.length - ISSUES_SHOWN
  throw new RejectedError(
    `the schema refuses the payload: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
  )
}

/** JSON.parse accepts any nesting, but schemas, JSON.stringify and structuredClone recurse and can overflow the stack. */
export const MAX_NESTING = 64

export function exceedsNestingLimit(json: string): boolean {
  let nesting = 0
  // @survives EqualityOperator: beyond the end of a text there is no character, neither a bracket nor a quote nor a backslash, and
  // the end is given as the text's length either way.
  for (let at = 0; at < json.length; at++) {
    const char = json[at]
    if (char === '"') at = endOfString(json, at)
    else if (char === '{' || char === '[') nesting += 1
    else if (char === '}' || char === ']') nesting -= 1
    // @protects a payload cannot overflow the stack
    if (nesting > MAX_NESTING) return true
  }
  return false
}

export function endOfString(json: string, start: number): number {
  // @survives EqualityOperator: beyond the end of a text there is no character, neither a bracket nor a quote nor a backslash, and
  // the end is given as the text's length either way.
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === '\\') at += 1
    else if (json[at] === '"') return at
  }
  return json.length
}

/** Replaces a key that only the payload has. */
const UNDECLARED = '*'

/**
 * One issue of a schema, for logs and dead letters: its path and its message, without values and without keys that only the
 * payload has. Some libraries quote the value that they refuse (valibot and arktype do; zod quotes unknown names). Such a message
 * is replaced by the issue's code.
 */
export function describeIssue(
  issue: StandardSchemaV1.Issue,
  payload: unknown,
  declared: DeclaredNames,
): string {
  const what = quotesPayload(issue, payload, declared) ? issueCode(issue) : issue.message
  const path = issue.path?.map((step) =>
    shownStep(typeof step === 'object' ? step.key : step, declared),
  )
  return path === undefined || path.length === 0 ? what : `${cut(path.join('.'))}: ${what}`
}

/** An index reveals nothing about the value. */
function shownStep(step: PropertyKey, declared: DeclaredNames): string {
  if (typeof step === 'number') return String(step)
  return declared.has(String(step)) ? String(step) : UNDECLARED
}

/**
 * Fields outside the standard: `code` of zod and arktype, `type` of valibot. `received`, `actual` and `keys` come from the
 * payload.
 */
type Details = Partial<
  Record<'code' | 'type' | 'expected' | 'received' | 'actual' | 'keys', unknown>
>

function issueCode(issue: StandardSchemaV1.Issue & Details): string {
  const code = [issue.code, issue.type].find((each) => typeof each === 'string')
  const named = typeof code === 'string' ? cut(code) : 'refused'
  return typeof issue.expected === 'string' ? `${named}, expected ${cut(issue.expected)}` : named
}

function quotesPayload(
  issue: StandardSchemaV1.Issue & Details,
  payload: unknown,
  declared: DeclaredNames,
): boolean {
  const message = issue.message.toLowerCase()
  const { received, actual, keys } = issue
  for (const text of textsIn([received, actual, keys, payload], declared)) {
    if (message.includes(text)) return true
  }
  return false
}

/** The most values that a message is compared with. Above this size, every message is assumed to quote the payload. */
const MAX_COMPARED = 10_000

/**
 * Every text, every number and every undeclared key in the value, in lower case. Not recursive, because payloads may be nested
 * deeply.
 */
function* textsIn(value: unknown, declared: DeclaredNames): Generator<string> {
  const left: unknown[] = [value]
  for (let seen = 0; left.length > 0; seen++) {
    const next = left.pop()
    if (seen > MAX_COMPARED) yield ''
    if (typeof next === 'object' && next !== null) {
      const names = Array.isArray(next) ? [] : Object.keys(next)
      left.push(...names.filter((name) => !declared.has(name)))
      for (const held of Object.values(next)) left.push(held)
    } else if (typeof next === 'string' || typeof next === 'number') {
      const text = String(next).trim().toLowerCase()
      if (text !== '') yield text
    }
  }
}

const MAX_CHARACTERS = 200

function cut(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`
}

/** Names that a schema declares. Other names in a payload must not be logged: its keys may be e-mail addresses, for example. */
type DeclaredNames = ReadonlySet<string>

/** The most objects of a schema that are searched. Names in further objects count as undeclared, and are not logged. */
const MAX_OBJECTS = 5_000
/** Some libraries (arktype) describe a property as an object. The property's name is then the value of this key. */
const NAME_OF = 'key'

const known = new WeakMap<StandardSchemaV1, DeclaredNames>()

/**
 * A Standard Schema does not show its shape, so every key that occurs in the schema object counts as declared: libraries keep
 * the shape of an object under the names of its properties.
 */
function declaredNames(schema: StandardSchemaV1): DeclaredNames {
  const before = known.get(schema)
  if (before !== undefined) return before
  const names = namesIn(schema)
  known.set(schema, names)
  return names
}

function namesIn(schema: StandardSchemaV1): DeclaredNames {
  const names = new Set<string>()
  const seen = new Set<unknown>()
  // A schema may itself be a function.
  const left: unknown[] = entriesOf(schema).map(([, value]) => value)
  while (left.length > 0 && seen.size < MAX_OBJECTS) {
    const next = left.shift()
    if (!isHolder(next) || seen.has(next)) continue
    seen.add(next)
    for (const [name, value] of entriesOf(next)) {
      names.add(name)
      if (name === NAME_OF && typeof value === 'string') names.add(value)
      left.push(value)
    }
  }
  return names
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/**
 * Getters that return the shape of an object in some libraries (zod, arktype). Other getters are not called, because they could
 * change the schema.
 */
const SAFE_GETTERS: ReadonlySet<string> = new Set(['shape', 'json'])

function entriesOf(value: object): [string, unknown][] {
  const entries: [string, unknown][] = []
  for (const [name, given] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (given.get === undefined) entries.push([name, given.value])
    else if (SAFE_GETTERS.has(name)) entries.push([name, given.get.call(value)])
  }
  return entries
}
