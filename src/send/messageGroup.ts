import { stableId } from '../base/ids.ts'
import type { QueueMessage } from './messenger.ts'
import { isFifo } from './queueUrl.ts'

type Grouping = Pick<QueueMessage, 'groupId' | 'deduplicationId'>

/**
 * The group of an outgoing message. On a FIFO target it keeps an order. On a standard one it is the tenant of a fair queue, and every
 * message keeps the tenant of the message that it follows from: without it the backlog of one tenant delays all others.
 * @param tenant the group of the message that it follows from
 * @param inOrder what a FIFO target needs
 */
export function groupFor(
  target: string,
  tenant: string | undefined,
  inOrder: () => Grouping,
): Grouping {
  if (isFifo(target)) return inOrder()
  return tenant === undefined ? {} : { groupId: tenant }
}

/**
 * The group of a message of a flow. On a FIFO queue it is the key. SQS accepts messages of one deduplication id once within five
 * minutes.
 */
export function flowGroup(
  queueUrl: string,
  tenant: string | undefined,
  { key, uniqueRequestId }: { readonly key: string; readonly uniqueRequestId: string },
): Grouping {
  return groupFor(queueUrl, tenant, () => ({
    groupId: stableId(key),
    deduplicationId: stableId(uniqueRequestId),
  }))
}
