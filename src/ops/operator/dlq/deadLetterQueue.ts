import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Clock } from '../../../clock.ts'
import { ConfigError } from '../../../errors.ts'
import { findQueueUrl, openQueue, type QueueReader } from '../../../queue/queueReader.ts'
import type { Selection } from './selection.ts'
import { QueueNotFoundError } from './queueNotFoundError.ts'

/** What all that look at a dead-letter queue are given. */
export interface QueueOptions extends Selection {
  /** The dead-letter queue: its name, URL or ARN. */
  readonly queue: string
  readonly sqs: SQSClient
  /**
   * What to do with a queue that has a dead-letter queue of its own: it may be a source queue, whose consumer would miss its
   * messages, and each look at them counts as a delivery. Default `refuse`.
   */
  readonly sourceQueue?: 'refuse' | 'accept'
  /** At most so many letters are looked at; they are held until the end. Default 100,000: SQS lets no more be held. */
  readonly most?: number
  /** For so long a letter that is looked at is hidden, should this process be killed. Seconds, 1 to 43,200. Default 60. */
  readonly hiddenSeconds?: number
  /** Called after each page. `of`: as many as SQS thinks there are. */
  readonly onProgress?: (looked: number, of: number | undefined) => void
  /** Ends the work after the page at hand, and hands back what is held. */
  readonly signal?: AbortSignal
  /** For tests. */
  readonly clock?: Clock
}

/** @throws QueueNotFoundError @throws ConfigError when the queue has a dead-letter queue of its own */
export async function openDeadLetterQueue({
  queue,
  sqs,
  sourceQueue = 'refuse',
}: Pick<QueueOptions, 'queue' | 'sqs' | 'sourceQueue'>): Promise<QueueReader> {
  const reader = await openQueue(sqs, await findUrl(sqs, queue))
  if (reader === undefined) throw new QueueNotFoundError(queue)
  if (reader.deadLetterQueue === undefined || sourceQueue === 'accept') return reader
  throw new ConfigError(
    `${queue} is not a dead-letter queue: it has one, ${reader.deadLetterQueue}. Nothing was read. Give that queue; or --force ` +
      'if you mean this one: each look at one of its messages counts as a delivery',
  )
}

/** @param queue name, URL or ARN. @throws QueueNotFoundError */
export async function findUrl(sqs: SQSClient, queue: string): Promise<string> {
  const url = await findQueueUrl(sqs, queue)
  if (url === undefined) throw new QueueNotFoundError(queue)
  return url
}
