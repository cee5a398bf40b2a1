import type { HttpEvent } from './httpEvent.ts'
import { isObject } from '../../../base/kindOf.ts'

/** Why an HTTP request was neither run nor answered with the first run's answer. */
export interface HttpProblem {
  readonly status: 400 | 409 | 410 | 422 | 500 | 503
  readonly code: string
  readonly detail: string
  /** Seconds. Only where a retry can help. */
  readonly retryAfter?: number
}

const TITLES: Readonly<Record<HttpProblem['status'], string>> = {
  400: 'Bad Request',
  409: 'Conflict',
  410: 'Gone',
  422: 'Unprocessable Content',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** A response that REST APIs, HTTP APIs, Function URLs, ALBs and VPC Lattice all accept. */
interface ProblemResponse {
  readonly statusCode: number
  readonly headers?: Readonly<Record<string, string>>
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>
  readonly body: string
  readonly isBase64Encoded: false
}

/** RFC 9457 problem details. `type` is about:blank, so the title is the text of the status; `code` names the problem. */
export function problemResponse(http: HttpEvent, problem: HttpProblem): ProblemResponse {
  const { status, code, detail, retryAfter } = problem
  const headers = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  }
  return {
    statusCode: status,
    ...(http.multiValueOnly ? { multiValueHeaders: listed(headers) } : { headers }),
    body: JSON.stringify({ title: TITLES[status], status, detail, code }),
    isBase64Encoded: false,
  }
}

function listed(headers: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
}

/** When the first run began, ISO-8601. */
export const REPLAY_HEADER = 'x-idempotency-from'

// @protects cookies of the first caller reach no other one
// @without false
const isCookie = (name: string): boolean => name.toLowerCase() === 'set-cookie'

/** Removes cookies, in all three forms of response: they belong to the session of the first caller. */
export function withoutCookies(answer: unknown): unknown {
  if (!isHttpResponse(answer)) return answer
  const { cookies: _cookies, ...kept } = answer
  return { ...kept, ...without(kept, 'headers'), ...without(kept, 'multiValueHeaders') }
}

function without(
  answer: Readonly<Record<string, unknown>>,
  field: string,
): Record<string, unknown> {
  const headers = answer[field]
  if (!isObject(headers)) return {}
  const entries = Object.entries(headers).filter(([name]) => !isCookie(name))
  return { [field]: Object.fromEntries(entries) }
}

/** Adds the time as a header, because a REST API answers 502 to a response with an unknown top-level field. */
export function withReplayHeader(answer: unknown, firstRunAt: string): unknown {
  if (!isHttpResponse(answer)) return answer
  const { multiValueHeaders, headers } = answer
  return isObject(multiValueHeaders)
    ? { ...answer, multiValueHeaders: { ...multiValueHeaders, [REPLAY_HEADER]: [firstRunAt] } }
    : { ...answer, headers: { ...(isObject(headers) ? headers : {}), [REPLAY_HEADER]: firstRunAt } }
}

/** Whether the answer may be stored: only 2xx answers are, because a redirect does not show that work was done. */
export function isSuccess(answer: unknown, { source }: HttpEvent): boolean {
  if (!isHttpResponse(answer)) return source === 'http'
  const status = Number(answer['statusCode'])
  // @protects only an answer that shows success is stored
  // @without true
  return status >= 200 && status < 300
}

/** HTTP APIs and Function URLs also accept a bare value as the body of a 200. It has no headers to change. */
function isHttpResponse(answer: unknown): answer is Readonly<Record<string, unknown>> {
  return isObject(answer) && 'statusCode' in answer
}
