import type { QueueMessage } from '../../../send/messenger.ts'
import type { RunEnding } from '../../../claim/stage/endRun.ts'
import type { Update, Condition } from '../../../store/store.ts'
import type { Decision } from '../item/decisions.ts'
import { planName } from '../text/planName.ts'

/** What an operator's command would change, given what is in the table now. */
export type ChangePlan = PlannedChange | NoChange

export interface PlannedChange {
  readonly kind: 'change'
  readonly action: OperatorAction
  /** `consumer/ID` or `flow/KEY`. */
  readonly id: string
  /** The state now, in words. */
  readonly standing: readonly string[]
  /** The state after the change, in words. */
  readonly changes: readonly string[]
  /** Until when an attempt may run, epoch milliseconds. The plan is then not applied without `force`. */
  readonly liveLease: number | undefined
  readonly effect: PlannedEffect
}

/** `nothing`: the item is in that state already. `impossible`: the change would be wrong. `missing`: there is no such item. */
export interface NoChange {
  readonly kind: 'nothing' | 'impossible' | 'missing'
  readonly action: OperatorAction
  readonly id: string
  readonly standing: readonly string[]
  readonly because: string
}

/** As items and the audit keep it. */
export type OperatorAction = `decide ${Decision}`

/**
 * Each write is conditional on exactly what was shown. `send`: first `mark`, which is refused if something has changed, then the
 * message, then `afterwards`. If it is killed in between, the same command does the rest.
 */
export type PlannedEffect =
  | { readonly kind: 'update'; readonly update: Update }
  /** In this order. If it is killed in between, the same command does the rest. */
  | { readonly kind: 'updates'; readonly updates: readonly Update[] }
  | { readonly kind: 'end'; readonly ending: RunEnding }
  /** Ends a run so that its effects are undone: the fence, and then what the sweeper does. */
  | { readonly kind: 'undo'; readonly fence: Update; readonly retention: number }
  | {
      readonly kind: 'send'
      /** Written before `mark`, and as it conditional on what was shown. */
      readonly before?: Update | undefined
      readonly mark: Update
      readonly queueUrl: string
      readonly message: QueueMessage
      readonly afterwards: Update | undefined
    }

export function noChange(
  kind: NoChange['kind'],
  about: Pick<NoChange, 'action' | 'id' | 'standing'>,
  because: string,
): NoChange {
  return { kind, ...about, because }
}

/**
 * Two plans have one fingerprint if they would do the same to the same state. The conditions of the write hold all that was shown
 * of the item, and no time of day. Times in `set` differ from plan to plan, so the arguments stand for it.
 * @param args what the operator typed, beside the options of all commands
 */
export function fingerprintOf(plan: PlannedChange, args: readonly string[]): string {
  return planName([plan.action, plan.id, args, conditionsOf(plan), plan.changes])
}

function conditionsOf({ effect }: PlannedChange): unknown {
  switch (effect.kind) {
    case 'update':
      return [effect.update.key, inOneOrder(effect.update.where)]
    case 'updates':
      return effect.updates.map(({ key, where }) => [key, inOneOrder(where)])
    case 'end':
      return [effect.ending.reset.key, inOneOrder(effect.ending.reset.where)]
    case 'undo':
      return [effect.fence.key, inOneOrder(effect.fence.where)]
    case 'send':
      return [effect.mark.key, inOneOrder(effect.mark.where), effect.queueUrl]
  }
}

/** DynamoDB gives the attributes of an item in any order, so two reads of one item may give the same conditions in two orders. */
function inOneOrder(where: readonly Condition[]): readonly string[] {
  return where.map((each) => JSON.stringify(each)).toSorted()
}
