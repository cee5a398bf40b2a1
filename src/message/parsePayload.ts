import type { StandardSchemaV1 } from '@standard-schema/spec'
import { messageOf, RejectedError } from '../errors.ts'
import { isTooDeep, MAX_DEPTH } from './depth.ts'

export type PayloadForm = 'json' | 'text'

const ISSUES_SHOWN = 5

/** @throws RejectedError when the body is not JSON, or the schema refuses it. Other errors of the schema are its own. */
export function parsePayload(
  body: string,
  form: PayloadForm,
  schema: StandardSchemaV1 | undefined,
): unknown {
  const value = form === 'json' ? parseJson(body) : body
  if (schema === undefined) return value
  const result = schema['~standard'].validate(value)
  return result instanceof Promise ? result.then(accepted) : accepted(result)
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    throw new RejectedError(`the body is not JSON (${messageOf(error)})`, { cause: error })
  }
}

/** Depth is looked at only when something broke: a deep payload that a schema reads is as good as any. */
export function tooDeepOr(error: unknown, body: string): unknown {
  if (!(error instanceof RangeError) || !isTooDeep(body)) return error
  return new RejectedError(`the payload is nested more than ${MAX_DEPTH} levels deep`, {
    cause: error,
  })
}

function accepted(result: StandardSchemaV1.Result<unknown>): unknown {
  if (result.issues === undefined) return result.value
  const shown = result.issues.slice(0, ISSUES_SHOWN).map(describe).join('; ')
  const more = result.issues.length - ISSUES_SHOWN
  throw new RejectedError(
    `the schema refuses the payload: ${shown}${more > 0 ? `; and ${more} more` : ''}`,
  )
}

function describe(issue: StandardSchemaV1.Issue): string {
  const path = issue.path?.map((step) => String(typeof step === 'object' ? step.key : step))
  return path === undefined || path.length === 0
    ? issue.message
    : `${path.join('.')}: ${issue.message}`
}
