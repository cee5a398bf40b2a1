import type { Envelope } from '../envelope/envelope.ts'
import { hash } from 'node:crypto'

/** Where the identity of a message comes from: the first of these that exists. */
export type IdentitySource = 'attribute' | 'payload' | 'event' | 'sns' | 'sqs'

/**
 * Why a record is dead-lettered without a run. `rejected`: the schema, or `id`, refuses its payload. `too old`: it is older than
 * `retention` or `retry.maxAge`. `conflict`: its stamped id differs from the id of its payload. `wrong consumer`: a consumer of
 * another name has resent or dead-lettered it.
 */
type RefusalReason = 'rejected' | 'too old' | 'conflict' | 'wrong consumer'

/** Why a message does not run. `error` is the text for its dead letter. */
export interface Refusal {
  readonly reason: RefusalReason
  readonly error: string
}

interface MessageFacts {
  readonly envelope: Envelope
  /** Identity of the request: the same in redeliveries, copies, SNS notifications, dead letters and redrives. */
  readonly uniqueRequestId: string
  readonly identity: IdentitySource
  /** When the sender made the request, epoch milliseconds. `newerThan` compares this time. The same in every copy. */
  readonly sentAt: number
  /**
   * When a queue or a topic first accepted the request, or when its sender stamped it, epoch milliseconds. Its age counts from
   * then.
   */
  readonly takenAt: number
  /** Fingerprint of the payload, which also says whether the identity was computed from it. */
  readonly payloadHash: string
}

/** A message as `onSettled` receives it: its identity and its times, and the payload or why there is none. */
export type Message<Payload> = MessageFacts &
  (
    | { readonly kind: 'readable'; readonly payload: Payload }
    | { readonly kind: 'refused'; readonly refusal: Refusal }
    /**
     * The schema or `id` threw an error other than a refusal. It may be temporary, so it costs an attempt, like an error of the
     * handler.
     */
    | { readonly kind: 'unread'; readonly error: unknown }
  )

/**
 * Whether the message has only the id of SQS, of SNS or of an event, and nothing has run under it. If `id(payload)` can be
 * computed later, it replaces this id.
 */
export function hasProvisionalId({ kind, identity }: Message<unknown>): boolean {
  return kind !== 'readable' && identity !== 'attribute' && identity !== 'payload'
}

/** Whether the id may belong to another request, so that nothing may be read or written in the store under it. */
export function hasForeignId(message: Message<unknown>): boolean {
  if (message.kind !== 'refused') return false
  return message.refusal.reason === 'conflict' || message.refusal.reason === 'wrong consumer'
}

/** Prefix of the hash of a body whose id the consumer has computed from the payload. */
const COMPUTED = 'id:'

/** Prefix of a hash of the fields that `mustAgree` names. */
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
 * body.
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
  // @protects fields that must agree do
  // @tests test/deliver/otherPayload
  if (hasFields(stored) && hasFields(given)) return stored === given
  // @protects an id that was only stated is trusted for the same body alone
  // @without true
  return (isComputed(stored) && isComputed(given)) || isSameBody(stored, given)
}

/** Whether two payloads that count as one request differ: one of them will never run. */
export function hidesPayload(stored: string | undefined, given: string | undefined): boolean {
  // @protects another payload under a computed id is not dropped without a word
  // @without false @tests test/deliver/otherPayload
  return isComputed(stored) && isComputed(given) && !isSameBody(stored, given)
}

/** A redrive sends the bytes that were dead-lettered. Other bytes under the same id and death are from another sender. */
export function isSameBody(stored: string | undefined, given: string | undefined): boolean {
  if (stored === undefined || given === undefined) return true
  // A hash of fields and a hash of a body cannot be compared: the option was added or removed meanwhile.
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
