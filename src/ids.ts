import { hash, randomBytes } from 'node:crypto'
import { ulid } from 'ulid'

/**
 * The same parts give the same id on every run: that is how a receiver recognises what a re-run sends again.
 * Parts are length-prefixed, so that ('a', 'bc') and ('ab', 'c') differ. 43 characters of base64url.
 */
export function stableId(...parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${part.length}:${part}`).join(''), 'base64url')
}

const RANDOM_CHARACTERS = 16

/**
 * A ULID: unique, and sorted by time, whose parts of a millisecond it does not take. The bytes are drawn at once: by itself the
 * library asks the system for each.
 */
export function sortableId(time: number): string {
  const bytes = randomBytes(RANDOM_CHARACTERS)
  let next = 0
  return ulid(Math.trunc(time), () => (bytes[next++ % RANDOM_CHARACTERS] ?? 0) / 256)
}
