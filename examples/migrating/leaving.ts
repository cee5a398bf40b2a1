import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { openedRecord } from './openedRecord.ts'

/**
 * A consumer without `recordHandler`: its effects happen once for each delivery, unless `take` looks for itself.
 * @param topics ARNs of the option `envelopes: [snsTopic(…)]` that the consumer had
 */
export function unwrapped(
  take: (payload: unknown, requestId: string) => Promise<void>,
  topics: readonly string[] = [],
) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const outcomes = await Promise.allSettled(
      Records.map(async (record) => {
        const { body, requestId } = openedRecord(record, topics)
        await take(JSON.parse(body), requestId)
      }),
    )
    const failed = Records.filter((_, nth) => outcomes[nth]?.status === 'rejected')
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }
}
