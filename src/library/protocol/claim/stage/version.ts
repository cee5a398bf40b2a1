import { stableId } from '../../../base/ids.ts'

/** Digits of epoch milliseconds, padded to one width so that texts sort like times, until the year 33658. */
const DIGITS = 15

/**
 * Orders the requests of one key: by the time of the first sending, then by id, so that two requests of the same millisecond
 * differ. `sentAt` (epoch milliseconds) must be the same in every copy of a request.
 */
export function versionOf(sentAt: number, uniqueRequestId: string): string {
  // @protects versions sort like times
  // @without its object
  const time = String(Math.trunc(sentAt)).padStart(DIGITS, '0')
  return `${time}#${uniqueRequestId}`
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
  // @survives EqualityOperator: of two that are the same it does not matter which is taken.
  return one === undefined || one < other ? other : one
}

/** 90 bits: among a million requests of one key, the probability of two equal digests is about 1 to 10^15. */
export const DIGEST_LENGTH = 15

/** Identifies a request in 15 characters, however long its id is. */
export function digestOf(uniqueRequestId: string): string {
  return stableId(uniqueRequestId).slice(0, DIGEST_LENGTH)
}

/**
 * Tells different payloads under one request id apart, in 12 characters: one for the origin of the id, and 66 bits of the body's
 * hash. `=`: the consumer computed the id from the payload; `~`: the message stated the id.
 */
export const FINGERPRINT_LENGTH = 12
const [COMPUTED, CLAIMED] = ['=', '~']
/** Written in place of a fingerprint that is not known. */
const NONE = '-'.repeat(FINGERPRINT_LENGTH)

export function fingerprintOf(bodyHash: string, computed: boolean): string {
  return (computed ? COMPUTED : CLAIMED) + stableId(bodyHash).slice(0, FINGERPRINT_LENGTH - 1)
}

/**
 * Whether both payloads may belong to one request. If both ids were computed, the payloads may differ in other parts, such as the
 * time of a repeated call. An id that a message only stated is accepted for the same body alone.
 */
export function isSamePayload(stored: string | undefined, given: string | undefined): boolean {
  if (stored === undefined || stored === NONE || given === undefined) return true
  const computed = stored.startsWith(COMPUTED) && given.startsWith(COMPUTED)
  return computed || stored.slice(1) === given.slice(1)
}

/** Whether two payloads that count as one request differ: one of them will never run. */
export function isOtherPayload(stored: string | undefined, given: string | undefined): boolean {
  if (stored === undefined || stored === NONE || given === undefined) return false
  return stored.slice(1) !== given.slice(1)
}

/** The fingerprint as a fixed-width element of a list. */
export function asPiece(fingerprint: string | undefined): string {
  return fingerprint ?? NONE
}
