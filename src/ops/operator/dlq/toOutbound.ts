import { unchangedCopy } from '../../../record/envelope/unchangedCopy.ts'
import { buildReturn, type OutgoingMessage } from '../../../record/envelope/buildMessage.ts'
import { stableId } from '../../../ids.ts'
import type { QueueMessage } from '../../../queue/messenger.ts'
import { isFifo } from '../../../queue/queueUrl.ts'
import type { DeadLetter } from './deadLetter.ts'

/** No identity is on it, and a copy has another message id: the one that it has now is sent along. */
export function needsIdentity({ identity }: DeadLetter): boolean {
  return identity !== 'stamped'
}

/**
 * The letter as it goes back. Ours goes as it is, with the mark of its death, by which the consumer knows it and opens its
 * request again. undefined: with its identity it is too large for a message.
 */
export function toOutbound(deadLetter: DeadLetter, url: string): QueueMessage | undefined {
  const outgoing = needsIdentity(deadLetter)
    ? withMessageId(deadLetter)
    : unchangedCopy(deadLetter.record)
  return outgoing && { ...outgoing, ...fifoFields(deadLetter, url) }
}

/** With its first sending, by which flows know which request is the newer one. */
function withMessageId({ record, envelope, sentAt }: DeadLetter): OutgoingMessage | undefined {
  const { carried, enqueuedAt } = envelope
  const { messageId } = record
  return buildReturn(
    record,
    envelope,
    { sentAt: enqueuedAt ?? sentAt, ...carried, messageId },
    { form: carried.wrapped === true ? 'wrapped' : 'transparent' },
  )
}

/** The same letter gives the same deduplication id, whichever run sends it, and no other id that its queue has seen. */
function fifoFields(
  { record, uniqueRequestId }: DeadLetter,
  url: string,
): Pick<QueueMessage, 'groupId' | 'deduplicationId'> {
  const { MessageGroupId: groupId } = record.attributes
  if (!isFifo(url)) return groupId === undefined ? {} : { groupId }
  return {
    groupId: groupId ?? stableId('group', uniqueRequestId),
    deduplicationId: stableId(uniqueRequestId, 'redrive', record.messageId),
  }
}
