import { readHttpEvent } from './httpEvent.ts'

const QUOTED = /^"((?:[^"\\]|\\["\\])*)"(?:\s*;.*)?$/

/**
 * The key in the `Idempotency-Key` header of an HTTP event: quoted as a structured field (`"8e03978e"`, RFC 8941 section
 * 3.3.3), or bare as Stripe sends it. Header names are case-insensitive. undefined when the header is missing or empty, or
 * the event is no HTTP request.
 * @example
 * import { idempotencyKeyHeader } from 'lineclear'
 *
 * // Passed on, so that the payment provider recognises a repeated charge too.
 * const receipt = await charge(order, idempotencyKeyHeader(event))
 */
export function idempotencyKeyHeader(event: unknown): string | undefined {
  const text = readHttpEvent(event)?.header('idempotency-key')
  return text === undefined ? undefined : unquoted(text)
}

export function unquoted(text: string): string | undefined {
  const bare = text.trim()
  const [, inner] = QUOTED.exec(bare) ?? []
  const key = inner === undefined ? bare : inner.replaceAll(/\\(["\\])/g, '$1')
  return key === '' ? undefined : key
}
