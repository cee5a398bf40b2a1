export interface CallFacts {
  readonly name: string
  /**
   * `done`: it was made. `unknown`: it was begun, and whether it was made is not known. `notMade`: it certainly did not reach the
   * outside system. `other`: stored by another version.
   */
  readonly state: 'done' | 'unknown' | 'notMade' | 'other'
  /** `stored`: with the request. `apart`: in the result store. `lost`: it could not be stored. `none`: there is none, or no longer. */
  readonly result: 'stored' | 'apart' | 'lost' | 'none'
  /** Size of a `stored` result: bytes of its text in UTF-8. */
  readonly resultBytes: number | undefined
  /**
   * The idempotency key that the outside system was sent. A consumer that was renamed since has sent the one of its former name.
   * undefined: the call has none.
   */
  readonly key: string | undefined
}

export interface MessageFacts {
  /** The name that it was sent under, or its queue, topic or stage. */
  readonly name: string
  /** Its `uniquerequestid`. */
  readonly id: string
}

/**
 * A stage of a run.
 * - `coming`: a message is on its way to it. - `running`: an attempt holds the lease. `lost`: the lease has ended.
 * - `waiting`: its next attempt is due at `due`. - `done` - `dying`: its dead letter is being sent. - `dead`
 */
export interface StageFacts {
  readonly name: string
  readonly status: 'coming' | 'running' | 'lost' | 'waiting' | 'done' | 'dying' | 'dead'
  /** undefined: it is not stored (`coming`, `done`, `dead`). */
  readonly attempt: number | undefined
  /** When the attempt made its claim. */
  readonly beganAt: number | undefined
  readonly leaseUntil: number | undefined
  /** When the next attempt may begin, if it is `waiting`. */
  readonly due: number | undefined
  /** Whether the queue is known to hold the message of the next attempt, if it is `waiting`. */
  readonly resent: boolean | undefined
  /** Reason of the dead letter, when `dying` or `dead`. */
  readonly reason: string | undefined
  /** The stages and steps that it sent messages to, once it is `done`. */
  readonly sentTo: readonly string[]
  /** It is `done`, and no stage follows it. */
  readonly ends: boolean
  readonly effects: readonly string[]
  readonly calls: readonly CallFacts[]
}

/** What the next delivery or call would do, decided by the claim's own rule. */
export interface Fate {
  readonly kind:
    | 'runs'
    | 'dropped'
    | 'deferred'
    | 'deadLettered'
    /** A call gets the stored outcome. */
    | 'answered'
    /** A call is refused. */
    | 'refused'
    /** On when it was first sent. */
    | 'depends'
  /** The request that is delivered, where it is not that of the item. */
  readonly request: string | undefined
  readonly stage: string | undefined
  /** When a `deferred` one is delivered again, or the call is answered. undefined: not known. */
  readonly until: number | undefined
  /** All of it in words. */
  readonly text: string
}

/** Whether an operator has ended a request as done. */
export function wasResolved(did: unknown): boolean {
  return did === 'decide done'
}
