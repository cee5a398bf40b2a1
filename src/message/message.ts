import type { Envelope } from '../envelope/envelope.ts'

/** Where the identity came from, in the order of the ladder. */
export type IdentitySource = 'attribute' | 'payload' | 'sns' | 'sqs'

/** Why a record is dead-lettered without a run. */
export type RefusalReason = 'rejected' | 'too old'

export interface Refusal {
  readonly reason: RefusalReason
  readonly error: string
}

interface MessageFacts {
  readonly envelope: Envelope
  /** Identity of the logical message: the same over redelivery, re-send, SNS, dead-letter queue and redrive. */
  readonly uniqueRequestId: string
  readonly identity: IdentitySource
  /** First sending, epoch milliseconds. */
  readonly sentAt: number
  /** Fingerprint of the payload; undefined when the payload itself was asked for the identity. */
  readonly payloadHash: string | undefined
}

export type Message<Payload> = MessageFacts &
  (
    | { readonly kind: 'readable'; readonly payload: Payload }
    | { readonly kind: 'refused'; readonly refusal: Refusal }
    /** The schema or `id` threw, for a reason that may pass: it costs an attempt like an error of the handler. */
    | { readonly kind: 'unread'; readonly error: unknown }
  )
