import { stableId } from '../../base/ids.ts'

/** Digits of epoch milliseconds, padded to one width so that texts sort like times, until the year 33658. */
const DIGITS = 15

/**
 * Orders the requests of one key: by the time of the first sending, then by id, so that two requests of the same millisecond
 * differ. `sentAt` (epoch milliseconds) must be the same in every copy of a request.
 */
export function versionOf(sentAt: number, uniqueRequestId: string): string {
  return `${String(Math.trunc(sentAt)).padStart(DIGITS, '0')}#${uniqueRequestId}`
}

const VERSION = /^\d{15}#./s

/** Any other text can be compared with versions too, and would block every request or none. */
export function isVersion(value: unknown): value is string {
  return typeof value === 'string' && VERSION.test(value)
}

/** The request id in a version. */
export function requestIn(version: string): string {
  return version.slice(DIGITS + 1)
}

export function later(one: string | undefined, other: string): string {
  return one === undefined || one < other ? other : one
}

/** 90 bits: among a million requests of one key, the probability of two equal digests is about 1 to 10^15. */
export const DIGEST_LENGTH = 15

/** Identifies a request in 15 characters, however long its id is. */
export function digestOf(uniqueRequestId: string): string {
  return stableId(uniqueRequestId).slice(0, DIGEST_LENGTH)
}
