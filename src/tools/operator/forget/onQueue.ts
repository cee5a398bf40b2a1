import { optionWord, positionalWords } from '../text/commandLine.ts'
import { queueNameInUrl } from '../dlq/findQueues.ts'
import { openQueueSource, type SourceOptions } from '../dlq/deadLetterSource.ts'
import type { NotErased } from './planForgetting.ts'
import { belongs, type ToForget } from './subject.ts'

/**
 * Its dead letters that are on a queue. SQS cannot change a message, and taking one away is a decision of its own: each is named
 * with what to type.
 * @throws QueueNotFoundError @throws ConfigError
 */
export async function findOnQueue(
  subject: ToForget,
  options: SourceOptions & { readonly queue: string },
): Promise<readonly NotErased[]> {
  const queue = queueNameInUrl(options.queue)
  const source = await openQueueSource(options)
  const found: NotErased[] = []
  for await (const page of source.pages()) {
    for (const deadLetter of page) {
      const whose = belongs(subject, deadLetter)
      if (whose === 'no') continue
      const { messageId } = deadLetter.record
      const take = `lineclear dlq discard ${positionalWords(queue)} ${optionWord('--id', messageId)}`
      const what = `the dead letter ${messageId} on ${queue}`
      const sure =
        whose === 'yes' ? '' : 'it has this id and names no consumer. If it is of this one: '
      found.push({ what, because: `${sure}${take}, then forget it again` })
    }
    options.onProgress?.(found.length, source.visible)
  }
  const unseen = unseenOf(source, options.signal)
  return unseen === undefined ? found : [...found, { what: queue, because: unseen }]
}

interface Seen {
  readonly hidden: number
  readonly fifo: boolean
  readonly visible: number
  hasMore(): boolean
}

/** Why not all that is on the queue was looked at. */
function unseenOf(
  { hidden, fifo, visible, hasMore }: Seen,
  signal?: AbortSignal,
): string | undefined {
  if (signal?.aborted === true) return 'it was interrupted'
  if (hidden > 0) return `another reader holds ${hidden} of its messages: type it again in a minute`
  if (hasMore()) return 'it has more dead letters than can be looked at at once'
  return fifo && visible > 0
    ? 'it is FIFO: only the first of each message group were looked at'
    : undefined
}
