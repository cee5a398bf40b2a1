import type { Envelope } from '../envelope/envelope.ts'
import type { IdentitySource } from './identity.ts'

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

/**
 * Whether the id is only that of SQS, of SNS or of an event, and nothing has run under it. If `id(payload)` can be computed later, it replaces
 * this id.
 */
export function hasProvisionalId({ kind, identity }: Message<unknown>): boolean {
  return kind !== 'readable' && identity !== 'attribute' && identity !== 'payload'
}

/** Whether the id may belong to another request, so that nothing may be read or written in the store under it. */
export function hasForeignId(message: Message<unknown>): boolean {
  if (message.kind !== 'refused') return false
  return message.refusal.reason === 'conflict' || message.refusal.reason === 'wrong consumer'
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
