import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Clock } from '../../../base/clock.ts'
import { ConfigError } from '../../../base/errors.ts'
import { findQueueUrl, openQueue, type QueueReader } from '../../../send/operatorQueues.ts'
import type { Selection } from './selection.ts'
import { QueueNotFoundError } from './queueNotFoundError.ts'

/** Options of everything that reads a dead-letter queue. */
export interface QueueOptions extends Selection {
  /** The dead-letter queue: its name, URL or ARN. */
  readonly queue: string
  readonly sqs: SQSClient
  /**
   * What to do with a queue that has a dead-letter queue of its own: it is probably a source queue. Its consumer would not see
   * messages that are looked at, and each look counts as a receive. Default `refuse`.
   */
  readonly sourceQueue?: 'refuse' | 'accept'
  /**
   * The most dead letters to look at; they stay hidden until the end. Default 100,000, because SQS allows about 120,000 in
   * flight.
   */
  readonly most?: number
  /**
   * Visibility timeout of the dead letters that are looked at, in seconds, 1 to 43,200: how long they stay hidden if this process
   * is killed. Default 60.
   */
  readonly hiddenSeconds?: number
  /** Called after each page. `of`: SQS's own approximate count. */
  readonly onProgress?: (looked: number, of: number | undefined) => void
  /** Stops after the current page, and makes the held messages visible again. */
  readonly signal?: AbortSignal
  /** For tests. */
  readonly clock?: Clock | undefined
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
