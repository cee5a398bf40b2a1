import { stableId } from '../../ids.ts'

/**
 * Tells the payloads of one request id apart, in 12 characters: how the id came about, and 66 bits of the body's hash. `=`: the
 * consumer has computed the id from the payload itself; `~`: the message said so.
 */
export const FINGERPRINT_LENGTH = 12
const [COMPUTED, CLAIMED] = ['=', '~']
/** Of a run that began under a version which kept none. */
const NONE = '-'.repeat(FINGERPRINT_LENGTH)

export function fingerprintOf(bodyHash: string, computed: boolean): string {
  return (computed ? COMPUTED : CLAIMED) + stableId(bodyHash).slice(0, FINGERPRINT_LENGTH - 1)
}

/**
 * Whether both may be of one request. Two that computed the id may differ in anything else, such as the time of a second call;
 * an id that was only claimed is believed for the same body alone.
 */
export function isSamePayload(stored: string | undefined, given: string | undefined): boolean {
  if (stored === undefined || stored === NONE || given === undefined) return true
  const computed = stored.startsWith(COMPUTED) && given.startsWith(COMPUTED)
  return computed || stored.slice(1) === given.slice(1)
}

/** In a list of pieces of one width. */
export function asPiece(fingerprint: string | undefined): string {
  return fingerprint ?? NONE
}
