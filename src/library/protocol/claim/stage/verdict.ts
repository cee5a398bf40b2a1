import type { Busy, NotNow, Over, Replaced } from '../unclaimed.ts'
import type { DeadRun } from './deadRun.ts'
import type { StageDeathReason } from './stageEntry.ts'
import type { StageRecord } from './stageRecord.ts'

/**
 * What a message may do. Every verdict of the first group asks for a write (claimWrite), which is conditional on the judged
 * record.
 */
export type StageVerdict = ClaimVerdict | EndVerdict | WaitVerdict | FirstVerdict

export type ClaimVerdict =
  /** The flow is idle (`record` undefined: there is no item yet), or a newer request supersedes an older one. */
  | { readonly kind: 'start'; readonly record: StageRecord | undefined }
  /** First claim of this stage in the run. */
  | { readonly kind: 'begin'; readonly record: StageRecord }
  /** The last attempt is dead, or its retry is due. */
  | { readonly kind: 'takeOver'; readonly record: StageRecord }
  /** The stage may no longer run: fence an attempt that may be alive, send the dead letter, then mark the stage as dead. */
  | {
      readonly kind: 'deadLetter'
      readonly record: StageRecord
      readonly because: StageDeathReason
    }
  /** A dead letter was redriven: its run continues where it died, with its marks and settled stages. */
  | {
      readonly kind: 'reopen'
      readonly record: StageRecord | undefined
      readonly deadRun: DeadRun
    }
  /** A dead letter was redriven while other stages of its request still run: its own stage opens again. */
  | { readonly kind: 'revive'; readonly record: StageRecord }

type EndVerdict =
  | Over
  | Replaced
  /** The message may not run, and no record has to be fenced first. It is dead-lettered with the death it arrived with, or 0. */
  | { readonly kind: 'refuse'; readonly because: RefusalCode }
  /**
   * Its run was abandoned while this message was on its way, or the dead letter of the stage that sent it has to be redriven
   * first. The message is dead-lettered with the number of that death.
   */
  | { readonly kind: 'abandonedMessage'; readonly death: number }
  /** `drop`: the refusal is recorded (writeDrop), then the message is acknowledged. */
  | { readonly kind: 'drop'; readonly record: StageRecord }

/**
 * `lost`: the record is older than the message, or was deleted before its time. `unsent`: no stage of the run has sent this
 * message. `conflict`: another payload arrived under its id before. `process`: the record began with the other `process`. `name`: the record
 * belongs to another flow of the same name. `busy`: a dead letter on a FIFO queue, whose key another request has.
 */
export type RefusalCode =
  | 'rejected'
  | 'too old'
  | 'lost'
  | 'unsent'
  | 'conflict'
  | 'process'
  | 'name'
  | 'busy'

type WaitVerdict =
  /** This attempt has the claim already: the answer to its own claim was lost. */
  | { readonly kind: 'mine'; readonly record: StageRecord }
  /** As `mine`, for a claim that was made to dead-letter the request. */
  | { readonly kind: 'deadLettering'; readonly record: StageRecord }
  | NotNow
  | Busy
  /** `coalesce`: records that this is the newest request that waits (writeWaiting), then the message waits. */
  | { readonly kind: 'wait'; readonly record: StageRecord }

type FirstVerdict =
  /** Read the items under `historyKeys` consistently, and decide again with them as the `history` of `epoch`. */
  | { readonly kind: 'lookUp'; readonly epoch: number }
  /** The run that has the key is out of time: end it (decideAbandon), then decide again. */
  | { readonly kind: 'abandonRun'; readonly record: StageRecord }
