import type { SQSClient } from '@aws-sdk/client-sqs'
import { ConfigError } from '../../../library/base/errors.ts'
import { deadLetterQueueOf, sourcesOf } from '../aws/queues.ts'
import { queuePath } from './queuePath.ts'
import { findUrl, QueueNotFoundError } from './deadLetterQueue.ts'
import { type DeadLetter, movedFrom } from './deadLetter.ts'
import { isFrom } from '../../../library/protocol/claim/token/claimedBy.ts'
import type { HomeQueue } from '../item/task.ts'
import { findDeadLetterQueues, type FoundQueue } from './findQueues.ts'

/**
 * URL of the queue that a dead letter goes back to. `noDestination`: neither the message nor SQS names one.
 * `unprovenSource`: the message names a queue that does not use this dead-letter queue. `otherSource`: it came from another queue
 * than the given one, whose consumer would refuse it.
 */
type Destination =
  | { readonly url: string }
  | {
      readonly url: undefined
      readonly why: 'noDestination' | 'unprovenSource' | 'otherSource'
    }
export type FindDestination = (deadLetter: DeadLetter) => Promise<Destination>

interface Target {
  /** Name, URL or ARN. */
  readonly to: string | undefined
  /** Also those that came from another queue. */
  readonly force?: boolean | undefined
}

/**
 * The first of these that exists: the given queue; the queue from which SQS moved the dead letter; the queue that its consumer
 * wrote into it; the only queue that uses this dead-letter queue. Any sender to the dead-letter queue can write any source into a
 * message, even a queue of another team or account. So a source that only the message names must be a queue whose redrive policy
 * names this dead-letter queue.
 * @throws QueueNotFoundError @throws ConfigError when a dead letter would go to the queue that it is on
 */
export async function findDestinations(
  sqs: SQSClient,
  { to, force = false }: Target,
): Promise<FindDestination> {
  const given = to === undefined ? undefined : await findUrl(sqs, to)
  const urlFor = memoize((arn) => findUrl(sqs, arn))
  const sourcesFor = memoize(async (arn) => sourcesOf(sqs, await urlFor(arn)))
  const provenUrl = memoize(async (link) => {
    const { source, home } = JSON.parse(link) as { source: string; home: string }
    return findProven(sqs, source, home, sourcesFor)
  })
  /** The source queue that SQS names, or that the dead letter names. undefined: neither names one. */
  const sourceOf = ({ record, envelope }: DeadLetter): Promise<string | undefined> | undefined => {
    const { eventSourceARN: home } = record
    const moved = movedFrom(record)
    if (moved !== undefined) return urlFor(moved)
    const { source } = envelope.carried
    return source === undefined ? undefined : provenUrl(JSON.stringify({ source, home }))
  }
  return async (deadLetter) => {
    const { eventSourceARN: home } = deadLetter.record
    if (given !== undefined) {
      const isFree = force || ASTRAY.has(deadLetter.reason)
      const source = isFree ? undefined : await unlessRefused(async () => sourceOf(deadLetter))
      return source === undefined || queuePath(source) === queuePath(given)
        ? destinationAt(given, home)
        : { url: undefined, why: 'otherSource' }
    }
    const source = sourceOf(deadLetter)
    if (source !== undefined) {
      const url = await source
      return url === undefined ? { url, why: 'unprovenSource' } : destinationAt(url, home)
    }
    const [only, ...others] = (await sourcesFor(home)) ?? []
    return only === undefined || others.length > 0
      ? { url: undefined, why: 'noDestination' }
      : { url: only }
  }
}

/** They came to a queue that is not theirs. */
const ASTRAY: ReadonlySet<string> = new Set([
  'wrong consumer',
  'conflict',
  'unknown stage',
  'unknown step',
  'not handed on',
])

/** Uses SQS's list of sources of the dead-letter queue or, if that call is not allowed, the source's own redrive policy. */
async function findProven(
  sqs: SQSClient,
  source: string,
  home: string,
  sourcesFor: (arn: string) => Promise<readonly string[] | undefined>,
): Promise<string | undefined> {
  if (!isSameAccount(source, home)) return undefined
  const url = await unlessRefused(() => findUrl(sqs, source))
  if (url === undefined) return undefined
  const listed = await sourcesFor(home)
  const uses =
    listed === undefined
      ? isQueue(await deadLetterQueueOf(sqs, url), home)
      : listed.some((each) => queuePath(each) === queuePath(url))
  return uses ? url : undefined
}

/** SQS accepts as a dead-letter queue only one of the same account and Region (Amazon SQS Developer Guide, dead-letter queues). */
function isSameAccount(source: string, home: string): boolean {
  const place = (arn: string): string => arn.split(':').slice(0, 5).join(':')
  return place(source) === place(home)
}

/** A source that SQS refuses must not stop the other messages; an outage stops the run. */
async function unlessRefused(find: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof QueueNotFoundError || faultOf(error) === 'client') return undefined
    throw error
  }
}

function faultOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && '$fault' in error ? error.$fault : undefined
}

/** A dead letter that is sent to its own queue would be found there again, endlessly. */
function destinationAt(url: string, home: string): Destination {
  if (!isQueue(url, home)) return { url }
  throw new ConfigError(
    `the dead letters are on ${url} already. Nothing was sent. Give another queue by --to`,
  )
}

function isQueue(url: string | undefined, arn: string): boolean {
  const path = arn.split(':').slice(4).join('/')
  return url !== undefined && path !== '' && queuePath(url) === path
}

function memoize<T>(ask: (arn: string) => Promise<T>): (arn: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>()
  return (arn) => {
    const known = answers.get(arn) ?? ask(arn)
    answers.set(arn, known)
    return known
  }
}

/**
 * Reads the redrive policies of the account and Region: one call for each 1,000 queues, and one for each queue, eight at a time.
 * Without `by` the queue is known if there is only one dead-letter queue.
 * @throws what SQS says when the queues cannot be listed
 */
export async function findHomeQueues(sqs: SQSClient): Promise<HomeQueue> {
  const { queues } = await findDeadLetterQueues({ sqs })
  const only = queues.length === 1 ? queues[0]?.name : undefined
  return (by) => {
    if (by === undefined) return only
    // A queue and its dead-letter queue are of one account and Region.
    const isHome = ({ arn, sources }: FoundQueue): boolean =>
      sources.some((source) => isFrom(arn.replace(/[^:]*$/, source), by))
    return queues.find(isHome)?.name ?? only
  }
}
