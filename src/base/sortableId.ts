// @acts

import { randomBytes } from 'node:crypto'
import { SORTABLE_LETTERS, TIME_LENGTH } from './ids.ts'

const RANDOM_LENGTH = 16

/** A ULID: unique, and sorted by time in whole milliseconds. */
export function sortableId(time: number): string {
  let letters = ''
  for (let rest = Math.trunc(time); letters.length < TIME_LENGTH; rest = Math.floor(rest / 32)) {
    letters = `${SORTABLE_LETTERS.charAt(rest % 32)}${letters}`
  }
  for (const byte of randomBytes(RANDOM_LENGTH)) letters += SORTABLE_LETTERS.charAt(byte % 32)
  return letters
}
