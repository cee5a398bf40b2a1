import type { SQSEvent } from 'aws-lambda'
import type { QueueHandler } from 'lineclear/local'
import { sentBody } from './notification.ts'

/** All records of the batch at once; those that fail are reported, and SQS delivers them again. */
export function eachRecord(take: (body: string) => Promise<void>): QueueHandler {
  return async ({ Records }: SQSEvent) => {
    const outcomes = await Promise.allSettled(Records.map(({ body }) => take(sentBody(body))))
    const failed = Records.filter((_, index) => outcomes[index]?.status === 'rejected')
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }
}
