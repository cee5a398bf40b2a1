import { messageOf } from '../../base/errors.ts'
import {
  findDeadLetterQueues,
  type FoundQueue,
  messagesOf,
  type UnreadQueue,
} from '../operator/dlq/index.ts'
import { mapInOrder } from '../../sweeper/due/concurrency.ts'
import type { Io } from './command.ts'
import { positionals } from './readArgs.ts'
import { UsageError } from './usageError.ts'

/** Options of the commands that find the dead-letter queues by themselves. */
export const QUEUES: Readonly<{
  all: { readonly type: 'boolean' }
  queues: { readonly type: 'string' }
}> = { all: { type: 'boolean' }, queues: { type: 'string' } }

interface QueueValues {
  readonly all?: boolean | undefined
  readonly queues?: string | undefined
}

/** The queues that a command works on. */
export interface ChosenQueues {
  /** Name, URL or ARN as it was given, or URLs of those that were found. */
  readonly queues: readonly string[]
  /** All dead-letter queues that were found, also those without messages. undefined: a queue was given. */
  readonly found: readonly FoundQueue[] | undefined
  readonly unread: readonly UnreadQueue[]
}

/**
 * The given QUEUE, or the dead-letter queues of the account and Region that have messages.
 * @throws UsageError
 */
export async function chooseQueues(
  io: Io,
  given: readonly string[],
  { all, queues: prefix }: QueueValues,
): Promise<ChosenQueues> {
  const names = [all === true ? '--all' : [], prefix === undefined ? [] : '--queues'].flat()
  if (given.length > 0) {
    if (names.length > 0) throw new UsageError(`expected QUEUE or ${names.join(' ')}, got both`)
    return { queues: positionals(given, ['QUEUE']), found: undefined, unread: [] }
  }
  const { queues: found, unread } = await findDeadLetterQueues({ sqs: io.sqs(), prefix })
  const filled = found.filter((queue) => messagesOf(queue) > 0)
  const sources = filled.filter(({ deadLetterQueue }) => deadLetterQueue !== undefined)
  return {
    queues: filled.filter((queue) => !sources.includes(queue)).map(({ url }) => url),
    found,
    unread: [...unread, ...sources.map(ownDeadLetters)],
  }
}

/**
 * As `chooseQueues`, for a command that changes something: all queues only if that was said.
 * @throws UsageError
 */
export async function chooseForChange(
  io: Io,
  given: readonly string[],
  values: QueueValues,
): Promise<ChosenQueues & { readonly id: string }> {
  const { all, queues: prefix } = values
  if (given.length === 0 && all !== true && prefix === undefined) {
    throw new UsageError('expected QUEUE, --all or --queues PREFIX, got nothing')
  }
  const chosen = await chooseQueues(io, given, values)
  const [queue = ''] = given
  const id = prefix === undefined ? 'all dead-letter queues' : `dead-letter queues ${prefix}…`
  return { ...chosen, id: chosen.found === undefined ? queue : id }
}

/** Each look at one of its messages counts as a receive, and too many move it to the next queue. */
function ownDeadLetters({ name, url }: FoundQueue): UnreadQueue {
  return { name, url, why: 'it has a dead-letter queue of its own. Name it, with --force, to look' }
}

type Asked<T> = { readonly queue: string; readonly result: T } | { readonly unread: UnreadQueue }

/** Works on one queue after the other. A queue that cannot be read is left out, if there are others. */
export async function* onEachQueue<T>(
  chosen: ChosenQueues,
  work: (queue: string) => Promise<T>,
): AsyncGenerator<Asked<T>> {
  for (const queue of chosen.queues) yield await askQueue(chosen, queue, work)
}

/**
 * The same with eight queues at a time, in the order of the queues: a look at a queue ends with a receive that finds nothing, and
 * that takes a second.
 */
export async function* onQueuesTogether<T>(
  chosen: ChosenQueues,
  work: (queue: string) => Promise<T>,
): AsyncGenerator<Asked<T>> {
  const asked = mapInOrder(chosen.queues, async (queue) => askQueue(chosen, queue, work))
  for await (const [, each] of asked) yield each
}

async function askQueue<T>(
  { found }: ChosenQueues,
  queue: string,
  work: (queue: string) => Promise<T>,
): Promise<Asked<T>> {
  if (found === undefined) return { queue, result: await work(queue) }
  const name = queueName(queue)
  return work(queue).then(
    (result) => ({ queue: name, result }),
    (error: unknown) => ({ unread: { name, url: queue, why: messageOf(error) } }),
  )
}

function queueName(url: string): string {
  return url.split('/').at(-1) ?? url
}

/** What an operator would miss otherwise. */
export function unreadLines(unread: readonly UnreadQueue[]): readonly string[] {
  return unread.map(({ name, why }) => `not read: ${name} (${why})`)
}
