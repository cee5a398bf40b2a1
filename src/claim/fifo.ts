import { stableId } from '../ids.ts'
import { isFifo } from '../queue/queueUrl.ts'

/** FIFO queues keep the messages of one group in order. In a flow a group is one key. SQS takes 128 plain characters. */
export function fifoGroup(queueUrl: string, key: string): { readonly groupId?: string } {
  return isFifo(queueUrl) ? { groupId: stableId(key) } : {}
}

/** SQS accepts messages of one deduplication id once within five minutes. */
export function fifoOrder(
  queueUrl: string,
  key: string,
  uniqueRequestId: string,
): { readonly groupId?: string; readonly deduplicationId?: string } {
  if (!isFifo(queueUrl)) return {}
  return { ...fifoGroup(queueUrl, key), deduplicationId: stableId(uniqueRequestId) }
}
