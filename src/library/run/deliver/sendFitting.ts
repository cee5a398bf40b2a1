import type { QueueMessage, SendOutcome } from '../../protocol/send/messenger.ts'
import { limitIn } from '../../protocol/send/refusal.ts'

/**
 * Sends a message to a queue whose `MaximumMessageSize` is not known: 1 MiB, or 256 KiB as it was for years. What the queue finds too
 * long is built again to the limit that its refusal names.
 * @param build undefined: nothing fits
 */
export async function sendFitting(
  send: (message: QueueMessage) => Promise<SendOutcome>,
  message: QueueMessage,
  build: (maxBytes: number) => QueueMessage | undefined,
): Promise<SendOutcome> {
  const refusal = await send(message)
  // @protects a message that fits into an older queue when it is shortened is not stuck
  // @without undefined
  const limit = refusal && limitIn(refusal)
  const shorter = limit === undefined ? undefined : build(limit)
  return shorter === undefined ? refusal : send(shorter)
}
