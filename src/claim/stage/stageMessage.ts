import type { RequestHistory } from './requestHistory.ts'
import type { Order } from './stageRecord.ts'

/** What happens to a request whose key another request has. `supersede` and `coalesce` exist for `newest` only. */
export type OnConflict = 'defer' | 'drop' | 'supersede' | 'coalesce'

/** What a message says about its request and stage. All times are epoch milliseconds. */
export interface StageMessage {
  readonly stage: string
  /** Id of the request that runs the flow. In a later stage this is the id that was passed on, not the message's own. */
  readonly uniqueRequestId: string
  readonly attemptId: string
  readonly leaseUntil: number
  readonly maxAttempts: number
  /** The number of the resend that made this copy; 0 for the original message. */
  readonly retry: number
  /** The epoch of its death, when this message is a redriven dead letter. 0: its request never started. */
  readonly death: number | undefined
  /** From then on the request may no longer run: sentAt + maxAge, or now + maxAge for a redriven dead letter. */
  readonly giveUpAt: number
  /** The stage that sent the message, or the stage that waits for the answer. */
  readonly after?: string | undefined
  /** The epoch of the record that the message carries. 0: it carries none, as a new request does. */
  readonly seen: number
  /** The message is younger than the retention, so the record of its run cannot have expired. */
  readonly young: boolean
  /** The message is on a FIFO queue, where a waiting message blocks all later messages of its group. */
  readonly fifo: boolean
  /** See fingerprintOf. undefined: not known, as for messages of later stages. */
  readonly payload?: string | undefined
  /** How the effects of a run of this flow can be undone, as its record keeps it. undefined: they cannot. */
  readonly undoPlan?: string | undefined
  /**
   * Where the epochs of a key begin that has no record: with `sql` at the time, because the fence of its last record may stand in the
   * database for longer, and no epoch may be below it. undefined: at 0.
   */
  readonly firstEpoch?: number | undefined
  /** The payload may not run (schema). The claim only finds out how the request ended. */
  readonly refused: boolean
  /** What other items show about the request. The verdict `lookUp` asks for it. */
  readonly history: RequestHistory | undefined
}

/** A message of the first stage. */
export interface StartRequest extends StageMessage {
  readonly sentAt: number
  readonly order: Order
  readonly onConflict: OnConflict
  /** Identifies the function and its queue. undefined: not known, or not to be compared. */
  readonly by?: string | undefined
}

/** A message of a later stage, sent within the run of `epoch`. */
export interface StageRequest extends StageMessage {
  readonly sentAt: number
  readonly order: Order
  readonly epoch: number
}
