import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Clock } from '../../../library/base/clock.ts'
import { ConfigError } from '../../../library/base/errors.ts'
import { findQueueUrl, openQueue, type QueueReader } from '../aws/queues.ts'
import { toMilliseconds } from '../../../library/base/options.ts'
import type { Duration } from '../../../library/base/time.ts'
import { formsOfId } from '../item/namedKeys.ts'
import { carriesId } from './carriesId.ts'
import type { DeadLetter } from './deadLetter.ts'

export interface QueueOptions extends Selection {
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
  readonly onProgress?: (looked: number, of: number) => void
  /** Stops after the current page, and makes the held messages visible again. */
  readonly signal?: AbortSignal
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

/** There is no queue of that name, URL or ARN, as far as these credentials can see. Nothing was read or changed. */
export class QueueNotFoundError extends Error {
  override readonly name: string = 'QueueNotFoundError'
  readonly queue: string

  constructor(queue: string) {
    super(
      `there is no queue ${queue} in this account and region. Nothing was read or changed. ` +
        'Give its name, URL or ARN; give another region by --region',
    )
    this.queue = queue
  }
}

export interface Selection {
  /** Name of a group, from `groupDeadLetters`, or of a cause, which takes the groups of all origins. */
  readonly group?: string | undefined
  /** One of these: a `uniquerequestid` of the dead letter or of the flow run that it belongs to; or an SQS message id. */
  readonly ids?: readonly string[] | undefined
  /** `exhausted`, `terminal`, `rejected`, `too old`, `unknown`, `conflict` …; `moved`: by SQS itself. */
  readonly reason?: string | undefined
  /** On the queue for at least this long. */
  readonly olderThan?: Duration | undefined
  /** SQS has moved it, and its payload has one of these ids as a whole value. */
  readonly movedWith?: readonly string[] | undefined
  /** Part of the body or of the error, verbatim. */
  readonly match?: string | undefined
}

/** @throws ConfigError when a time cannot be read */
export function matcher(selection: Selection, now: number): (deadLetter: DeadLetter) => boolean {
  const { group, reason, olderThan, match, movedWith } = selection
  const ids = selection.ids && new Set(selection.ids.flatMap(formsOfId))
  const before = olderThan === undefined ? undefined : now - toMilliseconds('olderThan', olderThan)
  return (deadLetter) =>
    (group === undefined || deadLetter.group === group || deadLetter.cause?.name === group) &&
    (ids === undefined || idsOf(deadLetter).some((id) => ids.has(id))) &&
    (reason === undefined || deadLetter.reason === reason) &&
    (movedWith === undefined || isMovedWith(deadLetter, movedWith)) &&
    (before === undefined || deadLetter.sentAt <= before) &&
    (match === undefined ||
      deadLetter.envelope.body.includes(match) ||
      deadLetter.error.includes(match))
}

/** A function that is killed each time stamps nothing on its message, so that its payload alone may name its request. */
function isMovedWith({ reason, envelope }: DeadLetter, ids: readonly string[]): boolean {
  return reason === 'moved' && ids.some((id) => carriesId(envelope.body, id))
}

function idsOf({ uniqueRequestId, record, envelope }: DeadLetter): readonly string[] {
  const run = envelope.carried.flow?.id
  return [uniqueRequestId, record.messageId, ...(run === undefined ? [] : [run])]
}
