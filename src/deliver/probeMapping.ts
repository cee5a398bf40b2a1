import { groupOfRecord } from '../send/messageGroup.ts'
import type { SQSRecord } from 'aws-lambda'
import { unchangedCopy, buildResend } from '../record/envelope/buildResend.ts'
import { messageOf } from '../base/errors.ts'
import { stableId } from '../base/ids.ts'
import type { QueueMessage } from '../send/messenger.ts'
import { EntryRefusedError, isPermanent } from '../send/refusal.ts'
import type { Invocation } from './invocation.ts'
import type { UnacknowledgedRecord } from './mapping.ts'
import { copyOptions, type IncomingRecord, readRecord, stampOf } from './incomingRecord.ts'

/**
 * Finds out whether the mapping leaves the records that earlier responses named as failed on the queue, and sends those again
 * that it has deleted. Never rejects; runs concurrently with the claims.
 */
export async function probeMapping(
  records: readonly SQSRecord[],
  invocation: Invocation,
): Promise<void> {
  const { consumer, mapping } = invocation
  try {
    mapping.noteReceived(records, consumer.clock.now())
    await probe(invocation)
    await resendDeleted(invocation)
  } catch (error) {
    invocation.logger.error(
      'cannot find out whether the event source mapping reads batchItemFailures',
      { error: messageOf(error) },
    )
  }
}

/**
 * Sets the visibility timeout to the wait that the records have already, to the second, because SQS has no call that only reads
 * it.
 */
async function probe({ consumer, mapping, queue, logger }: Invocation): Promise<void> {
  const now = consumer.clock.now()
  const due = mapping.dueForProbe(now)
  if (due.length === 0) return
  const outcomes = await consumer.messenger.hide(
    queue,
    due.map(({ record: { receiptHandle }, until = now }) => ({
      receiptHandle,
      seconds: Math.ceil((until - now) / 1_000),
    })),
  )
  mapping.noteProbe(due, outcomes, now, consumer.clock.now())
  if (mapping.partialResponses() !== 'ignores') return
  logger.error(
    'the event source mapping has deleted records that had to stay on the queue: it does not read batchItemFailures. ' +
      'They are sent again, and this process now fails a whole batch when a record has to stay. ' +
      'Set FunctionResponseTypes: [ReportBatchItemFailures] in the mapping, or reportBatchItemFailures: false here',
    { queue },
  )
}

/** A record that SQS did not accept is sent again in the next invocation, unless SQS would refuse it again. */
async function resendDeleted(invocation: Invocation): Promise<void> {
  const { consumer, mapping, queue, logger } = invocation
  const deleted = mapping.takeDeleted()
  if (deleted.length === 0) return
  const copies = await Promise.all(deleted.map((each) => copyOf(each, invocation)))
  const outcomes = await consumer.messenger.send(queue, copies)
  const waiting = deleted.filter((kept, nth) => {
    const error = outcomes[nth]
    if (error === undefined) return false
    const lost = error instanceof EntryRefusedError && isPermanent(error)
    logger.error(
      lost
        ? 'lost: the mapping has deleted the record, and SQS refuses it'
        : 'the mapping has deleted the record, and SQS did not accept it again: the next invocation of this process retries',
      { messageId: kept.record.messageId, error: error.message },
    )
    return !lost
  })
  mapping.returnDeleted(waiting)
}

/** A copy with the same identity. */
async function copyOf(
  { record, until }: UnacknowledgedRecord,
  invocation: Invocation,
): Promise<QueueMessage> {
  const { consumer, fifo, queue } = invocation
  const read = await readRecord(record, invocation)
  const copy = 'message' in read ? stampedCopy(read, invocation) : undefined
  // An unstamped copy may lose its identity, but the message is not lost.
  const outgoing = copy ?? unchangedCopy(record)
  if (fifo) {
    const deduplicationId = stableId(record.messageId, 'put back', record.receiptHandle)
    return {
      ...outgoing,
      ...groupOfRecord(queue, record, () => ({ groupId: '', deduplicationId })),
    }
  }
  const wait = Math.max((until ?? 0) - consumer.clock.now(), 0)
  return { ...outgoing, ...copyOptions(record, wait) }
}

function stampedCopy(incoming: IncomingRecord, { consumer }: Invocation) {
  const { carried } = incoming.message.envelope
  const stamp = { ...carried, ...stampOf(incoming), hops: carried.hops + 1 }
  try {
    return buildResend(incoming.record, incoming.message.envelope, stamp, {
      form: consumer.resendForm,
    })
  } catch {
    return undefined
  }
}
