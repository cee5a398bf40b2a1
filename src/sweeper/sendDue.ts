import type { Delayed } from '../features/delay/delayedRow.ts'
import type { QueueMessage, SendOutcome } from '../send/messenger.ts'
import { isFifo } from '../send/queueUrl.ts'
import { isPermanent } from '../send/refusal.ts'
import type { DueRow, Sweep } from './delayedSweep.ts'

/** @returns the rows that their queues have taken */
export async function sendDue(rows: readonly DueRow[], sweep: Sweep): Promise<readonly Delayed[]> {
  const now = sweep.now()
  const ready = rows.filter(({ queue, due }) => due <= now || !isFifo(queue))
  const byQueue = Map.groupBy(ready, ({ queue }) => queue)
  const sent = await Promise.all(
    [...byQueue].map(([queue, those]) => sendTo(queue, those.toSorted(byDue), sweep, now)),
  )
  return sent.flat()
}

async function sendTo(
  queue: string,
  rows: readonly DueRow[],
  sweep: Sweep,
  now: number,
): Promise<readonly Delayed[]> {
  const { counts, messenger, logger, refusing } = sweep
  if (refusing.has(queue)) {
    counts.failed += rows.length
    return []
  }
  const messages = rows.map((row) => messageOf(row, now))
  const together = await messenger.send(queue, messages)
  const outcomes = await eachAlone(queue, messages, together, sweep)
  const failures = outcomes.filter((outcome) => outcome !== undefined)
  counts.failed += failures.length
  counts.sent += rows.length - failures.length
  const [worst] = failures
  if (worst !== undefined) {
    logger.error('delayed messages were not sent: the next run tries again', {
      queue,
      error: (failures.find(isPermanent) ?? worst).message,
      failed: failures.length,
    })
  }
  return rows.filter((_, index) => outcomes[index] === undefined)
}

/**
 * SQS refuses a whole call for one message that it cannot take, and the others would be refused with it in each run. If it
 * refuses each of them alone as well, it is the queue that cannot be sent to.
 */
async function eachAlone(
  queue: string,
  messages: readonly QueueMessage[],
  together: readonly SendOutcome[],
  { messenger, refusing }: Sweep,
): Promise<readonly SendOutcome[]> {
  const isRefused = (outcome: SendOutcome): boolean => outcome !== undefined && isPermanent(outcome)
  if (together.filter(isRefused).length < 2) return together
  const outcomes = await Promise.all(
    together.map(async (outcome, index) => {
      const message = messages[index]
      if (message === undefined || !isRefused(outcome)) return outcome
      const [alone] = await messenger.send(queue, [message])
      return alone
    }),
  )
  if (outcomes.every(isRefused)) refusing.add(queue)
  return outcomes
}

/** A FIFO queue delays no single message, so its messages are sent when they are due. */
function messageOf({ message, due, queue }: DueRow, now: number): QueueMessage {
  return isFifo(queue) || due <= now
    ? message
    : { ...message, delaySeconds: Math.ceil((due - now) / 1_000) }
}

function byDue(one: Delayed, other: Delayed): number {
  return one.due - other.due
}
