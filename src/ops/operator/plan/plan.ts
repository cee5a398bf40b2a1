import type { QueueMessage } from '../../../queue/messenger.ts'
import type { RunEnding } from '../../../claim/stage/endRun.ts'
import type { Item, StoreKey, Update } from '../../../store/store.ts'

/** What an operator's command would do, on what stands in the table now. */
export type ChangePlan = PlannedChange | NoChange

export interface PlannedChange {
  readonly kind: 'change'
  readonly action: OperatorAction
  /** `consumer/ID` or `flow/KEY`. */
  readonly id: string
  /** What is there now, in words. */
  readonly standing: readonly string[]
  /** What will be different, in words. */
  readonly changes: readonly string[]
  /** An attempt may be at work until then, epoch milliseconds: not applied without `force`. */
  readonly liveLease: number | undefined
  readonly effect: PlannedEffect
}

/** `nothing`: it is so already. `impossible`: it would be wrong. `missing`: there is no such thing. */
interface NoChange {
  readonly kind: 'nothing' | 'impossible' | 'missing'
  readonly action: OperatorAction
  readonly id: string
  readonly standing: readonly string[]
  readonly because: string
}

export type OperatorAction =
  | 'tokens resolve'
  | 'tokens release'
  | 'tokens reopen'
  | 'awaits complete'
  | 'awaits fail'
  | 'flow reset'
  | 'flow forget'

/**
 * Each is conditional on exactly what was shown. `send`: first `mark`, which is refused when something has changed, then the
 * message, then `afterwards`: killed in between, the same command does the rest.
 */
export type PlannedEffect =
  | { readonly kind: 'update'; readonly update: Update }
  | { readonly kind: 'end'; readonly ending: RunEnding }
  | {
      readonly kind: 'send'
      readonly mark: Update
      readonly queueUrl: string
      readonly message: QueueMessage
      readonly afterwards: Update | undefined
      /** Created before `afterwards`, for a join that needs every answer. */
      readonly keep: (Item & StoreKey) | undefined
    }

export function noChange(
  kind: NoChange['kind'],
  about: Pick<NoChange, 'action' | 'id' | 'standing'>,
  because: string,
): NoChange {
  return { kind, ...about, because }
}
