import { hash } from 'node:crypto'
import type { Envelope } from '../envelope/envelope.ts'
import { messageOf, RejectedError } from '../../../base/errors.ts'
import { hasJson, isPlain, kindOf } from '../../../base/kindOf.ts'
import type { UserValue } from '../../store/store.ts'
import { canonical } from '../../store/value.ts'

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
    /** `payload`: of one that could be read, and is too old. */
    | { readonly kind: 'refused'; readonly refusal: Refusal; readonly payload?: Payload }
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

/** Stand before the hash that a reference states, which was read, or could not be. */
const [READ, UNREAD] = ['@', '?']

/** A body, and the values of the fields that have to agree. */
const FIELDS = ':'

/** The fingerprint of a body: its SHA-256. Texts of one hash are equal; an attacker cannot make two. */
export function bodyHash(body: string): string {
  return hash('sha256', body, 'base64url')
}

/**
 * The same for a payload that is kept elsewhere.
 * @param sha256 hexadecimal
 * @param isRead whether what is there was read and has this hash. A sender may state any.
 */
export function carriedHash(sha256: string, isRead: boolean): string {
  const body = Buffer.from(sha256, 'hex').toString('base64url')
  return (isRead ? READ : UNREAD) + body
}

/**
 * The fingerprint of a payload: the hash of its body, whether the id was computed from the payload, and the values of the fields
 * that have to agree, if it was.
 * @throws RejectedError when those values cannot be compared
 */
export function payloadHashOf(
  hashOfBody: string,
  computed: boolean,
  agreeing?: { readonly payload: unknown; readonly fields: readonly string[] },
): string {
  if (!computed) return hashOfBody
  return COMPUTED + hashOfBody + (agreeing === undefined ? '' : FIELDS + hashOfFields(agreeing))
}

function hashOfFields({
  payload,
  fields,
}: {
  readonly payload: unknown
  readonly fields: readonly string[]
}): string {
  const values = Object(payload) as Readonly<Record<string, unknown>>
  try {
    return bodyHash(canonical(fields.toSorted().map((field) => [field, asPlain(values[field])])))
  } catch (error) {
    throw new RejectedError(
      `mustAgree: the fields cannot be compared with those of another payload (${messageOf(error)}), so it was neither run nor dropped`,
    )
  }
}

/** @throws TypeError for a value whose content cannot be seen, such as an instance of a class or a function */
function asPlain(value: unknown): UserValue {
  if (value === undefined) return ['undefined']
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(kindOf(value))
    return value as UserValue
  }
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map(asPlain)
  if (value instanceof Set) return ['set', ...[...value].map(asPlain).map(canonical).toSorted()]
  if (value instanceof Map) return ['map', asPlain(new Set(value))]
  if (hasJson(value)) return asPlain(value.toJSON())
  if (!isPlain(value)) throw new TypeError(kindOf(value))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asPlain(each)]))
}

/**
 * Whether two payloads under one id are known to be one request. If both ids were computed from the payload, the rest may differ: a
 * provider that calls back twice stamps another time. An id that was only stated in an attribute is trusted only for the same
 * body. What is not known is no: the message is dead-lettered as a conflict, and the request that waits goes on.
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
  switch (compareBodies(stored, given)) {
    case 'same':
      return true
    case 'other':
    case 'unknown': {
      // @protects an id that was only stated is trusted for the same body alone
      // @without false
      const isOnlyStated = !isComputed(stored) || !isComputed(given)
      if (isOnlyStated) return false
      const fields = fieldsOf(given)
      // @protects fields that must agree do
      // @without true @tests test/deliver/otherPayload
      return fields === undefined || fields === fieldsOf(stored)
    }
  }
}

/** Whether two payloads that count as one request differ: one of them will never run. */
export function hidesPayload(stored: string | undefined, given: string | undefined): boolean {
  if (stored === undefined || given === undefined) return false
  if (compareBodies(stored, given) === 'same') return false
  const fields = fieldsOf(given)
  // @protects another payload under a computed id is not dropped without a word
  // @without false @tests test/deliver/otherPayload
  return fields === undefined || fields !== fieldsOf(stored)
}

/** `unknown`: one of them is missing, or its sender has only stated it. */
type Comparison = 'same' | 'other' | 'unknown'

/** A redrive sends the bytes that were dead-lettered. Other bytes under the same id and death are from another sender. */
export function compareBodies(stored: string | undefined, given: string | undefined): Comparison {
  if (stored === undefined || given === undefined) return 'unknown'
  const [known, asked] = [markedBodyOf(stored), markedBodyOf(given)]
  // @protects what a sender only states about its payload ends no other request
  // @without false @tests test/features/payloads/lives
  const isOnlyStated = asked.startsWith(UNREAD) && !/^[@?]/.test(known)
  if (isOnlyStated) return 'unknown'
  return unmarked(known) === unmarked(asked) ? 'same' : 'other'
}

/** The hash that the token keeps. Once an id was computed from the payload, an unreadable copy does not change that. */
export function hashToKeep(
  stored: string | undefined,
  given: string | undefined,
): string | undefined {
  const forgets = isComputed(stored) && !isComputed(given)
  return forgets || given === undefined ? stored : given
}

export function isComputed(payloadHash: string | undefined): boolean {
  return payloadHash?.startsWith(COMPUTED) === true
}

/** The hash of the body, whichever way it came. What could not be read differs from all that was. */
export function bodyOf(payloadHash: string): string {
  const body = markedBodyOf(payloadHash)
  return body.startsWith(UNREAD) ? body : unmarked(body)
}

function markedBodyOf(payloadHash: string): string {
  return isComputed(payloadHash) ? (payloadHash.split(FIELDS)[1] ?? '') : payloadHash
}

function unmarked(body: string): string {
  return body.replace(/^[@?]/, '')
}

/** undefined: the option mustAgree was not there. */
function fieldsOf(payloadHash: string): string | undefined {
  return isComputed(payloadHash) ? payloadHash.split(FIELDS)[2] : undefined
}
