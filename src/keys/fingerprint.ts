import { hash } from 'node:crypto'
import { encodeValue } from '../effect/storedValue.ts'
import { canonical } from '../store/value.ts'
import type { UserValue } from '../store/store.ts'
import { toPlain } from '../results/plain.ts'

/** Equal texts for equal values, whatever the order of their fields. @throws when a value contains itself. */
export function canonicalText(value: unknown): string {
  return canonical(JSON.parse(encodeValue(toPlain(value).value)) as UserValue)
}

/** SHA-256 in hex. Parts are length-prefixed: `['a', 'bc']` and `['ab', 'c']` differ. */
export function hashParts(parts: readonly unknown[]): string {
  const texts = parts.map(canonicalText)
  return hash('sha256', texts.map((text) => `${text.length}:${text}`).join(''), 'hex')
}
