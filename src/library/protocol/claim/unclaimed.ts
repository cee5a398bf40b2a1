import type { DeadLetterNotice } from './hold.ts'
import type { EndReason } from './settlement.ts'

/** The message may be acknowledged without a run. */
interface Left {
  /** Its payload differs from the one that has run, or runs: `id(payload)` has given both the same id. */
  readonly otherPayload?: true | undefined
}

/** Nothing is left to do for the message: it may be acknowledged. */
export interface Over<Reason extends EndReason = EndReason> extends Left {
  readonly kind: 'over'
  readonly as: Reason
  /** Why it was dead-lettered. */
  readonly reason?: string | undefined
}

/** A newer copy is certainly on the queue: this one may be acknowledged. */
export interface Replaced extends Left {
  readonly kind: 'replaced'
}

/** `held`: another attempt of the request has the lease. `early`: the record is not yet due. Epoch milliseconds. */
export interface NotNow {
  readonly kind: 'held' | 'early'
  readonly until: number
}

/** Another request has the key, until `until` at the latest; it may become free much sooner. */
export interface Busy {
  readonly kind: 'busy'
  readonly until: number
}

/**
 * Why a message was not claimed: the last word of both protocols, and all that reads their claims. `by`: the other request that was
 * in its way, for the log.
 */
export type Unclaimed =
  | ((Over | Busy) & { readonly by?: string | undefined })
  | Replaced
  | NotNow
  /** It is dead-lettered, and nothing in the store has to be fenced first. */
  | { readonly kind: 'refuse'; readonly refusal: DeadLetterNotice }
  /** The last of `attempts` attempts ended without a write. The record is claimed later, alone, right before it runs. */
  | { readonly kind: 'silent'; readonly attempts: number }
  | { readonly kind: 'failed'; readonly error: Error }
