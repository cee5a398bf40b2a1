import { messageOf } from '../../errors.ts'
import type { Delivery } from './delivery.ts'
import { comesAgainAfter, isDoubled } from './faults.ts'
import type { Failures } from './response.ts'
import type { Workplace } from './consumerContext.ts'

/**
 * Deletes what succeeded, in whichever copy came first, as SQS does: an acknowledgement that was wrong loses the message.
 * A failed record is left as it is: it comes back when its visibility ends.
 */
export async function settle(
  work: Workplace,
  deliveries: readonly Delivery[],
  failures: Failures,
): Promise<void> {
  const done = deliveries.filter(
    ({ gone, messageId }) => !gone && failures !== 'all' && !failures.has(messageId),
  )
  for (const delivery of done) delivery.gone = true
  const again = done.flatMap((delivery) => {
    const seconds = secondsUntilAgain(work, delivery)
    return seconds === undefined ? [] : [{ ...delivery, seconds }]
  })
  const forgotten = new Set(again.map(({ number }) => number))
  const handles = done.filter(({ number }) => !forgotten.has(number))
  try {
    const removed = await work.source.remove(handles.map(({ receiptHandle }) => receiptHandle))
    work.counts.deleted += removed.done
    work.counts.duplicates += again.length
    if (again.length > 0) await work.source.hide(again)
    if (removed.failed.length > 0) warnOfDelete(work, removed.failed)
  } catch (error) {
    warnOfDelete(work, messageOf(error))
  }
}

function secondsUntilAgain({ faults, fifo }: Workplace, { number }: Delivery): number | undefined {
  const seconds = comesAgainAfter(faults, number)
  return seconds === undefined && fifo && isDoubled(faults, number) ? 0 : seconds
}

function warnOfDelete({ settings, lambda }: Workplace, error: unknown): void {
  settings.logger.warn('Messages could not be deleted: they will be delivered again.', {
    function: lambda.name,
    error,
  })
}
