import type { HttpEvent } from './httpEvent.ts'

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

/** RFC 9457 problem details. `type` is about:blank, so the title is that of the status; `code` names the problem. */
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
