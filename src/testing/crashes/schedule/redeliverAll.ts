import type { Choices } from './choices.ts'
import { type Effects, effectsOf } from '../effects/effects.ts'
import { compare, compareWith, type CrashFinding } from '../effects/compareEffects.ts'
import { type ScheduleContext, queueOf } from '../simulation/scheduleContext.ts'
import type { ScheduleSetting } from './nextEvents.ts'
import { runToRest, STUCK } from './runToRest.ts'
import { type SimulatedMessage, put } from '../../queues/simulatedQueue.ts'

/**
 * At the end, redelivers every message that was ever received: that must have no effect. FIFO queues are left out, because they
 * never redeliver a deleted message.
 */
export async function redeliverAll(
  context: ScheduleContext,
  setting: ScheduleSetting,
  expected: readonly Effects[],
): Promise<CrashFinding[]> {
  const { simulation } = context
  const before = effectsOf(context)
  simulation.faultsLeft = 0
  for (const name of setting.queues) {
    const queue = queueOf(context, name)
    if (queue.isFifo) continue
    for (const queued of queue.delivered.slice()) {
      simulation.log.push(`${queued.id} of ${name} is redelivered after the end`)
      again(context, name, queued)
      if ((await runToRest(context, { ...setting, together: 0 }, FIRST, new Set())) === 'stuck')
        return [STUCK]
    }
  }
  const after = effectsOf(context)
  // A dead-lettered message may succeed when it is redelivered.
  if (before.refused + before.dead.size > 0 && compareWith(expected, after).length === 0) return []
  return compare(before, after)
}

function again(context: ScheduleContext, name: string, queued: SimulatedMessage): void {
  const copy = put(queueOf(context, name), queued.message, context.simulation.now)
  queueOf(context, name).all.pop()
  Object.assign(copy, { id: queued.id, receives: queued.receives, sentAt: queued.sentAt })
}

const FIRST: Choices = { pick: () => 0, isNew: () => false }
