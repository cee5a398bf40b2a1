import { messageOf } from '../../../base/errors.ts'
import { type Faults, redeliveredAfter, happens } from '../faults/faults.ts'
import type { FailedMessages } from '../../queues/deliverNext.ts'
import type { ReceivedMessage } from './queueSource.ts'
import type { ConsumerContext } from './consumerContext.ts'

/**
 * Deletes the messages that succeeded. Of a duplicated message the first success counts, as with SQS, so a wrong
 * acknowledgement loses the message. Failed messages are redelivered when their visibility timeout ends.
 * @returns the ids of the messages that a fault has kept on the queue
 */
export async function deleteSucceeded(
  consumer: ConsumerContext,
  faults: Faults,
  deliveries: readonly ReceivedMessage[],
  failures: FailedMessages,
): Promise<readonly string[]> {
  const done = deliveries.filter(
    ({ gone, messageId }) => !gone && failures !== 'all' && !failures.has(messageId),
  )
  for (const delivery of done) delivery.gone = true
  const again = done.flatMap((delivery) => {
    const seconds = secondsUntilAgain(consumer, faults, delivery)
    return seconds === undefined ? [] : [{ ...delivery, seconds }]
  })
  const forgotten = new Set(again.map(({ number }) => number))
  const handles = done.filter(({ number }) => !forgotten.has(number))
  try {
    const removed = await consumer.source.remove(handles.map(({ receiptHandle }) => receiptHandle))
    consumer.counts.deleted += removed.done
    consumer.counts.duplicates += again.length
    if (again.length > 0) await consumer.source.hide(again)
    if (removed.failed.length > 0) warnOfDelete(consumer, removed.failed)
  } catch (error) {
    warnOfDelete(consumer, messageOf(error))
  }
  return again.map(({ messageId }) => messageId)
}

function secondsUntilAgain(
  { fifo }: ConsumerContext,
  faults: Faults,
  { number }: ReceivedMessage,
): number | undefined {
  const seconds = redeliveredAfter(faults, number)
  return seconds === undefined && fifo && happens(faults, 'duplicate', number) ? 0 : seconds
}

function warnOfDelete({ settings, lambda }: ConsumerContext, error: unknown): void {
  settings.logger.warn('Messages could not be deleted: they will be redelivered.', {
    function: lambda.name,
    error,
  })
}
