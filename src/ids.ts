import { hash, randomBytes } from 'node:crypto'

/**
 * The same parts give the same id on every run: that is how a receiver recognises what a re-run sends again.
 * Parts are length-prefixed, so that ('a', 'bc') and ('ab', 'c') differ. 43 characters of base64url.
 */
export function stableId(...parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${part.length}:${part}`).join(''), 'base64url')
}

const TIME_CHARACTERS = 10
const RANDOM_CHARACTERS = 16
/** Of Crockford: no I, L, O and U. https://github.com/ulid/spec */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A ULID: unique, and sorted by time, whose parts of a millisecond it does not take. */
export function sortableId(time: number): string {
  let id = ''
  for (let place = 32 ** (TIME_CHARACTERS - 1); place >= 1; place /= 32) {
    id += ALPHABET[Math.floor(time / place) % 32]
  }
  for (const byte of randomBytes(RANDOM_CHARACTERS)) id += ALPHABET[byte % 32]
  return id
}
