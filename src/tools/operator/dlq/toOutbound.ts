import { unchangedCopy, buildResend } from '../../../record/envelope/buildResend.ts'
import type { OutgoingMessage } from '../../../record/envelope/buildMessage.ts'
import { stableId } from '../../../base/ids.ts'
import type { QueueMessage } from '../../../send/messenger.ts'
import { groupOfRecord } from '../../../send/messageGroup.ts'
import type { DeadLetter } from './deadLetter.ts'

/**
 * The message carries no `uniquerequestid`, and SQS gives a resent message another message id, so the current one has to be sent
 * along.
 */
export function needsIdentity({ identity }: DeadLetter): boolean {
  return identity !== 'stamped'
}

/**
 * The message to send back. A dead letter of Lineclear is sent unchanged: the consumer recognises it by the number of its death,
 * and reopens its request. Undefined: with its identity it is too large for a message.
 * @param asNew its record is gone, and it runs all the same
 */
export function toOutbound(
  deadLetter: DeadLetter,
  url: string,
  asNew = false,
): QueueMessage | undefined {
  const unchanged = asNew ? withoutDeath : ({ record }: DeadLetter) => unchangedCopy(record)
  const outgoing = needsIdentity(deadLetter) ? withMessageId(deadLetter) : unchanged(deadLetter)
  const { record, uniqueRequestId } = deadLetter
  const group = groupOfRecord(url, record, () => ({
    groupId: stableId('group', uniqueRequestId),
    // One dead letter has the same deduplication id in every run, but never an id that its queue has seen before.
    deduplicationId: stableId(uniqueRequestId, 'redrive', record.messageId),
  }))
  return outgoing && { ...outgoing, ...group }
}

/** Adds the time of the first sending, by which flows decide which request is newer. */
function withMessageId({ record, envelope, sentAt }: DeadLetter): OutgoingMessage | undefined {
  const { carried, enqueuedAt } = envelope
  const { messageId } = record
  return buildResend(
    record,
    envelope,
    { sentAt: enqueuedAt ?? sentAt, ...carried, messageId },
    { form: carried.wrapped === true ? 'wrapped' : 'transparent' },
  )
}

/** Under its identity, as if it had never been attempted. */
function withoutDeath({
  record,
  envelope,
  uniqueRequestId,
}: DeadLetter): OutgoingMessage | undefined {
  const { death: _death, wrapped, ...carried } = envelope.carried
  const form = wrapped === true ? 'wrapped' : 'transparent'
  return buildResend(record, envelope, { ...carried, uniqueRequestId, retry: 0 }, { form })
}
