import type { SQSRecord } from 'aws-lambda'
import type { ResponseSite, StayingRecord } from '../../run/deliver/partialResponses.ts'
import type { Mapping } from './mapping.ts'

/**
 * Finds out whether the mapping leaves the records that earlier responses named as failed on the queue, and sends those again
 * that it has deleted.
 */
export async function probeMapping(
  mapping: Mapping,
  records: readonly SQSRecord[],
  site: ResponseSite,
): Promise<void> {
  mapping.noteReceived(records, site.now())
  await probe(mapping, site)
  await resendDeleted(mapping, site)
}

/**
 * Sets the visibility timeout to the wait that the records have already, to the second, because SQS has no call that only reads
 * it.
 */
async function probe(mapping: Mapping, site: ResponseSite): Promise<void> {
  const now = site.now()
  const due = mapping.dueForProbe(now)
  if (due.length === 0) return
  const outcomes = await site.hide(
    due.map(({ record: { receiptHandle }, until = now }) => ({
      receiptHandle,
      seconds: Math.ceil((until - now) / 1_000),
    })),
  )
  mapping.noteProbe(due, outcomes, now, site.now())
  if (mapping.partialResponses() !== 'ignores') return
  site.logger.error(
    'the event source mapping has deleted records that had to stay on the queue: it does not read batchItemFailures. ' +
      'They are sent again, and this process now fails a whole batch when a record has to stay. ' +
      'Set FunctionResponseTypes: [ReportBatchItemFailures] in the mapping, or reportBatchItemFailures: false here',
    { queue: site.queue },
  )
}

/** A record that SQS did not accept is sent again in the next invocation, unless SQS would refuse it again. */
async function resendDeleted(mapping: Mapping, site: ResponseSite): Promise<void> {
  const deleted = mapping.takeDeleted()
  if (deleted.length === 0) return
  const outcomes = await site.sendAgain(deleted)
  const waiting = deleted.filter((kept, nth) => {
    const error = outcomes[nth]
    if (error === undefined) return false
    const lost = site.isLost(error)
    site.logger.error(
      lost
        ? 'lost: the mapping has deleted the record, and SQS refuses it'
        : 'the mapping has deleted the record, and SQS did not accept it again: the next invocation of this process retries',
      { messageId: kept.record.messageId, error: error.message },
    )
    return !lost
  })
  mapping.returnDeleted(waiting)
}

/** Seconds. On a FIFO queue its group waits as long. */
const WITNESS_HIDDEN = 10

/** A finished record that is named as failed, see `Mapping.witness`. */
export async function witnessIn(
  mapping: Mapping,
  finished: readonly SQSRecord[],
  site: ResponseSite,
): Promise<readonly StayingRecord[]> {
  const now = site.now()
  const record = mapping.witness(finished, now)
  if (record === undefined) return []
  site.logger.warn(
    'messages that had to stay on the queue are gone: it was purged, or the event source mapping does not read batchItemFailures. ' +
      'To find out, this finished record is left on the queue, and comes back as a duplicate',
    { messageId: record.messageId },
  )
  const { receiptHandle } = record
  const [refusal] = await site.hide([{ receiptHandle, seconds: WITNESS_HIDDEN }])
  return [{ record, until: refusal === undefined ? now + WITNESS_HIDDEN * 1_000 : undefined }]
}
