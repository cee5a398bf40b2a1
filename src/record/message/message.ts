import type { Envelope } from '../envelope/envelope.ts'

/** Where the identity came from, in the order of the ladder. */
export type IdentitySource = 'attribute' | 'payload' | 'sns' | 'sqs'

/**
 * Why a record is dead-lettered without a run. `conflict`: it claims another identity than its payload gives. `wrong consumer`:
 * another one has re-sent or dead-lettered it.
 */
export type RefusalReason = 'rejected' | 'too old' | 'conflict' | 'wrong consumer'

export interface Refusal {
  readonly reason: RefusalReason
  readonly error: string
}

interface MessageFacts {
  readonly envelope: Envelope
  /** Identity of the logical message: the same over redelivery, re-send, SNS, dead-letter queue and redrive. */
  readonly uniqueRequestId: string
  readonly identity: IdentitySource
  /** When the sender made the request, epoch milliseconds: what `newerThan` goes by. The same in every copy. */
  readonly sentAt: number
  /** When a queue or a topic first took it, epoch milliseconds, or when its sender says so: its age counts from then. */
  readonly takenAt: number
  /** Fingerprint of the payload, and whether its identity was computed from it. */
  readonly payloadHash: string
}

/** Nothing has run under its identity, and nobody gave it: the id of a payload that can be read later stands above it. */
export function hasProvisionalId({ kind, identity }: Message<unknown>): boolean {
  return kind !== 'readable' && (identity === 'sns' || identity === 'sqs')
}

/** Its identity is not its own: nothing in the store may be asked or changed in that name. */
export function hasForeignId(message: Message<unknown>): boolean {
  if (message.kind !== 'refused') return false
  return message.refusal.reason === 'conflict' || message.refusal.reason === 'wrong consumer'
}

export type Message<Payload> = MessageFacts &
  (
    | { readonly kind: 'readable'; readonly payload: Payload }
    | { readonly kind: 'refused'; readonly refusal: Refusal }
    /** The schema or `id` threw, for a reason that may pass: it costs an attempt like an error of the handler. */
    | { readonly kind: 'unread'; readonly error: unknown }
  )
