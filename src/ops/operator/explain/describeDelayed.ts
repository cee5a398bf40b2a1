import type { Delayed } from '../../../delay/delayedRow.ts'
import { displayId } from '../../address.ts'
import { formatRelative, formatTime } from '../text/humanTime.ts'

/** A delayed message, one fact per line. */
export function describeDelayed(row: Delayed, now: number): readonly string[] {
  const { queue, by, uniqueRequestId, recordPk } = row
  const run = recordPk === undefined ? '' : `, a run of ${displayId(recordPk)}`
  return [
    stateOf(row, now),
    `to: ${queue}`,
    `from: ${by}, for the request ${uniqueRequestId}${run}`,
  ]
}

function stateOf({ status, due, dueAt = due }: Delayed, now: number): string {
  switch (status) {
    case 'sent':
      return `sent; it was due ${formatTime(due, now)}`
    case 'void':
      return `void: it is never sent; it was due ${formatTime(due, now)}`
    case 'due':
      if (dueAt > due)
        return `kept back, since its run is dead: looked at again ${formatRelative(dueAt, now)}`
      return due > now
        ? `waits: the sweeper sends it ${formatRelative(due, now)}`
        : `due ${formatRelative(due, now)}: the sweeper sends it. If this lasts, it does not run, or the queue refuses it`
  }
}
