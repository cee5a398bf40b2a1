import type { Queues } from '../../counts.ts'
import type { DeadLetter } from '../../../../operator/dlq/deadLetter.ts'
import type { DeadLetterGroup, GroupReport } from '../../../../operator/dlq/look.ts'
import type { FoundQueue, UnreadQueue } from '../../../../operator/dlq/findQueues.ts'
import type { Hidden } from '../../../hide.ts'
import type { Query } from '../../address.ts'

/** A group of dead letters, and the queue that it is on. Times are ISO 8601. */
export interface LetterGroup extends Omit<DeadLetterGroup, 'oldest' | 'newest' | 'times'> {
  readonly queue: string
  /** In 24 equal parts of the time from the oldest to the newest. */
  readonly arrivals: readonly number[]
  readonly oldest: string
  readonly newest: string
}

/** What was looked at, whatever was asked. */
export interface LookedAnswer extends Omit<GroupReport, 'groups'> {
  readonly unread: readonly UnreadQueue[]
}

/** `GET /api/groups` */
export interface Groups extends LookedAnswer {
  readonly groups: readonly LetterGroup[]
  /** By the value of an attribute, the most frequent first; null: those without it. */
  readonly per?: readonly { readonly value: string | null; readonly count: number }[]
}

/** One dead letter. Times are ISO 8601. */
export interface Letter extends Pick<DeadLetter, 'identity' | 'group' | 'reason' | 'stack'> {
  readonly uniquerequestid: string
  /** Name, or as it was asked for. */
  readonly queue: string
  readonly messageId: string
  /** Consumer, stage, queue or topic. */
  readonly of: string
  readonly error?: string
  readonly attempts?: number
  readonly death?: number
  readonly received: number
  readonly sentAt: string
  readonly firstSentAt?: string
  readonly flow?: string
  readonly run?: string
  readonly movedFrom?: string
  readonly messageGroup?: string
  readonly attributes: Readonly<Record<string, string>>
  readonly bytes: number
  /** Where the payload is that the message does not carry. */
  readonly payload?: string
  readonly body?: string | Hidden
}

/** `GET /api/letters` */
export interface LettersAnswer extends LookedAnswer {
  readonly letters: readonly Letter[]
}

/** The part that was read, and of how many it is, as SQS counts them. */
export function readOf({ looked, visible }: Pick<LookedAnswer, 'looked' | 'visible'>): string {
  const all = visible > looked ? `about ${visible.toLocaleString('en')}` : 'more'
  return `${looked.toLocaleString('en')} of ${all} read`
}

/** Origins that name no consumer, as `dlq peek` words them. */
const NO_CONSUMER = /^(?:queue|topic|flow) |^not said$/

/** Where the page of its request is. undefined: the dead letter names neither a flow nor a consumer. */
export function requestOf({ flow, run, of, uniquerequestid }: Letter): Query | undefined {
  if (flow !== undefined) return { id: flow, request: run }
  return NO_CONSUMER.test(of) ? undefined : { id: `${of}/${uniquerequestid}` }
}

/** Dead letters of the last list by their SQS message ids: to open one of them costs nothing. */
export const seenLetters = new Map<string, Letter>()

/**
 * Whether another look would see more or fewer dead letters. Not while a reader holds some: it would miss those; nor of a FIFO queue,
 * which shows the first of each message group only.
 * @param queue name of the only queue that was looked at; '': all
 */
export function isStale(
  { queues }: Queues,
  queue: string,
  { looked, more, fifo }: Pick<LookedAnswer, 'looked' | 'more' | 'fifo'>,
): boolean {
  const chosen = queues.filter(({ name, url, deadLetterQueue }) =>
    // A queue that has a dead-letter queue of its own is looked at by its name only.
    queue === '' ? deadLetterQueue === undefined : name === queue || url === queue,
  )
  const isHeld = chosen.some(({ inFlight }) => inFlight > 0)
  const there = chosen.reduce((sum, { visible, delayed }) => sum + visible + delayed, 0)
  return !more && !fifo && !isHeld && there !== looked
}

/**
 * What a look at the dead letters costs: ten for each receive, and ten for each request that makes them visible again. Receives that
 * return nothing show that a queue was seen to its end.
 * @param queue name of the only queue that is looked at; '': all
 */
export function lookPrice(
  queues: readonly FoundQueue[],
  queue: string,
): { readonly letters: number; readonly requests: number } {
  const counts = queues
    .filter(({ name, url }) => queue === '' || name === queue || url === queue)
    .map(({ visible, inFlight, delayed }) => visible + inFlight + delayed)
    .filter((count) => count > 0)
  const sum = (all: readonly number[]): number => all.reduce((most, each) => most + each, 0)
  return {
    letters: sum(counts),
    requests: sum(counts.map((count) => 2 * Math.ceil(count / 10) + 2)),
  }
}
