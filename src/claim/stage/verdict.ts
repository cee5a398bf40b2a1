import type { EndReason } from '../settlement.ts'
import type { DeadRun } from './deadRun.ts'
import type { StageDeathReason } from './stageEntry.ts'
import type { StageRecord } from './stageRecord.ts'

/** What a message may do. The first group asks for a write (claimWrite); it holds only while the record is as judged. */
export type StageVerdict = ClaimVerdict | EndVerdict | WaitVerdict | FirstVerdict

export type ClaimVerdict =
  /** The flow is idle (`record` undefined: no item yet), or a newer request takes it from an older one. */
  | { readonly kind: 'start'; readonly record: StageRecord | undefined }
  /** First claim of this stage in the run. */
  | { readonly kind: 'begin'; readonly record: StageRecord }
  /** The attempt before is dead, or its retry is due. */
  | { readonly kind: 'takeOver'; readonly record: StageRecord }
  /** May not run any more: fence an attempt that may be alive, send the dead letter, then mark the stage dead. */
  | {
      readonly kind: 'deadLetter'
      readonly record: StageRecord
      readonly because: StageDeathReason
    }
  /** A dead letter came back: its run starts again where it died, with marks and settled stages. */
  | {
      readonly kind: 'reopen'
      readonly record: StageRecord | undefined
      readonly deadRun: DeadRun
    }
  /** A dead letter came back while other stages of its request still run: its own stage opens again. */
  | { readonly kind: 'revive'; readonly record: StageRecord }

type EndVerdict =
  /** Nothing is left to do for this message: it may be acknowledged. */
  | { readonly kind: 'over'; readonly as: EndReason }
  /** A newer copy is on the queue for certain: this one has no job left, and may be acknowledged. */
  | { readonly kind: 'replaced' }
  /** May not run, and no record stands in the way of saying so: to the dead-letter queue, with the death it came with or 0. */
  | { readonly kind: 'refuse'; readonly because: RefusalCode }
  /**
   * Its run was abandoned while this message was on its way, or the stage that sent it has to be redriven first:
   * to the dead-letter queue, as a dead letter of that death.
   */
  | { readonly kind: 'abandonedMessage'; readonly death: number }
  /** `drop`: the refusal is recorded (writeDrop), then the message acknowledged. */
  | { readonly kind: 'drop'; readonly record: StageRecord }

/**
 * `lost`: the record is older than the message, or gone before its time. `unsent`: no stage of the run has handed on to this
 * one. `conflict`: another payload came under its id before. `order`: the record is of the other order. `name`: the record is of another flow of the same name. `busy`: a dead letter on a FIFO queue, whose key another request has.
 */
export type RefusalCode =
  | 'rejected'
  | 'too old'
  | 'lost'
  | 'unsent'
  | 'conflict'
  | 'order'
  | 'name'
  | 'busy'

type WaitVerdict =
  /** Mine already: the answer to my own claim was lost. */
  | { readonly kind: 'mine'; readonly record: StageRecord }
  /** As `mine`, for a claim that was made to dead-letter. */
  | { readonly kind: 'deadLettering'; readonly record: StageRecord }
  /** Another attempt of the same stage is live. */
  | { readonly kind: 'held'; readonly until: number }
  | { readonly kind: 'early'; readonly until: number }
  /** Another request has the flow, at the latest until `until`: it may be free much sooner. */
  | { readonly kind: 'busy'; readonly until: number }
  /** `coalesce`: says that this is the newest one that waits (writeWaiting), then waits. */
  | { readonly kind: 'wait'; readonly record: StageRecord }

type FirstVerdict =
  /** Read the items under `historyKeys` consistently, and decide again with them as the `history` of `epoch`. */
  | { readonly kind: 'lookUp'; readonly epoch: number }
  /** The run that stands in the way has no time left: end it (decideAbandon), then decide again. */
  | { readonly kind: 'abandonRun'; readonly record: StageRecord }
