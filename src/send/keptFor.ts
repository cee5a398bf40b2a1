import type { SQSClient } from '@aws-sdk/client-sqs'
import { queueUrlFor } from './queueUrl.ts'

/**
 * How long a queue keeps a message, milliseconds.
 * @param queue URL or ARN
 * @returns undefined: SQS does not answer, or a permission is missing
 */
export async function keptFor(queue: string, sqs: SQSClient): Promise<number | undefined> {
  const { GetQueueAttributesCommand } = await import('@aws-sdk/client-sqs')
  try {
    const QueueUrl = await queueUrlFor(queue, sqs)
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['MessageRetentionPeriod'] }),
    )
    const seconds = Number(Attributes['MessageRetentionPeriod'])
    return seconds > 0 ? seconds * 1_000 : undefined
  } catch {
    return undefined
  }
}
