import type { DividedMessage } from '../record/envelope/envelope.ts'
import { MAX_MESSAGE_BYTES, stampMessage } from '../record/envelope/buildMessage.ts'
import { timesOf } from '../record/envelope/lineclearAttributes.ts'
import { stableId } from '../base/ids.ts'
import { groupOfRecord } from '../send/messageGroup.ts'
import type { Claim } from './claimStrategy.ts'
import type { IncomingRecord } from './incomingRecord.ts'
import type { Invocation } from './invocation.ts'

/**
 * Gives each request in a message a message of its own on the same queue. If the process is killed in between, the next delivery
 * sends all of them again; their identity comes from their content, so the second copy of each is a duplicate.
 */
export async function divide(
  { as, parts }: DividedMessage,
  { message, record }: IncomingRecord,
  { consumer, queue }: Invocation,
): Promise<Claim> {
  const { hops } = message.envelope.carried
  const stamp = { ...timesOf(message), retry: 0, hops: hops + 1 }
  const messages = parts.map(({ body, id }) => {
    // Another id than that of id(payload) would be a conflict.
    const uniqueRequestId = consumer.idOf === undefined ? id : undefined
    return {
      ...stampMessage(body, {}, { ...stamp, uniqueRequestId }, MAX_MESSAGE_BYTES),
      ...groupOfRecord(queue, record, () => ({
        groupId: '',
        deduplicationId: stableId(record.messageId, id),
      })),
    }
  })
  const outcomes = await consumer.messenger.send(queue, messages)
  const refusal = outcomes.find((outcome) => outcome !== undefined)
  return refusal === undefined ? { kind: 'accepted', as } : { kind: 'failed', error: refusal }
}
