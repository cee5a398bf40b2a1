import { hash } from 'node:crypto'
import { encodeValue } from '../effect/storedValue.ts'
import { canonical } from '../store/value.ts'
import type { UserValue } from '../store/store.ts'
import type { HttpEvent } from './http/httpEvent.ts'
import { toPlain } from '../results/plain.ts'

/** Equal texts for equal values, whatever the order of their fields. @throws when a value contains itself. */
export function canonicalText(value: unknown): string {
  return wellFormed(canonical(JSON.parse(encodeValue(toPlain(value).value)) as UserValue))
}

/** As bytes all lone surrogates are the same, so they are escaped. No other canonical text begins with a quote. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : JSON.stringify(text)
}

/** SHA-256 in hex. Parts are length-prefixed: `['a', 'bc']` and `['ab', 'c']` differ. */
export function hashParts(parts: readonly unknown[]): string {
  const texts = parts.map(canonicalText)
  return hash('sha256', texts.map((text) => `${text.length}:${text}`).join(''), 'hex')
}

/** What an HTTP request asks for. A body that is JSON is compared by its content, not by its spelling. */
export function fingerprintOfRequest({ method, path, query, body }: HttpEvent): string {
  try {
    return hashParts([method, path, query ?? null, body === undefined ? null : JSON.parse(body)])
  } catch {
    return hashParts([method, path, query ?? null, body])
  }
}

/** undefined: it holds what cannot be compared, such as a client or a stream. */
export function fingerprintOfValue(value: unknown): string | undefined {
  try {
    return toPlain(value).turned.length === 0 ? hashParts([value]) : undefined
  } catch {
    return undefined
  }
}
