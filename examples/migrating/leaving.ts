import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'

/** A consumer without `recordHandler`: its effects happen once for each delivery, unless `take` looks for itself. */
export function unwrapped(take: (payload: unknown, requestId: string) => Promise<void>) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const outcomes = await Promise.allSettled(
      Records.map(async ({ body, messageId, messageAttributes }) => {
        // Copies of one message have ids of their own, and this in common.
        const sent = messageAttributes['uniquerequestid']?.stringValue
        await take(JSON.parse(body), sent ?? messageId)
      }),
    )
    const failed = Records.filter((_, nth) => outcomes[nth]?.status === 'rejected')
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }
}
