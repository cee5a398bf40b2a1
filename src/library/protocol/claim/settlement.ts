/**
 * Why nothing is left to do for a message: it is acknowledged without a run, or its run may no longer write. Claims, refused
 * writes, log lines (`because`), metrics and settlements all use these words.
 */
export type EndReason =
  /** A copy whose request, stage or answer was completed before. */
  | 'duplicate'
  /** A copy whose request was dead-lettered before. The dead letter is the message to redrive. */
  | 'alreadyDeadLettered'
  /** Out of date: the handler threw StaleError, its run is over, or a newer request of its key has started. */
  | 'stale'
  /** A newer request has taken its key (`onConflict: 'supersede'`). */
  | 'superseded'
  /** `flow.reset` ended its request. */
  | 'reset'
  /** Another request had its key (`onConflict: 'drop'`). */
  | 'dropped'
  /** A newer request waits for its key (`onConflict: 'coalesce'`). */
  | 'coalesced'
  /** An answer that came when its run no longer waited for it. */
  | 'late'

/**
 * How one delivery of a record ended. `onSettled` receives it, and its metric has the name of its `kind`. All times are epoch
 * milliseconds.
 * @example
 * function onSettled(settlement: Settlement): void {
 *   if (settlement.kind === 'deadLettered') console.error(settlement.reason)
 * }
 */
export type Settlement =
  /** The handler returned, its messages were sent, and its completion is stored. Acknowledged. */
  | { readonly kind: 'completed' }
  /**
   * Nothing was left to do. Acknowledged. `otherPayload`: a duplicate by its id, with another payload than the one that has run.
   */
  | { readonly kind: EndReason; readonly otherPayload?: true }
  /** Its content is stored, or is on the queue in messages of its own, or it has none, as a test event of S3. Acknowledged. */
  | { readonly kind: 'accepted' }
  /** This is an older copy, and a newer one is certainly on the queue. Acknowledged. */
  | { readonly kind: 'replaced'; readonly otherPayload?: true }
  /** Failed, or its key is taken: copy number `retry` comes at `until`. Acknowledged. */
  | { readonly kind: 'resent'; readonly resendNumber: number; readonly until: number }
  /** The message is on the dead-letter queue, with the reason. Acknowledged. */
  | { readonly kind: 'deadLettered'; readonly reason: string }
  /** Failed: SQS delivers the same message again at `until`. */
  | { readonly kind: 'retrying'; readonly until: number }
  /** Another attempt runs, another request has the key, or the message is not yet due. SQS delivers it again at `until`. */
  | { readonly kind: 'deferred'; readonly until: number }
  /**
   * Not started, because no time was left or because an earlier record of its FIFO group stayed on the queue, or because of the
   * option `circuitBreaker`. Costs no attempt. The message stays on its queue.
   */
  | {
      readonly kind: 'notStarted'
      readonly until?: number
      /** The option `circuitBreaker` has held it back. */
      readonly circuitOpen?: true
    }
  /** The handler was still running when the time was up. SQS delivers the message again when its lease has expired. */
  | { readonly kind: 'timedOut'; readonly until: number }
  /**
   * The store or a queue did not answer, or the record cannot be read: SQS delivers the message again after the visibility
   * timeout.
   */
  | { readonly kind: 'failed'; readonly error: Error }

/** Whether the message may be deleted because its end is durable. All other messages stay on the queue. */
export function isAcknowledged(settlement: Settlement): boolean {
  switch (settlement.kind) {
    case 'completed':
    case 'duplicate':
    case 'alreadyDeadLettered':
    case 'stale':
    case 'superseded':
    case 'reset':
    case 'dropped':
    case 'coalesced':
    case 'late':
    case 'accepted':
    case 'replaced':
    case 'resent':
    case 'deadLettered':
      return true
    case 'retrying':
    case 'deferred':
    case 'notStarted':
    case 'timedOut':
    case 'failed':
      return false
  }
}

/** When SQS should deliver the message again, epoch milliseconds. undefined: after the queue's visibility timeout. */
export function comesBackAt(settlement: Settlement): number | undefined {
  return 'until' in settlement && !isAcknowledged(settlement) ? settlement.until : undefined
}
