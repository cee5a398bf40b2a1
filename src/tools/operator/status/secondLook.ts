import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Clock } from '../../../library/base/clock.ts'
import { isoTime } from '../../../library/base/time.ts'
import { messageOf } from '../../../library/base/errors.ts'
import { describeQueue, type ListedQueue } from '../aws/queues.ts'
import { messagesOf, type UnreadQueue } from '../dlq/findQueues.ts'
import { advise, nextStep, note } from '../item/advise.ts'
import { formatTime } from '../text/humanTime.ts'
import type { StatusFinding } from './finding.ts'
import type { SourceQueue, Unproven } from './sourceStatus.ts'

/** So many messages that wait are worth a second look. */
const LARGE = 100
/** At so many queues at most: one call for each. */
const MOST = 10
/** Between two looks, milliseconds. The look at the dead letters takes as long, if there are any. */
const APART = 2_000
/** SQS's counts are approximations: less than this part of them is growth only if it goes on. */
const NOISE = 0.01

interface Looking {
  readonly sqs: SQSClient
  readonly clock: Clock
  /** When they were described, epoch milliseconds. */
  readonly began: number
}

type Seen = StatusFinding | UnreadQueue

/**
 * Queues that fill, or of which nothing shows that their consumer completes anything: one call more for each, and two seconds; four,
 * if one of them grows slowly.
 */
export async function secondLook(
  queues: readonly Unproven[],
  { sqs, clock, began }: Looking,
  signal: AbortSignal,
): Promise<readonly Seen[]> {
  const worth = queues
    .filter((each) => each.queue.visible >= LARGE || isUnheld(each, each.queue) || isUnsaid(each))
    .toSorted((one, other) => other.queue.visible - one.queue.visible)
  if (worth.length === 0) return []
  const look = async (each: Unproven, turn: number): Promise<Look> => {
    await clock.sleep(Math.max(0, began + turn * APART - clock.now()), signal)
    const counts = await describeQueue(sqs, each.url)
    const at = clock.now()
    return { counts, at, seconds: Math.max(1, Math.round((at - began) / 1_000)) }
  }
  const looked = worth.map(async (each, at): Promise<readonly Seen[]> => {
    if (at >= MOST) return [unread(each, 'there are fuller ones')]
    try {
      const first = await look(each, 1)
      const more = grownBy(each, first)
      const isSlow = more > 0 && more <= each.queue.visible * NOISE
      const last = isSlow ? await look(each, 2) : first
      return judge(each, last, isSlow && grownBy(each, last) <= more)
    } catch (error) {
      return [unread(each, messageOf(error))]
    }
  })
  return (await Promise.all(looked)).flat()
}

interface Look {
  /** undefined: the queue was deleted meanwhile. */
  readonly counts: ListedQueue | undefined
  /** Epoch milliseconds. */
  readonly at: number
  readonly seconds: number
}

/** A queue that is small does not grow: its next message would be growth. */
function grownBy({ queue }: Unproven, { counts }: Look): number {
  return counts === undefined || queue.visible < LARGE ? 0 : counts.visible - queue.visible
}

/** @param isOver its growth did not go on */
function judge(each: Unproven, look: Look, isOver: boolean): readonly Seen[] {
  const { queue, paused } = each
  const { counts, at, seconds } = look
  if (counts === undefined) return []
  const more = grownBy(each, look)
  if (more > 0 && !isOver) return [growing(queue.name, counts.visible, { more, seconds })]
  if (paused || messagesOf(counts) < messagesOf(queue)) return []
  if (isUnheld(each, queue) && isUnheld(each, counts)) {
    const why = `SQS has counted no receipt for ${seconds} s, until ${isoTime(at)}, and its counts may be a minute old${changedLately(queue, at)}. --watch shows it`
    return [
      { name: `whether ${queue.name} is read, where ${counts.visible} wait`, url: each.url, why },
    ]
  }
  return isUnsaid(each) ? [noProgress(queue, { number: messagesOf(counts), at, seconds })] : []
}

/** Long enough for the poll to begin, and for SQS to count it, milliseconds. */
const LATELY = 10 * 60_000

/** Just enabled or updated: what is counted may be of before. */
function changedLately({ mappings = [] }: SourceQueue, now: number): string {
  const times = mappings.flatMap(({ changed = '' }) => Date.parse(changed) || [])
  const last = Math.max(0, ...times)
  if (last < now - LATELY) return ''
  return `. Its mapping was changed ${formatTime(last, now)}: Lambda polls within a minute or two, and then they get fewer`
}

/** Some wait and none is received, though Lambda says that it polls. */
function isUnheld(
  { queue: { mappings } }: Unproven,
  { visible, inFlight }: Pick<ListedQueue, 'visible' | 'inFlight'>,
): boolean {
  return visible > 0 && inFlight === 0 && isPolled(mappings)
}

/** Lambda does not say how the last invocation has ended. */
function isUnsaid({ queue: { mappings = [] } }: Unproven): boolean {
  return isPolled(mappings) && mappings.every(({ lastResult = '' }) => lastResult === '')
}

function isPolled(mappings: SourceQueue['mappings'] = []): boolean {
  return mappings.some(({ state }) => state === 'Enabled')
}

function unread({ queue: { name }, url }: Unproven, why: string): UnreadQueue {
  return { name: `whether the backlog of ${name} grows`, url, why }
}

function growing(
  of: string,
  number: number,
  { more, seconds }: { readonly more: number; readonly seconds: number },
): StatusFinding {
  const whose = advise(
    'if it goes on: more concurrency, or fewer from its sender. Whose they are (receives them): ',
    {
      action: 'dlq.groups',
      positionals: { queue: of },
      options: { per: { ask: 'attribute', word: 'ATTRIBUTE', before: '' } },
      last: ['--force'],
    },
  )
  const what = `they wait, and are ${more} more than ${seconds} s ago`
  const next = nextStep({ action: 'status', options: { queues: of, watch: true } }, [whose])
  return { ...ABOUT, kind: 'backlog', of, number, what, ...next }
}

function noProgress(
  { name, mappings = [] }: SourceQueue,
  { number, at, seconds }: Omit<Look, 'counts'> & { readonly number: number },
): StatusFinding {
  const what = `at ${isoTime(at)} no fewer than ${seconds} s before, and Lambda does not say how the last invocation of ${mappings[0]?.function} has ended`
  const log = note(
    'read the log of the function: its attempts still run (a first one is in no list), or it fails before it claims them',
  )
  const next = nextStep({ action: 'doctor', options: { queue: name } }, [log])
  return { ...ABOUT, kind: 'no progress', of: name, number, what, ...next }
}

const ABOUT = { severity: 'warn', onQueues: true, atLeast: false, since: undefined } as const
