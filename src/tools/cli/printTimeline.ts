import { isoTime } from '../../base/time.ts'
import type { LogReport } from '../operator/log/readLog.ts'
import type { TimelineEvent } from '../operator/explain/timelineEvent.ts'
import type { Io } from './command.ts'
import { oneLine, tableLines } from './table.ts'

/** Prints the events in order, and how much of the log was read for them. */
export function printTimeline(timeline: readonly TimelineEvent[], log: LogReport, io: Io): void {
  io.out(oneLine(headOf(log)))
  if (timeline.length === 0) return
  const severalRequests = new Set(timeline.map(({ request }) => request)).size > 1
  const head = ['WHEN', 'FROM', 'WHERE', ...(severalRequests ? ['REQUEST'] : []), ...REST]
  const rows = timeline.map(({ at, from, where, request, attempt, what, why }) => [
    at === undefined ? 'unknown' : isoTime(at),
    from,
    where,
    ...(severalRequests ? [request ?? ''] : []),
    attempt === undefined ? '' : String(attempt),
    what,
    why ?? '',
  ])
  for (const line of tableLines(head, rows, io.width)) io.out(line)
}

const REST = ['ATTEMPT', 'WHAT', 'WHY']

function headOf({ entries, lines, skipped, more }: LogReport): string {
  const read = `timeline, with ${entries.length} of ${lines} log lines`
  const unread = skipped === 0 ? '' : `; ${skipped} lines are not log entries, and were skipped`
  return `${read}${unread}${more ? '; more lines match than are shown' : ''}`
}
