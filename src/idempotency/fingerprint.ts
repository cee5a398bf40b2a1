import { hash } from 'node:crypto'
import { encodeValue } from '../context/results/storedValue.ts'
import { toPlainData } from '../context/results/toPlainData.ts'
import type { UserValue } from '../store/store.ts'
import { canonical } from '../store/value.ts'
import { hashValue, hashText, JsonNumber } from './canonical.ts'
import type { HttpEvent } from './http/httpEvent.ts'

/** Equal texts for equal values, whatever the order of their fields. @throws when a value contains itself. */
export function canonicalText(value: unknown): string {
  return wellFormed(canonical(JSON.parse(encodeValue(toPlainData(value).value)) as UserValue))
}

/** As bytes all lone surrogates are the same, so they are escaped. No other canonical text begins with a quote. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : JSON.stringify(text)
}

/** The name of a key, SHA-256 in hex: stored keys are found by it, in every version. Parts are length-prefixed: `['a', 'bc']` and `['ab', 'c']` differ. */
export function hashParts(parts: readonly unknown[]): string {
  const texts = parts.map(canonicalText)
  return hash('sha256', texts.map((text) => `${text.length}:${text}`).join(''), 'hex')
}

/** Characters. A longer body is compared as it is written: to read it would cost more than the work that it asks for. */
const LONGEST_READ = 65_536

/** What an HTTP request asks for. */
export function fingerprintOfRequest({ method, path, query, body }: HttpEvent): string {
  const content = body === undefined ? null : fingerprintOfText(body)
  return hashValue([method, path, query ?? null, content])
}

/** A text that is JSON is compared by its content, a longer one, or one that is nested too deep, by its spelling. */
export function fingerprintOfText(text: string): string {
  try {
    if (text.length <= LONGEST_READ) return hashValue(['json', readJson(text)])
  } catch {
    // Told by its spelling.
  }
  return hashValue(['text', hashText(text)])
}

/** undefined: it holds what cannot be compared, such as a client or a stream. */
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
