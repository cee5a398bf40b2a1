import type { SQSRecord } from 'aws-lambda'
import { stableId } from '../../base/ids.ts'
import type { OutgoingMessage } from '../../protocol/record/envelope/buildMessage.ts'
import { buildResend, unchangedCopy } from '../../protocol/record/envelope/buildResend.ts'
import { groupOfRecord } from '../../protocol/send/messageGroup.ts'
import type { QueueMessage } from '../../protocol/send/messenger.ts'
import { EntryRefusedError, isPermanent } from '../../protocol/send/refusal.ts'
import { copyOptions, readRecord, stampOf } from './readRecord.ts'
import { sendFitting } from './sendFitting.ts'
import type { Invocation } from './invocation.ts'
import type { ResponseSite, StayingRecord } from './partialResponses.ts'

/** The queue as features may use it that judge the response. */
export function responseSite(invocation: Invocation): ResponseSite {
  const { consumer, queue, queueArn, logger } = invocation
  return {
    queue,
    queueArn,
    logger,
    now: () => consumer.clock.now(),
    hide: (messages) => consumer.messenger.hide(queue, messages),
    sendAgain: async (records) => {
      const copies = await Promise.all(records.map((each) => copyOf(each, invocation)))
      const outcomes = await consumer.messenger.send(queue, copies)
      return Promise.all(
        copies.map((copy, nth) =>
          // As it was, the message fitted into its queue.
          sendFitting(
            async (message) => (message === copy ? outcomes[nth] : invocation.send(queue, message)),
            copy,
            () => records[nth] && { ...copy, ...unchangedCopy(records[nth].record) },
          ),
        ),
      )
    },
    isLost: (refusal) => refusal instanceof EntryRefusedError && isPermanent(refusal),
  }
}

async function copyOf(
  { record, until }: StayingRecord,
  invocation: Invocation,
): Promise<QueueMessage> {
  const { consumer, fifo, queue } = invocation
  // An unstamped copy may lose its identity, but the message is not lost.
  const copy = (await stampedCopy(record, invocation)) ?? unchangedCopy(record)
  if (fifo) {
    const deduplicationId = stableId(record.messageId, 'put back', record.receiptHandle)
    const grouping = groupOfRecord(queue, record, () => ({ groupId: '', deduplicationId }))
    return { ...copy, ...grouping }
  }
  return { ...copy, ...copyOptions(record, Math.max((until ?? 0) - consumer.clock.now(), 0)) }
}

async function stampedCopy(
  record: SQSRecord,
  invocation: Invocation,
): Promise<OutgoingMessage | undefined> {
  const read = await readRecord(record, invocation)
  if ('error' in read) return undefined
  const { envelope } = read.message
  const stamp = { ...envelope.carried, ...stampOf(read), hops: envelope.carried.hops + 1 }
  try {
    return buildResend(record, envelope, stamp, { toSource: true })
  } catch {
    return undefined
  }
}
