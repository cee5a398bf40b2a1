import type { StandardSchemaV1 } from '@standard-schema/spec'
import { RejectedError } from '../../base/errors.ts'
import { exceedsNestingLimit, MAX_NESTING } from './nestingLimit.ts'
import { declaredNames } from './declaredNames.ts'
import { describeIssue } from './describeIssue.ts'

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
