import type { SQSRecord } from 'aws-lambda'
import { unchangedCopy } from '../record/envelope/unchangedCopy.ts'
import { buildResend } from '../record/envelope/buildMessage.ts'
import { messageOf } from '../errors.ts'
import { stableId } from '../ids.ts'
import type { QueueMessage } from '../queue/messenger.ts'
import { EntryRefusedError, isPermanent } from '../queue/refusal.ts'
import { MAX_DELAY_MS } from '../queue/transport.ts'
import type { Invocation } from './invocation.ts'
import type { UnacknowledgedRecord } from './mapping.ts'
import { type IncomingRecord, readRecord, stampOf } from './incomingRecord.ts'

/**
 * Finds out whether the mapping leaves on the queue what is named as failed, from the records that were named before. What it
 * has deleted is sent again. Never rejects; runs beside the claims.
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
    consumer.logger.error('whether the mapping reads which records failed could not be found out', {
      consumer: consumer.name,
      error: messageOf(error),
    })
  }
}

/** Their wait goes on as it was, to the second: SQS has no call that only looks. */
async function probe({ consumer, mapping, queue }: Invocation): Promise<void> {
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
  consumer.logger.error(
    'the event source mapping has deleted records that had to stay on the queue: it does not read which records failed. ' +
      'They are sent again, and from now on this process fails a whole batch of which a record has to stay. ' +
      'Set FunctionResponseTypes: [ReportBatchItemFailures] in the mapping, or reportBatchItemFailures: false here',
    { consumer: consumer.name, queue },
  )
}

/** What SQS did not take is tried again with the next invocation, unless it never takes that message. */
async function resendDeleted(invocation: Invocation): Promise<void> {
  const { consumer, mapping, queue } = invocation
  const deleted = mapping.takeDeleted()
  if (deleted.length === 0) return
  const copies = await Promise.all(deleted.map((each) => copyOf(each, invocation)))
  const outcomes = await consumer.messenger.send(queue, copies)
  const waiting = deleted.filter((kept, nth) => {
    const error = outcomes[nth]
    if (error === undefined) return false
    const lost = error instanceof EntryRefusedError && isPermanent(error)
    consumer.logger.error(
      lost
        ? 'lost: the mapping has deleted the record, and SQS refuses to take it again'
        : 'the mapping has deleted the record, and it is not yet sent again: the next invocation of this process tries to',
      { consumer: consumer.name, messageId: kept.record.messageId, error: error.message },
    )
    return !lost
  })
  mapping.returnDeleted(waiting)
}

/** The same message, under the same identity. */
async function copyOf(
  { record, until }: UnacknowledgedRecord,
  invocation: Invocation,
): Promise<QueueMessage> {
  const { consumer, fifo } = invocation
  const read = await readRecord(record, consumer)
  const copy = 'message' in read ? stampedCopy(read, invocation) : undefined
  // One that cannot be read, or takes no stamp, is at least not lost.
  const outgoing = copy ?? unchangedCopy(record)
  if (fifo) {
    return {
      ...outgoing,
      groupId: record.attributes.MessageGroupId ?? '',
      deduplicationId: stableId(record.messageId, 'put back', record.receiptHandle),
    }
  }
  const groupId = record.attributes?.MessageGroupId
  const wait = Math.max((until ?? 0) - consumer.clock.now(), 0)
  const delaySeconds = Math.ceil(Math.min(wait, MAX_DELAY_MS) / 1_000)
  return { ...outgoing, delaySeconds, ...(groupId === undefined ? {} : { groupId }) }
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
