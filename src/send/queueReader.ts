import type { SQSClient } from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import { queueUrlOf } from './queueUrl.ts'
import { toRecord } from './receivedRecord.ts'

/** A queue as an operator reads it. */
export interface QueueReader {
  readonly url: string
  readonly arn: string
  readonly fifo: boolean
  /** The approximate number of messages that can be received. */
  readonly visible: number
  /** The approximate number of messages that a reader holds. */
  readonly hidden: number
  /** The time on SQS's clock when it answered, epoch milliseconds. undefined: the answer had no date. */
  readonly askedAt: number | undefined
  /** URL of the queue that its redrive policy names. */
  readonly deadLetterQueue: string | undefined
  /** Receives at most ten messages, which then stay hidden from other consumers of the queue for `hiddenSeconds`. */
  receive(most: number, hiddenSeconds: number): Promise<readonly SQSRecord[]>
}

/**
 * @param queue name, URL or ARN
 * @returns undefined when there is no such queue. Rejects when SQS gives no answer.
 */
export async function findQueueUrl(sqs: SQSClient, queue: string): Promise<string | undefined> {
  if (/^https?:\/\//.test(queue)) return queue
  const { GetQueueUrlCommand } = await import('@aws-sdk/client-sqs')
  const [prefix, , , , account, name] = queue.split(':')
  const asked =
    prefix === 'arn' && account !== undefined && name !== undefined
      ? { QueueName: name, QueueOwnerAWSAccountId: account }
      : { QueueName: queue }
  return undefinedIfMissing(async () => (await sqs.send(new GetQueueUrlCommand(asked))).QueueUrl)
}

/** @returns undefined when there is no such queue. Rejects when SQS gives no answer. */
export async function openQueue(sqs: SQSClient, url: string): Promise<QueueReader | undefined> {
  const { GetQueueAttributesCommand, ReceiveMessageCommand } = await import('@aws-sdk/client-sqs')
  let askedAt: number | undefined
  const ask = new GetQueueAttributesCommand({
    QueueUrl: url,
    AttributeNames: [
      'QueueArn',
      'RedrivePolicy',
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
    ],
  })
  ask.middlewareStack.add(
    (next) => async (call) => {
      const answer = await next(call)
      askedAt = dateHeaderOf(answer.response)
      return answer
    },
    { step: 'deserialize' },
  )
  const known = await undefinedIfMissing(() => sqs.send(ask))
  if (known === undefined) return undefined
  const { QueueArn: arn = '', RedrivePolicy, ...counts } = known.Attributes ?? {}
  return {
    url,
    arn,
    fifo: arn.endsWith('.fifo'),
    visible: Number(counts.ApproximateNumberOfMessages ?? 0),
    hidden: Number(counts.ApproximateNumberOfMessagesNotVisible ?? 0),
    askedAt,
    deadLetterQueue: deadLetterTargetOf(RedrivePolicy, url),
    receive: async (most, hiddenSeconds) => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: url,
          MaxNumberOfMessages: most,
          VisibilityTimeout: hiddenSeconds,
          // A short poll asks only some of the servers and may miss messages.
          WaitTimeSeconds: 1,
          MessageAttributeNames: ['All'],
          MessageSystemAttributeNames: ['All'],
        }),
      )
      return Messages.map((message) => toRecord(message, arn))
    },
  }
}

/** URLs of the queues whose dead letters go to this queue. undefined: SQS does not answer, or a permission is missing. */
export async function sourcesOf(
  sqs: SQSClient,
  url: string,
): Promise<readonly string[] | undefined> {
  const { ListDeadLetterSourceQueuesCommand } = await import('@aws-sdk/client-sqs')
  const found: string[] = []
  let NextToken: string | undefined
  try {
    do {
      const page = await sqs.send(
        new ListDeadLetterSourceQueuesCommand({ QueueUrl: url, MaxResults: 1_000, NextToken }),
      )
      found.push(...(page.queueUrls ?? []))
      NextToken = page.NextToken
    } while (NextToken !== undefined)
    return found
  } catch {
    return undefined
  }
}

/** URL of the queue that the redrive policy names. undefined: it names none, or a permission is missing. */
export async function deadLetterQueueOf(sqs: SQSClient, url: string): Promise<string | undefined> {
  const { GetQueueAttributesCommand } = await import('@aws-sdk/client-sqs')
  const asked = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['RedrivePolicy'] })
  try {
    return deadLetterTargetOf((await sqs.send(asked)).Attributes?.RedrivePolicy, url)
  } catch {
    return undefined
  }
}

/** @returns undefined when there is no such queue. Rejects with every other failure. */
export async function undefinedIfMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Error && /QueueDoesNotExist|NonExistentQueue/.test(error.name)) {
      return undefined
    }
    throw error
  }
}

function dateHeaderOf(response: unknown): number | undefined {
  if (typeof response !== 'object' || response === null || !('headers' in response)) return
  const { date } = response.headers as Readonly<Record<string, string | undefined>>
  const time = Date.parse(date ?? '')
  return Number.isNaN(time) ? undefined : time
}

/** URL of the queue that a redrive policy names; undefined: it names none. */
export function deadLetterTargetOf(policy: string | undefined, url: string): string | undefined {
  const parsed: unknown = JSON.parse(policy || '{}')
  if (typeof parsed !== 'object' || parsed === null || !('deadLetterTargetArn' in parsed)) return
  const { deadLetterTargetArn: arn } = parsed
  return typeof arn === 'string' ? queueUrlOf(arn, url) : undefined
}
