import { RejectedError } from '../../base/errors.ts'
import { readHttpEvent } from './httpEvent.ts'

const QUOTED = /^"((?:[^"\\]|\\["\\])*)"(?:\s*;.*)?$/

/**
 * The key in the `Idempotency-Key` header of an HTTP event: quoted as a structured field (`"8e03978e"`, RFC 8941 section
 * 3.3.3), or bare as Stripe sends it. Header names are case-insensitive. undefined when the header is missing or empty, or
 * the event is no HTTP request. `'required'`, where that cannot be, such as behind `idempotent`, which refuses a request without a
 * key: a text.
 * @example
 * import { idempotencyKeyHeader } from 'lineclear'
 *
 * // Passed on, so that the payment provider recognises a repeated charge too.
 * const receipt = await charge(order, idempotencyKeyHeader(event, 'required'))
 * @throws RejectedError of `'required'`: there is no key
 */
export function idempotencyKeyHeader(event: unknown, presence: 'required'): string
export function idempotencyKeyHeader(event: unknown): string | undefined
export function idempotencyKeyHeader(event: unknown, presence?: 'required'): string | undefined {
  const text = readHttpEvent(event)?.header('idempotency-key')
  const key = text === undefined ? undefined : unquoted(text)
  if (key !== undefined || presence !== 'required') return key
  throw new RejectedError(
    'idempotencyKeyHeader: the event has no Idempotency-Key header. An option when or key of yours lets such requests through: ' +
      "leave 'required' out, and decide what happens without a key",
  )
}

export function unquoted(text: string): string | undefined {
  const bare = text.trim()
  const [, inner] = QUOTED.exec(bare) ?? []
  const key = inner === undefined ? bare : inner.replaceAll(/\\(["\\])/g, '$1')
  return key === '' ? undefined : key
}
