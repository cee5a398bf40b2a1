import { closeDelayed, type Delayed } from '../../../features/delay/delayedRow.ts'
import { displayId } from '../../../sweeper/address.ts'
import { delayedState } from '../explain/delayedState.ts'
import { describeDelayed } from '../explain/describeDelayed.ts'
import { type ChangePlan, noChange } from './plan.ts'

/** The message is never sent. A sweeper that has judged it before may still send it. */
export function planVoid(row: Delayed, now: number): ChangePlan {
  const about = {
    action: 'delays void',
    id: displayId(row.key.pk),
    standing: describeDelayed(delayedState(row, now), now),
  } as const
  if (row.status === 'void') return noChange('nothing', about, 'it is void already')
  if (row.status === 'sent') return noChange('impossible', about, 'it was sent')
  return {
    kind: 'change',
    ...about,
    changes: ['is never sent, also if its handler runs again', ...effectOnRun(row)],
    liveLease: undefined,
    effect: { kind: 'update', update: closeDelayed(row, 'void', now) },
  }
}

function effectOnRun({ recordPk }: Delayed): readonly string[] {
  if (recordPk === undefined) return ['if it is a retry, its request does not run again by itself']
  const flow = displayId(recordPk)
  return [
    `if it continues the run of ${flow}, that ends at its time limit as dead, or by flow reset`,
  ]
}
