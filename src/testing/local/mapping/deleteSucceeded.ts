import { messageOf } from '../../../base/errors.ts'
import { type Faults, redeliveredAfter, isDuplicated } from '../faults/faults.ts'
import { isObject } from '../../../base/kindOf.ts'
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
  return seconds === undefined && fifo && isDuplicated(faults, number) ? 0 : seconds
}

function warnOfDelete({ settings, lambda }: ConsumerContext, error: unknown): void {
  settings.logger.warn('Messages could not be deleted: they will be redelivered.', {
    function: lambda.name,
    error,
  })
}

/** The messages of a batch that stay on the queue. */
export type FailedMessages = 'all' | ReadonlySet<string>

/**
 * Reads the response of a handler with partial batch responses. An empty list means success; an id that is not in the batch
 * fails the whole batch. docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 * @param response the answer's JSON
 */
export function readFailures(response: string, messageIds: readonly string[]): FailedMessages {
  const answer: unknown = JSON.parse(response)
  const failures = isObject(answer) ? (answer['batchItemFailures'] ?? []) : []
  if (!Array.isArray(failures)) return 'all'
  const failed = new Set<string>()
  for (const failure of failures) {
    const id: unknown = isObject(failure) ? failure['itemIdentifier'] : undefined
    if (typeof id !== 'string' || !messageIds.includes(id)) return 'all'
    failed.add(id)
  }
  return failed
}
