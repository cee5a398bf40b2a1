import { messageOf } from '../../library/base/errors.ts'
import {
  findDeadLetterQueues,
  type FoundQueue,
  messagesOf,
  queueNameInUrl,
  type UnreadQueue,
} from '../operator/dlq/findQueues.ts'
import { mapInOrder } from '../../library/entries/sweeper/due/concurrency.ts'
import { type Flag, flag, prefix, queue } from '../commands/kinds.ts'
import type { Argument, GivenOptions, Option } from '../commands/row.ts'
import type { Io } from './command.ts'
import { UsageError } from './usageError.ts'

/** The queue of a command that finds the dead-letter queues by itself if none is given. */
export const QUEUE: Argument<string> & { readonly optional: true } = {
  kind: queue,
  help: 'name, URL or ARN of a dead-letter queue',
  optional: true,
  page: true,
}

/** Queues in its place. A change works on all only if that was said. */
export const QUEUES: {
  readonly queues: Option<string>
  readonly all: Option<boolean> & { readonly kind: Flag }
} = {
  queues: { kind: prefix, help: 'all dead-letter queues whose names begin with it', page: true },
  all: { kind: flag, help: 'all dead-letter queues of the account and Region', page: true },
}

export type GivenQueues = GivenOptions<typeof QUEUES> & { readonly queue: string | undefined }

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
  { queue: given, queues: from, all }: GivenQueues,
): Promise<ChosenQueues> {
  const names = [all ? '--all' : [], from === undefined ? [] : '--queues'].flat()
  if (given !== undefined) {
    if (names.length > 0) throw new UsageError(`expected QUEUE or ${names.join(' ')}, got both`)
    return { queues: [given], found: undefined, unread: [] }
  }
  const { queues: found, unread } = await findDeadLetterQueues({ sqs: io.sqs(), prefix: from })
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
  given: GivenQueues & { readonly id: readonly string[] },
): Promise<ChosenQueues & { readonly id: string }> {
  const { queue: one, all, queues: from } = given
  if (one === undefined && !all && from === undefined) {
    throw new UsageError('expected QUEUE, --all or --queues PREFIX, got nothing')
  }
  const found = from === undefined ? 'all dead-letter queues' : `dead-letter queues ${from}…`
  const ids = shortened(given.id)
  const id = [one ?? (ids.length === 0 ? found : `${found}:`), ...ids].join(' ')
  return { ...(await chooseQueues(io, given)), id }
}

/** A row of the audit has to stay readable: the plan knows all of them. */
const MOST_IDS = 3

function shortened(ids: readonly string[]): readonly string[] {
  return ids.length > MOST_IDS ? [...ids.slice(0, MOST_IDS), '…'] : ids
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
  const name = queueNameInUrl(queue)
  return work(queue).then(
    (result) => ({ queue: name, result }),
    (error: unknown) => ({ unread: { name, url: queue, why: messageOf(error) } }),
  )
}

export function unreadLines(unread: readonly UnreadQueue[]): readonly string[] {
  return unread.map(({ name, why }) => `not read: ${name} (${why})`)
}
