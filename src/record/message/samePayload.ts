import { hash } from 'node:crypto'

/** Prefix of the hash of a body whose id the consumer has computed from the payload. */
const COMPUTED = 'id:'
/** Prefix of a hash of the fields that `mustAgree` names. Version 0.2.0 takes it for that of a body, and its id for computed. */
const FIELDS = `${COMPUTED}fields:`

/** The fingerprint of a payload: the MD5 of its body, and whether the id was computed from the payload. */
export function payloadHashOf(bodyHash: string, computed: boolean): string {
  return computed ? COMPUTED + bodyHash : bodyHash
}

/** The fingerprint of a payload whose id was computed, by the fields that have to agree. */
export function fieldsHashOf(payload: unknown, fields: readonly string[]): string {
  const values = Object(payload) as Readonly<Record<string, unknown>>
  return FIELDS + hash('md5', JSON.stringify(fields.map((field) => values[field])))
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
  if (hasFields(stored) && hasFields(given)) return stored === given
  return (isComputed(stored) && isComputed(given)) || isSameBody(stored, given)
}

/** Whether two payloads that count as one request differ: one of them will never run. */
export function hidesPayload(stored: string | undefined, given: string | undefined): boolean {
  return isComputed(stored) && isComputed(given) && !isSameBody(stored, given)
}

/** A redrive brings back the bytes that were dead-lettered. Other bytes under the same id and death come from another sender. */
export function isSameBody(stored: string | undefined, given: string | undefined): boolean {
  if (stored === undefined || given === undefined) return true
  // The hash of fields and that of a body cannot be compared: the option was added or removed meanwhile.
  return hasFields(stored) !== hasFields(given) || bodyOf(stored) === bodyOf(given)
}

function hasFields(hash: string): boolean {
  return hash.startsWith(FIELDS)
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
