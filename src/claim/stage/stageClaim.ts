import type { AfterLost } from '../afterLost.ts'
import type { DeadLetterNotice, Death } from '../hold.ts'
import type { ClaimStreak } from './claimStreak.ts'
import type { ItemStore } from '../itemStore.ts'
import type { EndReason } from '../settlement.ts'
import type { AnyStageRequest } from './claimWrite.ts'
import type { EndOptions } from './endRun.ts'
import type { HeldStage } from './heldStage.ts'
import type { DyingEntry } from './stageEntry.ts'
import type { EndingKind, StageRecord } from './stageRecord.ts'
import type { StageNames } from './nameInRun.ts'
import type { StageVerdict } from './verdict.ts'
import type { StoreKey, ReadOutcome, WriteOutcome } from '../../store/store.ts'

export type StageClaim =
  /**
   * `first`: no earlier attempt has had the stage in this run. A released attempt does not count as an attempt, but may have made
   * calls.
   */
  | ({
      readonly kind: 'claimed'
      readonly held: HeldStage
      readonly first: boolean
      /** As in `Fencing`. */
      readonly isSurelyFirst: boolean
      readonly refusal: Death
    } & AfterLost)
  | ({
      readonly kind: 'deadLettering'
      readonly held: HeldStage<DyingEntry>
      readonly refusal: Death
    } & AfterLost)
  | { readonly kind: 'held' | 'early'; readonly until: number }
  | { readonly kind: 'busy'; readonly until: number; readonly by?: string | undefined }
  | { readonly kind: 'replaced' | 'unreadable' }
  | { readonly kind: 'silent'; readonly attempts: number }
  /** `by`: the other request that was in its way, for the log. */
  | { readonly kind: 'over'; readonly as: EndReason; readonly by?: string | undefined }
  | { readonly kind: 'refuse'; readonly refusal: DeadLetterNotice }
  | { readonly kind: 'failed'; readonly error: Error }

/** Ends runs whose effects are to be undone. It comes with the option `undo`. */
export interface RunEnder {
  /**
   * Makes the next write of the end; then the record has to be read again.
   * @returns the error, when the store gave no answer
   */
  end(
    store: ItemStore,
    record: StageRecord,
    as: EndingKind,
    closing: EndOptions,
  ): Promise<Error | undefined>
}

export interface StageClaimRequest {
  readonly key: StoreKey
  readonly request: AnyStageRequest
  /** The request does not start before this time, epoch milliseconds: the delay is longer than a queue can keep a message. */
  readonly notBefore: number
  decide(record: StageRecord | undefined, request: AnyStageRequest): StageVerdict
  sleep(milliseconds: number): Promise<void>
  /** The cause of death for the dead letter, if the request may not run. */
  readonly refusal: Death
  readonly names: StageNames
  /** The claim is taken before the record runs. A message that may kill its sandbox is then not claimed. */
  readonly ahead: boolean
  readonly closing: EndOptions
  /** undefined: the flow has no option `undo`. */
  readonly ender?: RunEnder | undefined
  /** undefined: the record is read first. */
  readonly unread?: Unread | undefined
}

/** A message that was not delivered before: its claim may be tried before the record is read (probableClaim). */
export interface Unread {
  readonly streak: ClaimStreak
  /** The fence of the record when the message was sent. undefined: the message does not say it. */
  readonly fence: number | undefined
}

/** The last known state of the record: from a read, or from a refused write. */
export type Seen = ReadOutcome | WriteOutcome
