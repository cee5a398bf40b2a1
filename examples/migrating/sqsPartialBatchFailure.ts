import type { MiddlewareObj } from '@middy/core'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'

type Settled = readonly PromiseSettledResult<unknown>[]

/** What @middy/sqs-partial-batch-failure 6.4.5 does with a response (`index.js`): it names what was rejected, and nothing else. */
export function sqsPartialBatchFailure(): MiddlewareObj<SQSEvent, Settled | SQSBatchResponse> {
  return {
    after: (request) => {
      const settled = request.response as Settled
      const failed = request.event.Records.filter((_, nth) => settled[nth]?.status === 'rejected')
      request.response = {
        batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })),
      }
    },
  }
}
