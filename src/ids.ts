import { hash } from 'node:crypto'

/**
 * The same parts give the same id in every attempt, so that a consumer recognises a message that is sent again. Parts are
 * length-prefixed, so that ('a', 'bc') and ('ab', 'c') differ. 43 characters of base64url.
 */
export function stableId(...parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${part.length}:${part}`).join(''), 'base64url')
}
