import { stableId } from '../../base/ids.ts'

/**
 * Tells different payloads under one request id apart, in 12 characters: one for the origin of the id, and 66 bits of the body's
 * hash. `=`: the consumer computed the id from the payload; `~`: the message stated the id.
 */
export const FINGERPRINT_LENGTH = 12
const [COMPUTED, CLAIMED] = ['=', '~']
/** Stands for a run that began under a version without fingerprints. */
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
