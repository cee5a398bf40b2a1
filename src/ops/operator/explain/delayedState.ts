import type { Delayed } from '../../../delay/delayedRow.ts'
import { displayId } from '../../address.ts'
import type { Advice } from '../item/advice.ts'
import { advise, note } from '../item/advise.ts'
import type { DelayedFacts } from './messageFacts.ts'

/** What the row says. */
export type DelayedState = Omit<
  DelayedFacts,
  'id' | 'pk' | 'sk' | 'of' | 'operator' | 'advice' | 'since' | 'endedAt'
>

export function delayedState(row: Delayed, now: number): DelayedState {
  const { due, dueAt, queue, by, uniqueRequestId: request, recordPk } = row
  const run = recordPk === undefined ? undefined : displayId(recordPk)
  return { kind: 'delayed', status: statusOf(row, now), due, dueAt, queue, by, request, run }
}

function statusOf({ status, due, dueAt = due }: Delayed, now: number): DelayedFacts['status'] {
  if (status !== 'due') return status
  if (dueAt > due) return 'heldBack'
  return due > now ? 'waiting' : 'due'
}

export function adviseDelayed({ status }: Delayed, id: string): readonly Advice[] {
  if (status !== 'due') return []
  return [
    note('nothing to do, the sweeper sends it', { cure: true }),
    advise({
      before: 'if it must not be sent: ',
      command: { action: 'delays.void', positionals: { id } },
    }),
  ]
}
