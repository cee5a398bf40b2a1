import type { RequestHistory } from './requestHistory.ts'
import type { Order } from './stageRecord.ts'

/** What becomes of a request that finds its key held by another one. `supersede` and `coalesce` go with `newest` only. */
export type OnConflict = 'defer' | 'drop' | 'supersede' | 'coalesce'

/** What a message brings to a stage. All times are epoch milliseconds. */
export interface StageMessage {
  readonly stage: string
  /** Of the request that runs the flow: in a later stage the one handed on, not the message's own. */
  readonly uniqueRequestId: string
  readonly attemptId: string
  readonly leaseUntil: number
  readonly maxAttempts: number
  /** Which re-send this copy is; 0 for the first sending. */
  readonly retry: number
  /** The epoch of its death, when this copy is a redriven dead letter; 0: its request never started. */
  readonly death: number | undefined
  /** From then on the request may not run any more: sentAt + maxAge, or for a dead letter that came back now + maxAge. */
  readonly giveUpAt: number
  /** The stage that handed on to this one, or asked for the answer. */
  readonly after?: string | undefined
  /** The epoch of the record that the message has come from; 0: it began there. */
  readonly seen: number
  /** So young that the record it has come from cannot have expired. */
  readonly young: boolean
  /** On a FIFO queue, where whatever waits holds up all that came to its group later. */
  readonly fifo: boolean
  /** See fingerprintOf; undefined: not known, as for messages of later stages. */
  readonly payload?: string | undefined
  /** The payload may not run (schema): only its end is to be found. */
  readonly refused: boolean
  /** What stands in other items; asked for by the verdict `lookUp`. */
  readonly history: RequestHistory | undefined
}

/** A message of the first stage. */
export interface StartRequest extends StageMessage {
  readonly sentAt: number
  readonly order: Order
  readonly onConflict: OnConflict
  /** Which function, from which queue; undefined: it is not known, or not asked. */
  readonly by?: string | undefined
}

/** A message of a later stage, sent within the run of `epoch`. */
export interface StageRequest extends StageMessage {
  readonly sentAt: number
  readonly order: Order
  readonly epoch: number
}
