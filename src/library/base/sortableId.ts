// @acts

import { randomBytes } from 'node:crypto'
import { ulid } from 'ulid'

const RANDOM_CHARACTERS = 16

/**
 * A ULID: unique, and sorted by time in whole milliseconds. The random bytes are requested in one call, because the library by
 * default makes a system call for each byte.
 */
export function sortableId(time: number): string {
  const bytes = randomBytes(RANDOM_CHARACTERS)
  let next = 0
  return ulid(Math.trunc(time), () => (bytes[next++ % RANDOM_CHARACTERS] ?? 0) / 256)
}
