import type { Envelope } from '../envelope/envelope.ts'

/** Where the identity of a message came from: the first of these that there is. */
export type IdentitySource = 'attribute' | 'payload' | 'sns' | 'sqs'

/**
 * Why a record is dead-lettered without a run. `rejected`: the schema, or `id`, refuses its payload. `too old`: it is older than
 * `retention` or `retry.maxAge`. `conflict`: it is stamped with another id than its payload gives. `wrong consumer`: a consumer of
 * another name has re-sent or dead-lettered it.
 */
type RefusalReason = 'rejected' | 'too old' | 'conflict' | 'wrong consumer'

/** Why a message is not run; `error` is the text of its dead letter. */
export interface Refusal {
  readonly reason: RefusalReason
  readonly error: string
}

interface MessageFacts {
  readonly envelope: Envelope
  /** Identity of the request: the same in redeliveries, copies, SNS notifications, dead letters and redrives. */
  readonly uniqueRequestId: string
  readonly identity: IdentitySource
  /** When the sender made the request, epoch milliseconds: what `newerThan` compares. The same in every copy. */
  readonly sentAt: number
  /** When a queue or a topic first took it, or when its sender stamped it, epoch milliseconds: its age counts from then. */
  readonly takenAt: number
  /** Fingerprint of the payload, which also says whether the identity was computed from it. */
  readonly payloadHash: string
}

/** The id is only the one of SQS or SNS, and nothing has run under it: an `id(payload)` that can be read later replaces it. */
export function hasProvisionalId({ kind, identity }: Message<unknown>): boolean {
  return kind !== 'readable' && (identity === 'sns' || identity === 'sqs')
}

/** The id may belong to another request: nothing may be read or written in the store under it. */
export function hasForeignId(message: Message<unknown>): boolean {
  if (message.kind !== 'refused') return false
  return message.refusal.reason === 'conflict' || message.refusal.reason === 'wrong consumer'
}

/** A message as `onSettled` gets it: its identity and its times, and the payload or why there is none. */
export type Message<Payload> = MessageFacts &
  (
    | { readonly kind: 'readable'; readonly payload: Payload }
    | { readonly kind: 'refused'; readonly refusal: Refusal }
    /** The schema or `id` threw another error than a refusal, which may pass: it costs an attempt, as an error of the handler. */
    | { readonly kind: 'unread'; readonly error: unknown }
  )
