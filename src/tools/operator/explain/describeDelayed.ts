import { formatRelative, formatTime } from '../text/humanTime.ts'
import type { DelayedState } from './delayedState.ts'

/** A delayed message, one fact per line. */
export function describeDelayed(row: DelayedState, now: number): readonly string[] {
  const { queue, by, request, run } = row
  const of = run === undefined ? '' : `, a run of ${run}`
  return [stateText(row, now), `to: ${queue}`, `from: ${by}, for the request ${request}${of}`]
}

function stateText({ status, due, dueAt = due }: DelayedState, now: number): string {
  switch (status) {
    case 'sent':
      return `sent; it was due ${formatTime(due, now)}`
    case 'void':
      return `void: it is never sent; it was due ${formatTime(due, now)}`
    case 'heldBack':
      return `kept back, since its run is dead or is being ended; it was due ${formatTime(due, now)}, and is looked at again ${formatRelative(dueAt, now)}`
    case 'waiting':
      return `waits: the sweeper sends it ${formatRelative(due, now)}`
    case 'due':
      return `due ${formatRelative(due, now)}: the sweeper sends it. If this lasts, it does not run, or the queue refuses it`
  }
}
