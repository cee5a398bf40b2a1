import { type HttpEvent, isRecord } from './httpEvent.ts'

/** When the run began whose answer this is, ISO-8601. */
export const REPLAY_HEADER = 'x-idempotency-from'

const isCookie = (name: string): boolean => name.toLowerCase() === 'set-cookie'

/** Without the cookies, which belong to the session of whoever was first; of the three forms that API types know. */
export function withoutCookies(answer: unknown): unknown {
  if (!isHttpResponse(answer)) return answer
  const { cookies: _cookies, ...kept } = answer
  return {
    ...kept,
    ...without(kept, 'headers'),
    ...without(kept, 'multiValueHeaders'),
  }
}

function without(
  answer: Readonly<Record<string, unknown>>,
  field: string,
): Record<string, unknown> {
  const headers = answer[field]
  if (!isRecord(headers)) return {}
  const entries = Object.entries(headers).filter(([name]) => !isCookie(name))
  return { [field]: Object.fromEntries(entries) }
}

/** The mark goes into the headers: REST APIs answer 502 to a response with another key at its top. */
export function withReplayHeader(answer: unknown, firstRunAt: string): unknown {
  if (!isHttpResponse(answer)) return answer
  const { multiValueHeaders, headers } = answer
  return isRecord(multiValueHeaders)
    ? { ...answer, multiValueHeaders: { ...multiValueHeaders, [REPLAY_HEADER]: [firstRunAt] } }
    : { ...answer, headers: { ...(isRecord(headers) ? headers : {}), [REPLAY_HEADER]: firstRunAt } }
}

/** A redirect tells of no work done either, so it is 2xx that is kept. */
export function isSuccess(answer: unknown, { source }: HttpEvent): boolean {
  if (!isHttpResponse(answer)) return source === 'http'
  const status = Number(answer['statusCode'])
  return status >= 200 && status < 300
}

/** HTTP APIs and Function URLs also take a bare value as the body of a 200: it is no answer with headers, and stays as it is. */
function isHttpResponse(answer: unknown): answer is Readonly<Record<string, unknown>> {
  return isRecord(answer) && 'statusCode' in answer
}
