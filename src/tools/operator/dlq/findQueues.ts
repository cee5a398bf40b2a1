import type { SQSClient } from '@aws-sdk/client-sqs'
import { messageOf } from '../../../library/base/errors.ts'
import { describeQueue, listQueueUrls, type ListedQueue, sourcesOf } from '../aws/queues.ts'
import { queuePath } from './queuePath.ts'
import { mapInOrder } from '../../../library/entries/sweeper/due/concurrency.ts'

/** A dead-letter queue of the account and Region. One that has a dead-letter queue of its own is also the source of another. */
export interface FoundQueue extends ListedQueue {
  readonly name: string
  /** Names of the queues whose redrive policy names it. */
  readonly sources: readonly string[]
}

export interface UnreadQueue {
  readonly name: string
  readonly url: string
  readonly why: string
}

export interface FoundQueues {
  /** The one with the most messages first, then by name. */
  readonly queues: readonly FoundQueue[]
  /** What they would show is missing in `queues`. */
  readonly unread: readonly UnreadQueue[]
  /** Queues that are no dead-letter queue. */
  readonly others: readonly ListedQueue[]
}

interface FindOptions {
  readonly sqs: SQSClient
  /** Only queues whose names begin with it are asked for their redrive policy. Default: all. */
  readonly prefix?: string | undefined
}

/**
 * The dead-letter queues of the account and Region: those that the redrive policy of another queue names. The dead-letter queue of
 * an SNS subscription or of a function is in no redrive policy, so it is not among them. One call for each 1,000 queues, and one for
 * each queue, eight at a time; no message is received.
 * @throws what SQS says when the queues cannot be listed
 */
export async function findDeadLetterQueues({ sqs, prefix }: FindOptions): Promise<FoundQueues> {
  const described = new Map<string, ListedQueue>()
  const unread: UnreadQueue[] = []
  const describeAll = async (urls: readonly string[]): Promise<void> => {
    for await (const [url, found] of mapInOrder(urls, (each) => describe(sqs, each))) {
      if (typeof found === 'string') unread.push({ name: queueNameInUrl(url), url, why: found })
      else if (found !== undefined) described.set(queuePath(url), found)
    }
  }
  for await (const urls of listQueueUrls(sqs, prefix)) await describeAll(urls)
  const sources = sourcesByTarget(described.values())
  if (prefix !== undefined) unread.push(...(await addUnlistedSources(sqs, described, sources)))
  await describeAll(targetsOutside(described, unread))
  const queues: FoundQueue[] = []
  for (const [path, { url, names }] of sources) {
    const found = described.get(path)
    if (found !== undefined) queues.push({ name: queueNameInUrl(url), ...found, sources: names })
    else if (!unread.some((each) => queuePath(each.url) === path)) {
      unread.push({
        name: queueNameInUrl(url),
        url,
        why: `it does not exist, and is the dead-letter queue of ${names.join(', ')}`,
      })
    }
  }
  const others = [...described].flatMap(([path, each]) => (sources.has(path) ? [] : each))
  return { queues: queues.toSorted(byCount), unread, others }
}

interface Sources {
  /** URL of the dead-letter queue. */
  readonly url: string
  readonly names: readonly string[]
}

/** @returns why it cannot be described, or undefined when it was deleted since it was listed */
async function describe(sqs: SQSClient, url: string): Promise<ListedQueue | string | undefined> {
  try {
    return await describeQueue(sqs, url)
  } catch (error) {
    return messageOf(error)
  }
}

function sourcesByTarget(queues: Iterable<ListedQueue>): Map<string, Sources> {
  const sources = new Map<string, Sources>()
  for (const { url, deadLetterQueue } of queues) {
    if (deadLetterQueue === undefined) continue
    const path = queuePath(deadLetterQueue)
    const names = [...(sources.get(path)?.names ?? []), queueNameInUrl(url)]
    sources.set(path, { url: deadLetterQueue, names: names.toSorted() })
  }
  return sources
}

/**
 * With a prefix, the queues that name one of these may be outside of it.
 * @returns those with messages of which it cannot be known: what is on them may be dead letters
 */
async function addUnlistedSources(
  sqs: SQSClient,
  described: ReadonlyMap<string, ListedQueue>,
  sources: Map<string, Sources>,
): Promise<readonly UnreadQueue[]> {
  const unread: UnreadQueue[] = []
  const asked = [...described].filter(
    ([path, { deadLetterQueue }]) => deadLetterQueue === undefined && !sources.has(path),
  )
  const ask = ([, { url }]: (typeof asked)[number]) => sourcesOf(sqs, url)
  for await (const [[path, queue], urls] of mapInOrder(asked, ask)) {
    const { url } = queue
    if (urls === undefined && messagesOf(queue) > 0) {
      unread.push({ name: queueNameInUrl(url), url, why: SOURCES_UNKNOWN })
    }
    if (urls !== undefined && urls.length > 0) {
      sources.set(path, { url, names: urls.map(queueNameInUrl).toSorted() })
    }
  }
  return unread
}

const SOURCES_UNKNOWN =
  'whether it is a dead-letter queue could not be asked: sqs:ListDeadLetterSourceQueues. Without a prefix, or by its name, it is found'

/** A dead-letter queue may be outside of the prefix. */
function targetsOutside(
  described: ReadonlyMap<string, ListedQueue>,
  unread: readonly UnreadQueue[],
): readonly string[] {
  const known = new Set([...described.keys(), ...unread.map(({ url }) => queuePath(url))])
  const targets = [...described.values()].flatMap(({ deadLetterQueue }) => deadLetterQueue ?? [])
  return [...new Set(targets.filter((url) => !known.has(queuePath(url))))]
}

function byCount(one: FoundQueue, other: FoundQueue): number {
  return messagesOf(other) - messagesOf(one) || (one.name < other.name ? -1 : 1)
}

/** All messages that are on a queue, visible or not, as SQS approximates them. */
export function messagesOf({
  visible,
  inFlight,
  delayed,
}: Pick<FoundQueue, 'visible' | 'inFlight' | 'delayed'>): number {
  return visible + inFlight + delayed
}

export function queueNameInUrl(url: string): string {
  return url.split('/').at(-1) ?? url
}
