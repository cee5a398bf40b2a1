import type { Message } from '@aws-sdk/client-sqs'
import { systemClock } from '../../../clock.ts'
import type { QueueSource } from './queueSource.ts'

interface PollSettings {
  /** How many messages are wanted. */
  readonly want: number
  /** Milliseconds after the first message. */
  readonly window: number
  /** Longest long poll, seconds. */
  readonly waitSeconds: number
  /** Go on while the queue has messages at hand, without waiting for any. */
  readonly topUp: boolean
}

const SHORT_POLL_MS = 50

/**
 * Waits for a first message and gathers more until there are enough or the window is over. A poll is never cut off: SQS could
 * have handed out messages that nobody then reads.
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

/** SQS waits whole seconds: the last one of a window is spent in short polls. */
function wholeSeconds(milliseconds: number, longest: number): number {
  return Math.max(0, Math.min(longest, Math.floor(milliseconds / 1_000)))
}
