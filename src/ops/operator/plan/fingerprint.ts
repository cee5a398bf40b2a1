import { planName } from '../text/planName.ts'
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
      return [effect.update.key, effect.update.where]
    case 'updates':
      return effect.updates.map(({ key, where }) => [key, where])
    case 'end':
      return [effect.ending.reset.key, effect.ending.reset.where]
    case 'undo':
      return [effect.fence.key, effect.fence.where]
    case 'send':
      return [effect.mark.key, effect.mark.where, effect.queueUrl]
  }
}
