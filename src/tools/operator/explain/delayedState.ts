import type { Delayed } from '../../../features/delay/delayedRow.ts'
import { displayId } from '../../../sweeper/address.ts'
import type { Advice } from '../item/advice.ts'
import { advise, type Command, note } from '../item/advise.ts'
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

/** The sweeper runs once a minute, milliseconds. */
const GRACE = 2 * 60_000
const SWEEP: Command = { action: 'sweep', last: ['--apply'] }

export function adviseDelayed(row: Delayed, id: string, now: number): readonly Advice[] {
  const { recordPk, uniqueRequestId: request, due } = row
  const status = statusOf(row, now)
  if (status === 'sent' || status === 'void') return []
  return [
    status === 'heldBack' && recordPk !== undefined
      ? advise(
          {
            before: `its run has died: it is sent after the redrive of ${request}, or when SQS no longer keeps the dead letter. `,
            command: { action: 'explain', positionals: { id: displayId(recordPk) } },
          },
          { cure: true },
        )
      : status === 'due' && due < now - GRACE
        ? advise({ before: 'the sweeper should have sent it: ', command: SWEEP }, { cure: true })
        : note('nothing to do, the sweeper sends it', { cure: true }),
    advise({
      before: 'if it must not be sent: ',
      command: { action: 'delays.void', positionals: { id } },
    }),
  ]
}
