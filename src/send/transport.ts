/** How a record comes back for its next attempt. */
export type RetryTransport = 'resend' | 'visibility'

/** The longest DelaySeconds of SQS is 15 minutes. */
export const MAX_DELAY_MS = 900_000
/** SQS lets a message stay hidden for 12 hours from its receipt. One minute of that is reserved for the call. */
export const MAX_HIDDEN_MS = 43_140_000
/**
 * Lambda stops a chain of invocations at 16 (recursive loop detection) and drops the message. 4 of them are left for other
 * functions.
 */
export const MAX_HOPS = 12

export interface TransportChoice {
  readonly wanted: RetryTransport
  readonly fifo: boolean
  readonly hops: number
}

/** A FIFO queue accepts no delay for a single message, and a copy would lose its place in the group. */
export function chooseTransport({ wanted, fifo, hops }: TransportChoice): RetryTransport {
  return wanted === 'resend' && !fifo && hops < MAX_HOPS ? 'resend' : 'visibility'
}
