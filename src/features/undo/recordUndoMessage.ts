import {
  type DeadRecord,
  type KeptRecord,
  recordUndoId,
  UNDO_SUFFIX,
} from '../../claim/token/deadRecord.ts'
import type { QueueMessage } from '../../send/messenger.ts'
import { undoGroup } from '../../send/messageGroup.ts'
import { isFifo } from '../../send/queueUrl.ts'
import { buildMessage } from '../../record/envelope/buildMessage.ts'
import { UNDO_BODY } from './keptPayload.ts'

/**
 * Asks the consumer to undo the effects of a dead record. Its id is the same from every sender, so that a second copy does nothing.
 * @param delay seconds, for a queue that is not FIFO
 */
export function recordUndoMessage(
  { consumer, id, death }: DeadRecord,
  { queue, tenant }: Pick<KeptRecord, 'queue' | 'tenant'>,
  now: number,
  delay: number = 0,
): QueueMessage {
  const uniqueRequestId = recordUndoId(id, death)
  const message = buildMessage(
    UNDO_BODY,
    {},
    {
      uniqueRequestId,
      retry: 0,
      hops: 0,
      sentAt: now,
      consumer: consumer + UNDO_SUFFIX,
      undo: id,
    },
  )
  const group = undoGroup(queue, tenant, uniqueRequestId)
  return { ...message, ...group, ...(isFifo(queue) ? {} : { delaySeconds: delay }) }
}
