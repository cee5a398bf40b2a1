import type { EndReason } from './hold.ts'

/** How one delivery of a record ended. */
export type Settlement =
  | { readonly kind: 'completed' }
  /** The handler threw StaleError: the data are newer than the request. */
  | { readonly kind: 'stale' }
  /** The request had ended before: done, or dead-lettered. */
  | { readonly kind: 'duplicate'; readonly of: 'completed' | 'deadLettered' }
  /** Of a flow: its request has no job left, or never gets one. */
  | { readonly kind: 'dropped'; readonly because: EndReason }
  /** What was to be done for it is in the store, or in messages of its own. */
  | { readonly kind: 'passedOn' }
  /** An older copy; the newer one is on the queue. */
  | { readonly kind: 'replaced' }
  /** Failed; a copy with a delay is on the queue. */
  | { readonly kind: 'resent'; readonly retry: number; readonly until: number }
  | { readonly kind: 'deadLettered'; readonly reason: string }
  /** Failed; the same message comes back. */
  | { readonly kind: 'retrying'; readonly until: number }
  /** Another attempt runs, or it is not yet time. */
  | { readonly kind: 'deferred'; readonly until: number }
  /** Not begun: the time was up, or an earlier record of its group did not end. Costs no attempt. */
  | { readonly kind: 'handedBack'; readonly until?: number }
  /** Still running when the time was up; its claim runs out by itself. */
  | { readonly kind: 'timedOut'; readonly until: number }
  /** Something the record needs was not there. It comes back after the visibility timeout. */
  | { readonly kind: 'failed'; readonly error: Error }

/** The message may go: its end is durable. Everything else stays on the queue. */
export function isAcknowledged(settlement: Settlement): boolean {
  switch (settlement.kind) {
    case 'completed':
    case 'stale':
    case 'duplicate':
    case 'dropped':
    case 'passedOn':
    case 'replaced':
    case 'resent':
    case 'deadLettered':
      return true
    case 'retrying':
    case 'deferred':
    case 'handedBack':
    case 'timedOut':
    case 'failed':
      return false
  }
}

/** When the message should come back, epoch milliseconds; undefined: after the queue's visibility timeout. */
export function comesBackAt(settlement: Settlement): number | undefined {
  return 'until' in settlement && !isAcknowledged(settlement) ? settlement.until : undefined
}
