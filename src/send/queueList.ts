import type { SQSClient } from '@aws-sdk/client-sqs'
import { deadLetterTargetOf, undefinedIfMissing } from './queueReader.ts'

/** A queue as SQS describes it. The counts are SQS's own approximations. */
export interface QueueDescription {
  readonly url: string
  readonly arn: string
  /** Messages that can be received. */
  readonly visible: number
  /** Messages that were received, and not yet deleted. */
  readonly inFlight: number
  /** Messages that cannot be received yet. */
  readonly delayed: number
  /** URL of the queue that its redrive policy names. */
  readonly deadLetterQueue: string | undefined
}

/** SQS returns the token of the next page only if a number is asked for. */
const PAGE = 1_000

/** The URLs of the queues of the account and Region, a page at a time. Rejects when SQS gives no answer. */
export async function* listQueueUrls(
  sqs: SQSClient,
  prefix: string | undefined,
): AsyncGenerator<readonly string[]> {
  const { ListQueuesCommand } = await import('@aws-sdk/client-sqs')
  let NextToken: string | undefined
  do {
    const page = await sqs.send(
      new ListQueuesCommand({ QueueNamePrefix: prefix, MaxResults: PAGE, NextToken }),
    )
    yield page.QueueUrls ?? []
    NextToken = page.NextToken
  } while (NextToken !== undefined)
}

/** @returns undefined when there is no such queue. Rejects when SQS gives no answer. */
export async function describeQueue(
  sqs: SQSClient,
  url: string,
): Promise<QueueDescription | undefined> {
  const { GetQueueAttributesCommand } = await import('@aws-sdk/client-sqs')
  const ask = new GetQueueAttributesCommand({
    QueueUrl: url,
    AttributeNames: [
      'QueueArn',
      'RedrivePolicy',
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesDelayed',
    ],
  })
  const known = await undefinedIfMissing(() => sqs.send(ask))
  if (known === undefined) return undefined
  const found = known.Attributes ?? {}
  return {
    url,
    arn: found.QueueArn ?? '',
    visible: Number(found.ApproximateNumberOfMessages ?? 0),
    inFlight: Number(found.ApproximateNumberOfMessagesNotVisible ?? 0),
    delayed: Number(found.ApproximateNumberOfMessagesDelayed ?? 0),
    deadLetterQueue: deadLetterTargetOf(found.RedrivePolicy, url),
  }
}
