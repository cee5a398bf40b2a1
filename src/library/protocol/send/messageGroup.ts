import type { SQSRecord } from 'aws-lambda'
import { ConfigError } from '../../base/errors.ts'
import { stableId } from '../../base/ids.ts'
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
  // @protects a message keeps the tenant of a fair queue
  // @without its then @tests test/deliver/fairQueues
  return tenant === undefined ? {} : { groupId: tenant }
}

/**
 * The group of a message that the user sends.
 * @param lacking what a FIFO target without a group is refused with
 * @throws ConfigError when a FIFO target has no group
 */
export function groupGiven(
  target: string,
  groupId: string | undefined,
  deduplicationId: string,
  lacking = `groupId: a message for the FIFO target ${target} needs one; got nothing`,
): Grouping {
  return groupFor(target, groupId, () => {
    if (groupId === undefined) throw new ConfigError(lacking)
    return { groupId, deduplicationId }
  })
}

/**
 * The group of a message that takes the place of a record, such as its copy or its dead letter.
 * @param inOrder its deduplication id on a FIFO queue, and its group there if the record has none
 */
export function groupOfRecord(
  target: string,
  { attributes }: SQSRecord,
  inOrder: () => Grouping,
): Grouping {
  const groupId = attributes?.MessageGroupId
  return groupFor(target, groupId, () => ({
    ...inOrder(),
    ...(groupId !== undefined && { groupId }),
  }))
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
