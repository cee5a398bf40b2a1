import { systemClock } from '../../../library/base/clock.ts'
import { awsMessenger } from '../../../library/adapters/send/awsMessenger.ts'
import type { QueueReader } from '../aws/queues.ts'
import { openDeadLetterQueue, type QueueOptions } from './deadLetterQueue.ts'
import { type DeadLetterPages, receiveDeadLetters } from './receive.ts'

export interface DeadLetterSource extends DeadLetterPages {
  /** The time on the queue's clock, epoch milliseconds. */
  readonly now: number
  /** SQS's own approximate count. */
  readonly visible: number
  /** What another reader held when it was opened: these are not received. */
  readonly hidden: number
  /** The source is a FIFO queue, which shows only the first dead letters of a message group while these are held. */
  readonly fifo: boolean
}

export type SourceOptions = Omit<QueueOptions, 'queue'> & {
  readonly queue: string | readonly string[]
}

/**
 * @param pageSize how many to receive at most, 1 to 10; given, to send slowly
 * @throws QueueNotFoundError @throws ConfigError
 */
export async function openQueueSource(
  options: SourceOptions,
  pageSize?: () => number,
): Promise<DeadLetterSource> {
  const { sqs, most = MAX_HELD, hiddenSeconds = 60, signal, clock = systemClock } = options
  const readers: QueueReader[] = []
  for (const queue of [options.queue].flat()) {
    readers.push(await openDeadLetterQueue({ ...options, queue }))
  }
  const now = Math.min(...readers.map(({ askedAt }) => askedAt ?? clock.now()))
  const messenger = awsMessenger({ sqs })
  const sources = readers.map((queue) =>
    receiveDeadLetters(queue, {
      messenger,
      now,
      pageSize: pageSize ?? (() => PAGE),
      receivers: pageSize === undefined ? receiversFor(queue) : 1,
      most,
      hiddenSeconds,
      signal,
    }),
  )
  return {
    ...inTurn(sources),
    now: readers.length === 0 ? clock.now() : now,
    visible: readers.reduce((sum, { visible }) => sum + visible, 0),
    hidden: readers.reduce((sum, { inFlight }) => sum + inFlight, 0),
    fifo: readers.some(({ fifo }) => fifo),
  }
}

/** One queue after the other. A page is of one queue, and is dealt with before the next one is read. */
function inTurn(sources: readonly DeadLetterPages[]): DeadLetterPages {
  let current: DeadLetterPages | undefined
  return {
    async *pages(atEnd) {
      for (const source of sources) {
        current = source
        yield* source.pages(atEnd)
      }
    },
    lookAhead: async () => (await current?.lookAhead()) ?? [],
    remove: async (deadLetters) => (await current?.remove(deadLetters)) ?? [],
    hasMore: () => sources.some((source) => source.hasMore()),
  }
}

const PAGE = 10
/** SQS lets about 120,000 messages of a queue be in flight (Amazon SQS quotas). */
const MAX_HELD = 100_000
const MAX_RECEIVERS = 4
const MESSAGES_PER_RECEIVER = 100

/** The number of receivers. A receive that finds nothing takes a second, so a short queue gets one receiver. */
function receiversFor({ fifo, visible }: QueueReader): number {
  return fifo ? 1 : Math.min(MAX_RECEIVERS, Math.ceil((visible + 1) / MESSAGES_PER_RECEIVER))
}
