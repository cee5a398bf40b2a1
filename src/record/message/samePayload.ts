/** Before the hash of a body whose id the consumer has computed from the payload itself. */
const COMPUTED = 'id:'

/** The fingerprint of a payload: how its identity came about, and the MD5 of its body. */
export function payloadHashOf(bodyHash: string, computed: boolean): string {
  return computed ? COMPUTED + bodyHash : bodyHash
}

/**
 * Whether two payloads under one identity may be one request. Two that gave the id themselves may differ in anything else: a
 * provider that calls twice stamps another time. An id that was only claimed, in an attribute, is believed for the same body
 * alone; so is one that only one of the two gave. Tokens of 0.1.0 keep no hash for an id of the payload.
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

/** A redrive brings back the very bytes that died. Who sends others under the same id and death is somebody else. */
export function isSameBody(stored: string | undefined, given: string | undefined): boolean {
  return stored === undefined || given === undefined || bodyOf(stored) === bodyOf(given)
}

/** What the token keeps: that the id was computed once is not forgotten when a copy could not be read. */
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
