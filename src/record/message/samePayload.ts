/** Prefix of the hash of a body whose id the consumer has computed from the payload. */
const COMPUTED = 'id:'

/** The fingerprint of a payload: the MD5 of its body, and whether the id was computed from the payload. */
export function payloadHashOf(bodyHash: string, computed: boolean): string {
  return computed ? COMPUTED + bodyHash : bodyHash
}

/**
 * Whether two payloads under one id may be one request. If both ids were computed from the payload, the rest may differ: a
 * provider that calls back twice stamps another time. An id that was only stated in an attribute is trusted only for the same
 * body. Tokens of 0.1.0 keep no hash for an id that was computed from the payload.
 */
export function isSameRequest(
  stored: string | undefined,
  {
    payloadHash: given,
    trustsUnhashed,
  }: { payloadHash: string | undefined; trustsUnhashed: boolean },
): boolean {
  if (given === undefined) return true
  if (stored === undefined) return trustsUnhashed || isComputed(given)
  return (isComputed(stored) && isComputed(given)) || isSameBody(stored, given)
}

/** A redrive brings back the bytes that were dead-lettered. Other bytes under the same id and death come from another sender. */
export function isSameBody(stored: string | undefined, given: string | undefined): boolean {
  return stored === undefined || given === undefined || bodyOf(stored) === bodyOf(given)
}

/** The hash that the token keeps. Once an id was computed from the payload, an unreadable copy does not change that. */
export function hashToKeep(
  stored: string | undefined,
  given: string | undefined,
): string | undefined {
  const forgets = isComputed(stored) && !isComputed(given)
  return forgets || given === undefined ? stored : given
}

export function isComputed(hash: string | undefined): boolean {
  return hash?.startsWith(COMPUTED) === true
}

export function bodyOf(hash: string): string {
  return isComputed(hash) ? hash.slice(COMPUTED.length) : hash
}
