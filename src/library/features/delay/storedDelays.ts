// @acts

import { ConfigError, TerminalError } from '../../base/errors.ts'
import { stableId } from '../../base/ids.ts'
import type { QueueMessage } from '../../protocol/send/messenger.ts'
import { MAX_DELAY_MS } from '../../protocol/send/retry.ts'
import { sizeOf } from '../../protocol/record/envelope/buildMessage.ts'
import { type Store, hasNoAnswer } from '../../protocol/store/store.ts'
import { type DelayedRow, writeDelayed } from '../../protocol/claim/delayed/delayedRow.ts'
import type { DelayedMessage, Delays, DelayedSender } from '../../run/context/delays.ts'

/** Bytes of body and attributes. A row costs 4 write units up to 1 KB, and about 2 for each further KB. */
const MAX_BYTES = 65_536

/**
 * For the option `delays` of `recordHandler`, `defineFlow` and `invocationHandler`: what waits longer than the 15 minutes of SQS is a row of
 * the table until it is due. The row is written before the handler's end is stored, and `sweepHandler` sends it: run that on a
 * schedule of one minute, or nothing that waits is ever sent. A message has at most 64 KB, unless the option `offload`
 * keeps its payload elsewhere; a larger one is refused before anything is sent, and a larger retry stays hidden on its queue.
 * @example
 * export const handler = recordHandler({ name: 'orders', store, delays: storedDelays() }, async (order, ctx) => {
 *   await ctx.send(queueUrl, order, { delay: '24h' })
 * })
 */
export function storedDelays(): Delays {
  return {
    fits: (message) => isSmall(message),
    rowOf(sender, delayed) {
      const { message, queue } = delayed
      const now = sender.now()
      const { due = now + (delayed.delay ?? 0) } = delayed
      // @protects a row stays within its size
      if (!isSmall(message)) throw tooLarge(queue, sizeOf(message))
      // @protects a message does not outlive what its consumer runs
      if (due - now > sender.keepFor) throw tooLong(queue, due - now, sender.keepFor)
      return rowBy(sender, { ...delayed, due }, now)
    },
    keep,
    resend(store, sender, copy) {
      const { id: number, message, due } = copy
      const now = sender.now()
      const isLong = due - now > MAX_DELAY_MS && due - now <= sender.keepFor
      const { delaySeconds: _delay, ...undelayed } = message
      if (!isLong || !isSmall(undelayed)) return undefined
      // The time tells it from a resend with the same number in an earlier life of the request.
      const { uniqueRequestId, consumer } = sender
      const id = stableId(uniqueRequestId, consumer, 'retry', number, String(due))
      return keep(store, [rowBy(sender, { ...copy, id, message: undelayed }, now)])
    },
  }
}

function rowBy(
  { consumer: by, uniqueRequestId, hold: { run }, keepFor }: DelayedSender,
  { id, queue, message, due }: DelayedMessage & { readonly due: number },
  now: number,
): DelayedRow {
  return writeDelayed({ id, queue, message, due, now, by, uniqueRequestId, run, keepFor })
}

async function keep(store: Store, rows: readonly DelayedRow[]): Promise<Error | undefined> {
  const outcomes = await store.create(rows)
  const failed = outcomes.find(hasNoAnswer)
  return failed?.error
}

function isSmall(message: QueueMessage): boolean {
  return sizeOf(message) <= MAX_BYTES
}

function tooLarge(queue: string, bytes: number): TerminalError {
  return new TerminalError(
    `a delayed message for ${queue} has ${bytes} bytes: expected at most ${MAX_BYTES} (storedDelays), body and attributes together. ` +
      'Nothing was sent. Give the sender and the consumer of the message the option offload, such as s3Objects({ bucket }): then its ' +
      'payload waits in S3. Or send what it is about, such as an id.',
  )
}

function tooLong(queue: string, delay: number, keepFor: number): ConfigError {
  return new ConfigError(
    `delay: a message for ${queue} can wait at most ${keepFor / 1_000} s, the retention: a consumer would refuse it as too old; ` +
      `got ${delay / 1_000} s. Nothing was sent. Raise retention, or give a shorter delay.`,
  )
}
