import { randomBytes } from 'node:crypto'
import { ulid } from 'ulid'

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
