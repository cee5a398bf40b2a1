import { readHttpEvent } from './httpEvent.ts'

const QUOTED = /^"((?:[^"\\]|\\["\\])*)"(?:\s*;.*)?$/

/**
 * The key in the `Idempotency-Key` header of an HTTP event, whatever the case of its name, as a structured field string
 * (`"8e03978e"`, RFC 8941 section 3.3.3) or bare, as Stripe has it. undefined when it is missing or empty.
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
