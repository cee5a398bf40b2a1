import type { Choices } from './choices.ts'
import { type Effects, effectsOf } from './effects.ts'
import { compare, compareWith, type Finding } from './judge.ts'
import { type Lab, queueOf } from './scheduleContext.ts'
import type { Setting } from './nextOptions.ts'
import { play, STUCK } from './playSchedule.ts'
import { type Letter, put } from '../queues/sqs.ts'

/**
 * At the end every message that was ever delivered comes once more: nothing may come of it. A FIFO queue does not do that: what
 * was deleted there stays deleted.
 */
export async function comeAgain(
  lab: Lab,
  setting: Setting,
  expected: readonly Effects[],
): Promise<Finding[]> {
  const { world } = lab
  const before = effectsOf(lab)
  world.faultsLeft = 0
  for (const name of setting.queues) {
    const queue = queueOf(lab, name)
    if (queue.isFifo) continue
    for (const letter of queue.delivered.slice()) {
      world.log.push(`${letter.id} of ${name} comes once more, when all is over`)
      again(lab, name, letter)
      if ((await play(lab, { ...setting, together: 0 }, FIRST, new Set())) === 'stuck')
        return [STUCK]
    }
  }
  const after = effectsOf(lab)
  // What was dead-lettered and comes again may be done at last.
  if (before.told && compareWith(expected, after).length === 0) return []
  return compare(before, after)
}

function again(lab: Lab, name: string, letter: Letter): void {
  const copy = put(queueOf(lab, name), letter.message, lab.world.now)
  queueOf(lab, name).all.pop()
  Object.assign(copy, { id: letter.id, receives: letter.receives })
}

const FIRST: Choices = { pick: () => 0, isNew: () => false }
