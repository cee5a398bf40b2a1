import { systemClock } from '../../../clock.ts'
import { awsMessenger } from '../../../queue/awsMessenger.ts'
import type { QueueReader } from '../../../queue/queueReader.ts'
import { openDeadLetterQueue, type QueueOptions } from './deadLetterQueue.ts'
import { readArchive } from './readArchive.ts'
import { type DeadLetterPages, receiveDeadLetters } from './receive.ts'

/** Dead letters of a queue or a file. */
export interface DeadLetterSource extends DeadLetterPages {
  /** The time on the queue's clock, epoch milliseconds. */
  readonly now: number
  /** SQS's own approximate count. */
  readonly visible: number | undefined
  /** The source is a FIFO queue, which shows only the first dead letters of a message group while these are held. */
  readonly fifo: boolean
}

/**
 * @param pageSize below ten to send slowly
 * @throws QueueNotFoundError @throws ConfigError
 */
export async function openQueueSource(
  options: QueueOptions,
  pageSize?: number,
): Promise<DeadLetterSource> {
  const { sqs, most = MAX_HELD, hiddenSeconds = 60, signal, clock = systemClock } = options
  const queue = await openDeadLetterQueue(options)
  const now = queue.askedAt ?? clock.now()
  const deadLetters = receiveDeadLetters(queue, {
    messenger: awsMessenger({ sqs }),
    now,
    pageSize: pageSize ?? PAGE,
    receivers: pageSize === undefined ? receiversFor(queue) : 1,
    most,
    hiddenSeconds,
    signal,
  })
  return { ...deadLetters, now, visible: queue.visible, fifo: queue.fifo }
}

/** The dead letters of an archive file. Nothing is removed from it. */
export function openFileSource(
  file: string,
  now: number,
  onUnreadable: (line: number) => void,
): DeadLetterSource {
  return {
    pages: () => readArchive(file, now, PAGE, onUnreadable),
    remove: async (deadLetters) => deadLetters.map(() => undefined),
    hasMore: () => false,
    now,
    visible: undefined,
    fifo: false,
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
