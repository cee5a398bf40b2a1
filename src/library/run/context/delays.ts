import type { Hold } from '../../protocol/claim/hold.ts'
import type { QueueMessage } from '../../protocol/send/messenger.ts'
import type { DelayedRow } from '../../protocol/claim/delayed/delayedRow.ts'
import type { Store } from '../../protocol/store/store.ts'

/** The attempt that sends a message. Times are epoch milliseconds. */
export interface DelayedSender {
  /** The consumer or stage. */
  readonly consumer: string
  readonly uniqueRequestId: string
  /** The claim of the sender; in a flow it names the run. */
  readonly hold: Pick<Hold, 'run'>
  /** How long to remember that it was sent, milliseconds: the retention. */
  readonly keepFor: number
  now(): number
}

/** A message that has to wait longer than its queue can delay it. */
export interface DelayedMessage {
  /** The same in every attempt, so that the message is stored once. A retry has the number of its resend. */
  readonly id: string
  /** URL or ARN of the queue. */
  readonly queue: string
  readonly message: QueueMessage
  /** Default: `delay` from now. */
  readonly due?: number | undefined
  /** Milliseconds. */
  readonly delay?: number | undefined
}

/**
 * Where messages wait that are delayed for longer than the 15 minutes of SQS: `storedDelays()`.
 * @example const delays: Delays = storedDelays()
 */
export interface Delays {
  /** Whether a row can hold the message. */
  fits(message: QueueMessage): boolean
  /**
   * The row of a message.
   * @throws TerminalError when the message is too large for a row; ConfigError when it would be too old on arrival
   */
  rowOf(sender: DelayedSender, delayed: DelayedMessage): DelayedRow
  /**
   * Stores a retry that its queue cannot delay for so long.
   * @returns undefined: nothing is stored, the queue has to take it. Else resolves with the failure, if there is one
   */
  resend(
    store: Store,
    sender: DelayedSender,
    copy: DelayedMessage & { readonly due: number },
  ): Promise<Error | undefined> | undefined
  /** Stores the rows that are not there yet. @returns the first failure; undefined: all are stored */
  keep(store: Store, rows: readonly DelayedRow[]): Promise<Error | undefined>
}
