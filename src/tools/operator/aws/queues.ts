import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SQSClient,
  type SQSClientConfig,
} from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import { toRecord } from '../../../testing/queues/receivedRecord.ts'
import { deadLetterTargetOf, isFifo } from '../../../library/protocol/send/queueUrl.ts'
import { queueUrlFor } from '../../../library/adapters/send/queueHost.ts'

/** Timeouts of the command line in milliseconds, so that an operator does not wait long for an answer. */
export const OPERATOR_TIMES = {
  connectionTimeout: 3_000,
  requestTimeout: 10_000,
  throwOnRequestTimeout: true,
} as const

/** Timeouts for pollers and the command line, where one long poll takes up to 20 seconds. */
export const POLL_TIMES = {
  connectionTimeout: 3_000,
  requestTimeout: 30_000,
  throwOnRequestTimeout: true,
} as const

/**
 * A client for the command line, which prefers AWS_ENDPOINT_URL_SQS to the host in the queue's URL.
 * @param config region, endpoint and credentials from the command line
 */
export function operatorSqs(config: SQSClientConfig): SQSClient {
  return new SQSClient({
    requestHandler: POLL_TIMES,
    useQueueUrlAsEndpoint: false,
    md5: false,
    ...config,
  })
}

/** A queue as SQS describes it. The counts are SQS's own approximations. */
export interface ListedQueue {
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

/** A queue as an operator reads it. */
export interface QueueReader extends ListedQueue {
  readonly fifo: boolean
  /** The time on SQS's clock when it answered, epoch milliseconds. undefined: the answer had no date. */
  readonly askedAt: number | undefined
  /** Receives at most ten messages, which then stay hidden from other consumers of the queue for `hiddenSeconds`. */
  receive(most: number, hiddenSeconds: number): Promise<readonly SQSRecord[]>
}

/**
 * @param queue name, URL or ARN
 * @returns undefined when there is no such queue. Rejects when SQS gives no answer.
 */
export async function findQueueUrl(sqs: SQSClient, queue: string): Promise<string | undefined> {
  if (/^https?:\/\//.test(queue)) return queue
  const [prefix, , , , account, name] = queue.split(':')
  const asked =
    prefix === 'arn' && account !== undefined && name !== undefined
      ? { QueueName: name, QueueOwnerAWSAccountId: account }
      : { QueueName: queue }
  return undefinedIfMissing(async () => (await sqs.send(new GetQueueUrlCommand(asked))).QueueUrl)
}

/** @returns undefined when there is no such queue. Rejects when SQS gives no answer. */
export async function describeQueue(sqs: SQSClient, url: string): Promise<ListedQueue | undefined> {
  return (await ask(sqs, url))?.queue
}

async function ask(
  sqs: SQSClient,
  url: string,
): Promise<(Pick<QueueReader, 'askedAt'> & { readonly queue: ListedQueue }) | undefined> {
  let askedAt: number | undefined
  const command = new GetQueueAttributesCommand({
    QueueUrl: url,
    AttributeNames: [
      'QueueArn',
      'RedrivePolicy',
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesDelayed',
    ],
  })
  command.middlewareStack.add(
    (next) => async (call) => {
      const answer = await next(call)
      askedAt = dateHeaderOf(answer.response)
      return answer
    },
    { step: 'deserialize' },
  )
  const known = await undefinedIfMissing(() => sqs.send(command))
  if (known === undefined) return undefined
  const found = known.Attributes ?? {}
  const queue = {
    url,
    arn: found.QueueArn ?? '',
    visible: Number(found.ApproximateNumberOfMessages ?? 0),
    inFlight: Number(found.ApproximateNumberOfMessagesNotVisible ?? 0),
    delayed: Number(found.ApproximateNumberOfMessagesDelayed ?? 0),
    deadLetterQueue: deadLetterTargetOf(found.RedrivePolicy, url),
  }
  return { queue, askedAt }
}

/** @returns undefined when there is no such queue. Rejects when SQS gives no answer. */
export async function openQueue(sqs: SQSClient, url: string): Promise<QueueReader | undefined> {
  const answer = await ask(sqs, url)
  if (answer === undefined) return undefined
  const { queue, askedAt } = answer
  const receive: QueueReader['receive'] = async (most, hiddenSeconds) => {
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
    return Messages.map((message) => toRecord(message, queue.arn))
  }
  return { ...queue, askedAt, fifo: isFifo(queue.arn), receive }
}

/** URLs of the queues whose dead letters go to this queue. undefined: SQS does not answer, or a permission is missing. */
export async function sourcesOf(
  sqs: SQSClient,
  url: string,
): Promise<readonly string[] | undefined> {
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
  const asked = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['RedrivePolicy'] })
  try {
    return deadLetterTargetOf((await sqs.send(asked)).Attributes?.RedrivePolicy, url)
  } catch {
    return undefined
  }
}

/** @returns undefined when there is no such queue. Rejects with every other failure. */
async function undefinedIfMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
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

/** SQS returns the token of the next page only if a number is asked for. */
const PAGE = 1_000

/** The URLs of the queues of the account and Region, a page at a time. Rejects when SQS gives no answer. */
export async function* listQueueUrls(
  sqs: SQSClient,
  prefix: string | undefined,
): AsyncGenerator<readonly string[]> {
  let NextToken: string | undefined
  do {
    const page = await sqs.send(
      new ListQueuesCommand({ QueueNamePrefix: prefix, MaxResults: PAGE, NextToken }),
    )
    yield page.QueueUrls ?? []
    NextToken = page.NextToken
  } while (NextToken !== undefined)
}

/**
 * How long a queue keeps a message, milliseconds.
 * @param queue URL or ARN
 * @returns undefined: SQS does not answer, or a permission is missing
 */
export async function keptFor(queue: string, sqs: SQSClient): Promise<number | undefined> {
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
