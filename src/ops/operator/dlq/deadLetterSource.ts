import { systemClock } from '../../../clock.ts'
import { awsMessenger } from '../../../queue/awsMessenger.ts'
import type { QueueReader } from '../../../queue/queueReader.ts'
import { openDeadLetterQueue, type QueueOptions } from './deadLetterQueue.ts'
import { readArchive } from './readArchive.ts'
import { type Letters, takeLetters } from './take.ts'

/** Letters, wherever they lie. */
export interface LetterSource extends Letters {
  /** By the clock of the queue, epoch milliseconds. */
  readonly now: number
  /** As many as SQS thinks there are. */
  readonly visible: number | undefined
  /** A FIFO queue shows only the first letters of a message group, as long as these are held. */
  readonly fifo: boolean
}

/** @param pageSize fewer than ten when they are to go slowly. @throws QueueNotFoundError @throws ConfigError */
export async function queueSource(options: QueueOptions, pageSize?: number): Promise<LetterSource> {
  const { sqs, most = MOST_HELD, hiddenSeconds = 60, signal, clock = systemClock } = options
  const queue = await openDeadLetterQueue(options)
  const now = queue.askedAt ?? clock.now()
  const letters = takeLetters(queue, {
    messenger: awsMessenger({ sqs }),
    now,
    pageSize: pageSize ?? PAGE,
    lanes: pageSize === undefined ? lanesFor(queue) : 1,
    most,
    hiddenSeconds,
    signal,
  })
  return { ...letters, now, visible: queue.visible, fifo: queue.fifo }
}

/** The letters of an archive. Nothing is removed from it. */
export function fileSource(
  file: string,
  now: number,
  onUnreadable: (line: number) => void,
): LetterSource {
  return {
    pages: () => readArchive(file, now, PAGE, onUnreadable),
    remove: async (letters) => letters.map(() => undefined),
    hasMore: () => false,
    now,
    visible: undefined,
    fifo: false,
  }
}

const PAGE = 10
/** SQS lets about 120,000 messages of a queue be in flight (Amazon SQS quotas). */
const MOST_HELD = 100_000
const MOST_LANES = 4
const LETTERS_A_LANE = 100

/** Polls that find nothing wait a second: a short queue is not worth them. */
function lanesFor({ fifo, visible }: QueueReader): number {
  return fifo ? 1 : Math.min(MOST_LANES, Math.ceil((visible + 1) / LETTERS_A_LANE))
}
