import type { Message } from '@aws-sdk/client-sqs'
import { systemClock } from '../../../base/clock.ts'
import type { QueueSource } from './queueSource.ts'

interface PollSettings {
  /** How many messages are wanted. */
  readonly want: number
  /** Milliseconds after the first message. */
  readonly window: number
  /** The longest long poll, seconds. */
  readonly waitSeconds: number
  /** Continue while the queue has visible messages, without waiting for more. */
  readonly topUp: boolean
}

const SHORT_POLL_MS = 50

/**
 * Waits for a first message and receives more until there are enough or the window is over. A poll is never aborted: SQS may
 * already have delivered messages, which would then be invisible and unread.
 */
export async function pollBatch(
  source: QueueSource,
  gathering: PollSettings,
  stop: AbortSignal,
): Promise<readonly Message[]> {
  const { want, window, waitSeconds, topUp } = gathering
  const messages = [...(await source.receive(want, waitSeconds))]
  const until = Date.now() + window
  while (messages.length > 0 && messages.length < want && !stop.aborted) {
    const left = until - Date.now()
    if (left <= 0 && !topUp) break
    const more = await source.receive(want - messages.length, wholeSeconds(left, waitSeconds))
    messages.push(...more)
    if (more.length > 0) continue
    if (left <= 0) break
    if (left < 1_000) await systemClock.sleep(Math.min(left, SHORT_POLL_MS), stop)
  }
  return messages
}

/** SQS waits whole seconds, so the rest of a window below a second is spent with short polls. */
function wholeSeconds(milliseconds: number, longest: number): number {
  return Math.max(0, Math.min(longest, Math.floor(milliseconds / 1_000)))
}
