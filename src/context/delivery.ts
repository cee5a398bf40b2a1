import { ConfigError } from '../base/errors.ts'
import { isFifo } from '../send/queueUrl.ts'
import { MAX_DELAY_MS } from '../send/retry.ts'
import type { CheckedSend } from './checkSend.ts'

/** Whether a queue cannot delay a message that long: a FIFO queue delays no single message. */
export function outlasts(target: string, delay: number = 0): boolean {
  return delay > (isFifo(target) ? 0 : MAX_DELAY_MS)
}

/**
 * The delay of a message.
 * @throws ConfigError when its queue cannot delay a message that long
 */
export function delayOf(
  { delay }: Pick<CheckedSend, 'delay'>,
  target: string,
): { delaySeconds?: number } {
  if (delay === undefined) return {}
  if (isFifo(target) || delay > MAX_DELAY_MS) {
    throw new ConfigError(
      `delay: a message for ${target} can wait at most 15 minutes, and on a FIFO queue not by itself; got ${delay} ms. ` +
        'Nothing was sent. For more, send it from a handler with the option delays: storedDelays()',
    )
  }
  return { delaySeconds: Math.ceil(delay / 1_000) }
}
