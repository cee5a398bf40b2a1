import type { SQSClient } from '@aws-sdk/client-sqs'
import { isFrom } from '../../../claim/token/claimedBy.ts'
import { describeQueue, listQueueUrls } from '../../../send/operatorQueues.ts'
import type { HomeQueue } from '../item/homeQueue.ts'
import { mapInOrder } from '../../../sweeper/due/concurrency.ts'

/**
 * Reads the redrive policies of the account and Region: one call for each 1,000 queues, and one for each queue, eight at a time.
 * Without `by` the queue is known if there is only one dead-letter queue.
 * @throws what SQS says when the queues cannot be listed
 */
export async function findHomeQueues(sqs: SQSClient): Promise<HomeQueue> {
  const homes: { readonly source: string; readonly name: string }[] = []
  const describe = async (url: string) => describeQueue(sqs, url).catch(() => undefined)
  for await (const urls of listQueueUrls(sqs, undefined)) {
    for await (const [, found] of mapInOrder(urls, describe)) {
      const name = found?.deadLetterQueue?.split('/').at(-1)
      if (found !== undefined && name !== undefined) homes.push({ source: found.arn, name })
    }
  }
  const names = new Set(homes.map(({ name }) => name))
  const [only] = names.size === 1 ? names : []
  return (by) => {
    if (by === undefined) return only
    return homes.find(({ source }) => isFrom(source, by))?.name ?? only
  }
}
