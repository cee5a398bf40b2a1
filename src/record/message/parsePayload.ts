import type { StandardSchemaV1 } from '@standard-schema/spec'
import { RejectedError } from '../../base/errors.ts'
import { declaredNames, describeIssue } from './describeIssue.ts'

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
  const text = error instanceof Error ? error.message : ''
  if (text.startsWith('Unexpected end')) return ' (it ends too soon)'
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

const QUOTE = 34
const BACKSLASH = 92
const [OPEN_BRACE, CLOSE_BRACE] = [123, 125]
const [OPEN_BRACKET, CLOSE_BRACKET] = [91, 93]

export function exceedsNestingLimit(json: string): boolean {
  let nesting = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfString(json, at)
    else if (opens(code)) nesting += 1
    else if (closes(code)) nesting -= 1
    if (nesting > MAX_NESTING) return true
  }
  return false
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === BACKSLASH) at += 1
    else if (code === QUOTE) return at
  }
  return json.length
}

function opens(code: number): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET
}

function closes(code: number): boolean {
  return code === CLOSE_BRACE || code === CLOSE_BRACKET
}
