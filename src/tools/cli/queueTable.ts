import { messagesOf } from '../operator/dlq/index.ts'
import type { SourceQueue } from '../operator/status/sourceStatus.ts'
import { tableLines } from './table.ts'

/** Names of queues, and how many messages waited at the last look. */
export type Depths = Map<string, number>

const MOST = 10
const HEAD = ['QUEUE', 'WAITING', 'IN FLIGHT', 'DELAYED', 'READ BY']

/** Queues with messages, the fullest first. `(+80)`: so many more than at the last look of a watch. */
export function queueLines(
  queues: readonly SourceQueue[],
  depths: Depths,
  width: number | undefined,
): readonly string[] {
  if (queues.length === 0) return []
  const rows = queues
    .toSorted((one, other) => messagesOf(other) - messagesOf(one))
    .slice(0, MOST)
    .map((queue) => [
      queue.name,
      `${queue.visible}${grown(queue.visible, depths.get(queue.name))}`,
      String(queue.inFlight),
      String(queue.delayed),
      queue.readBy,
    ])
  const more = queues.length > MOST ? [`and ${queues.length - MOST} more queues with messages`] : []
  return [...tableLines(HEAD, rows, width), ...more]
}

function grown(now: number, before = now): string {
  if (now === before) return ''
  return now > before ? ` (+${now - before})` : ` (${now - before})`
}
