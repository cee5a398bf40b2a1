import { planName } from '../text/planName.ts'
import type { Condition } from '../../../store/store.ts'
import type { PlannedChange } from './plan.ts'

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
