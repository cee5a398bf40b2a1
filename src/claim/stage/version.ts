import { stableId } from '../../ids.ts'

/** Digits of epoch milliseconds: of one width, so that texts sort as times do, until the year 33658. */
const DIGITS = 15

/**
 * Orders the requests of one key: by the time of the first sending, then by id, so that two of one millisecond differ.
 * `sentAt` (epoch milliseconds) must be the same in every copy of a request.
 */
export function versionOf(sentAt: number, uniqueRequestId: string): string {
  return `${String(Math.trunc(sentAt)).padStart(DIGITS, '0')}#${uniqueRequestId}`
}

const VERSION = /^\d{15}#./s

/** Any other text would compare with versions too, and shut out every request or none. */
export function isVersion(value: unknown): value is string {
  return typeof value === 'string' && VERSION.test(value)
}

/** Whose version it is. */
export function requestIn(version: string): string {
  return version.slice(DIGITS + 1)
}

export function later(one: string | undefined, other: string): string {
  return one === undefined || one < other ? other : one
}

/** 90 bits: two of a million requests of one key meet in one of 10^15 keys. */
export const DIGEST_LENGTH = 15

/** Remembers a request in 15 characters, however long its id. */
export function digestOf(uniqueRequestId: string): string {
  return stableId(uniqueRequestId).slice(0, DIGEST_LENGTH)
}
