import type { DeadLetterNotice, Death } from '../hold.ts'
import type { EndReason } from '../settlement.ts'
import type { AnyStageRequest } from './claimWrite.ts'
import type { EndOptions } from './endRun.ts'
import type { HeldStage } from './heldStage.ts'
import type { DyingEntry } from './stageEntry.ts'
import type { StageRecord } from './stageRecord.ts'
import type { StageNames } from './nameInRun.ts'
import type { StageVerdict } from './verdict.ts'
import type { StoreKey, ReadOutcome, WriteOutcome } from '../../store/store.ts'

export type StageClaim =
  /** `first`: no attempt has had the stage before in this run. A released attempt does not count, but may have made its calls. */
  | {
      readonly kind: 'claimed'
      readonly held: HeldStage
      readonly first: boolean
      readonly refusal: Death
    }
  | {
      readonly kind: 'deadLettering'
      readonly held: HeldStage<DyingEntry>
      readonly refusal: Death
    }
  | { readonly kind: 'held' | 'early'; readonly until: number }
  | { readonly kind: 'busy'; readonly until: number; readonly by?: string | undefined }
  | { readonly kind: 'replaced' | 'unreadable' }
  | { readonly kind: 'silent'; readonly attempts: number }
  /** `by`: the other request in its way, for the log. */
  | { readonly kind: 'over'; readonly as: EndReason; readonly by?: string | undefined }
  | { readonly kind: 'refuse'; readonly refusal: DeadLetterNotice }
  | { readonly kind: 'failed'; readonly error: Error }

export interface StageClaimRequest {
  readonly key: StoreKey
  readonly request: AnyStageRequest
  /** Not before, epoch milliseconds: a delay longer than a queue can keep it. */
  readonly notBefore: number
  decide(record: StageRecord | undefined, request: AnyStageRequest): StageVerdict
  sleep(milliseconds: number): Promise<void>
  /** What the dead letter says when the request may not run. */
  readonly refusal: Death
  readonly names: StageNames
  /** It does not run at once: what may kill its sandbox is not claimed now. */
  readonly ahead: boolean
  readonly closing: EndOptions
}

/** What was seen of the record last: by a read, or by a refused write. */
export type Seen = ReadOutcome | WriteOutcome
