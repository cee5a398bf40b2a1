import { hash } from 'node:crypto'
import { encodeValue, toPlainData } from '../context/results/storedValue.ts'
import type { UserValue } from '../store/store.ts'
import { canonical } from '../store/value.ts'
import { hashValue, hashText, JsonNumber } from './canonical.ts'
import type { HttpEvent } from './http/httpEvent.ts'

/**
 * Equal values have equal texts, whatever the order of their fields.
 * @throws when a value contains itself
 */
export function canonicalText(value: unknown): string {
  return wellFormed(canonical(JSON.parse(encodeValue(toPlainData(value).value)) as UserValue))
}

/** Lone surrogates are escaped: encoded as bytes they would all be the same. Only an escaped text begins with a quote. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : JSON.stringify(text)
}

/**
 * The stored form of a key, SHA-256 in hex. It must never change: a key stored by an older version would not be found. Parts
 * are length-prefixed, so `['a', 'bc']` and `['ab', 'c']` differ.
 */
export function hashParts(parts: readonly unknown[]): string {
  const texts = parts.map(canonicalText)
  return hash('sha256', texts.map((text) => `${text.length}:${text}`).join(''), 'hex')
}

/** Characters. A longer body is compared as text, because parsing it could cost more than the work itself. */
const LONGEST_READ = 65_536

/** Method, path, query and body. */
export function fingerprintOfRequest({ method, path, query, body }: HttpEvent): string {
  const content = body === undefined ? null : fingerprintOfText(body)
  return hashValue([method, path, query ?? null, content])
}

/** JSON is compared by content. Anything that is not JSON, too long or nested too deep is compared as text. */
export function fingerprintOfText(text: string): string {
  try {
    if (text.length <= LONGEST_READ) return hashValue(['json', readJson(text)])
  } catch {
    // Not JSON, or nested too deep: it is compared as text.
  }
  return hashValue(['text', hashText(text)])
}

/** @returns undefined when the value contains something that cannot be compared, such as a client or a stream */
export function fingerprintOfValue(value: unknown): string | undefined {
  try {
    return hashValue(value)
  } catch {
    return undefined
  }
}

function readJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? new JsonNumber(context?.source ?? String(value)) : value,
  )
}
