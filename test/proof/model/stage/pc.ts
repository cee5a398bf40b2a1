import type { AnswerDecision } from '../../../../src/library/protocol/claim/awaiting/decideAnswer.ts'
import type { Waiter } from '../../../../src/library/protocol/claim/awaiting/waitingRuns.ts'
import type { ClaimWrite } from '../../../../src/library/protocol/claim/stage/claimWrite.ts'
import type { HeldStage } from '../../../../src/library/protocol/claim/stage/stageOwnedBy.ts'
import type { DyingEntry } from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import type { StageRecord } from '../../../../src/library/protocol/claim/stage/stageRecord.ts'
import type { EndReason } from '../../../../src/library/protocol/claim/settlement.ts'
import type { ClaimVerdict } from '../../../../src/library/protocol/claim/stage/verdict.ts'
import type { Update } from '../../../../src/library/protocol/store/store.ts'
import type { Op } from './op.ts'

/** The position of an invocation: its next call, and all it needs to continue. */
export type Pc =
  | { readonly at: 'claim'; readonly verdict: ClaimVerdict['kind']; readonly write: ClaimWrite }
  | {
      readonly at: 'lookUp'
      readonly record: StageRecord | undefined
      readonly may: 'claim' | 'only end'
    }
  | { readonly at: 'drop' | 'wait'; readonly update: Update }
  | { readonly at: 'refuse'; readonly death: number }
  | { readonly at: 'run'; readonly held: HeldStage; readonly steps: readonly Micro[] }
  | { readonly at: 'resend'; readonly held: HeldStage; readonly next: number }
  | { readonly at: 'copy' | 'confirm'; readonly held: HeldStage; readonly next: number }
  | { readonly at: 'die'; readonly held: HeldStage; readonly unknown: boolean }
  | { readonly at: 'deadLetter'; readonly held: HeldStage<DyingEntry> }
  | { readonly at: 'earlyDeadLetter'; readonly write: ClaimWrite; readonly death: number }
  /** The remaining writes of a settlement, of dead-lettering or of an end from outside. */
  | {
      readonly at: 'leave'
      readonly held: HeldStage | HeldStage<DyingEntry>
      readonly todo: readonly Op[]
    }
  | {
      readonly at: 'end'
      readonly todo: readonly Op[]
      readonly after: 'stop' | 'decide'
    }
  | { readonly at: 'abandon'; readonly update: Update; readonly after: 'stop' | 'decide' }
  | { readonly at: 'answer'; readonly waiter: Waiter }
  | {
      readonly at: 'accept'
      readonly waiter: Waiter
      readonly completion: Extract<AnswerDecision, { kind: 'accept' }>
    }
  | { readonly at: 'expire'; readonly waiter: Waiter; readonly update: Update }
  | {
      readonly at: 'ended'
      readonly how: 'acknowledge' | 'stay'
      readonly as: EndReason | 'replaced' | undefined
    }

/** A step of the handler as the framework carries it out. */
export type Micro =
  | { readonly do: 'effect'; readonly name: string }
  | { readonly do: 'send'; readonly to: string }
  | { readonly do: 'begin'; readonly name: string; readonly as: 'repeat' | 'stop' }
  | { readonly do: 'start'; readonly name: string; readonly nth: number }
  | { readonly do: 'call' | 'store'; readonly name: string }
  /** `update`: an item stands there already. */
  | (Awaited & { readonly do: 'save'; readonly update: Update | undefined })
  | {
      readonly do: 'list'
      readonly name: string
      readonly id: string
      readonly update: Update | undefined
    }
  | { readonly do: 'ask'; readonly id: string }

export interface Awaited {
  readonly name: string
  readonly ids: readonly string[]
  readonly need: number
}
