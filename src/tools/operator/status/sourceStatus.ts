import { messageOf } from '../../../library/base/errors.ts'
import { type ListedQueue, describeQueue } from '../aws/queues.ts'
import type { DescribedMapping } from '../pause/findMappings.ts'
import type { Pause } from '../../../library/entries/sweeper/pause/pauseRow.ts'
import { messagesOf, queueNameInUrl, type UnreadQueue } from '../dlq/findQueues.ts'
import { advise, nextStep, note } from '../item/advise.ts'
import type { StatusFinding } from './finding.ts'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Clock } from '../../../library/base/clock.ts'

/** A queue that has messages, and who reads it. */
export interface SourceQueue extends Pick<ListedQueue, 'visible' | 'inFlight' | 'delayed'> {
  readonly name: string
  /** Its event source mappings. undefined: they could not be listed. */
  readonly mappings: readonly SourceMapping[] | undefined
  /** The same in words. */
  readonly readBy: string
}

interface SourceMapping {
  readonly function: string
  /** As Lambda says: `Enabled`, `Disabling`, …. */
  readonly state: string
  /** What Lambda says of its last poll; undefined: nothing. */
  readonly lastResult: string | undefined
}

interface SourceStatus {
  readonly queues: readonly SourceQueue[]
  readonly findings: readonly StatusFinding[]
  readonly unread: readonly UnreadQueue[]
}

interface Reading {
  /** All of the account and Region. */
  mappings(): Promise<readonly DescribedMapping[]>
  readonly pauses: readonly Pause[]
}

/**
 * Queues with messages, and those without a consumer. A queue without a redrive policy and without a mapping may be kept for people,
 * such as that of a failed delivery, and is left out. Mappings are listed only when there are messages: one call for each 100.
 */
export async function sourceStatus(
  described: readonly ListedQueue[],
  { mappings: list, pauses }: Reading,
): Promise<SourceStatus> {
  const filled = described.filter((queue) => messagesOf(queue) > 0)
  if (filled.length === 0) return { queues: [], findings: [], unread: [] }
  const listed = await list().catch((error: unknown) => messageOf(error))
  const paused = new Set(pauses.map(({ queue }) => queue))
  const all = filled.flatMap(({ arn, url, visible, inFlight, delayed, deadLetterQueue }) => {
    const mappings = typeof listed === 'string' ? undefined : mappingsOf(arn, listed)
    if (deadLetterQueue === undefined && (mappings ?? []).length === 0) return []
    const counts = { visible, inFlight, delayed }
    const queue = { name: queueNameInUrl(url), ...counts, mappings, readBy: readBy(mappings) }
    return { queue, arn, url }
  })
  const idle = all.filter(
    ({ queue }) => queue.visible > 0 && (queue.inFlight === 0 || isOff(queue.mappings)),
  )
  return {
    queues: all.map(({ queue }) => queue),
    findings: idle.flatMap(({ queue, arn }) => (paused.has(arn) ? [] : unreadFinding(queue))),
    unread:
      typeof listed === 'string'
        ? idle.map(({ queue, url }) => ({
            name: `the consumer of ${queue.name}, where ${queue.visible} wait`,
            url,
            why: listed,
          }))
        : [],
  }
}

function mappingsOf(arn: string, listed: readonly DescribedMapping[]): readonly SourceMapping[] {
  return listed
    .filter(({ EventSourceArn }) => EventSourceArn === arn)
    .map(({ FunctionArn = '', State = 'unknown', LastProcessingResult: lastResult }) => ({
      function: FunctionArn.split(':').slice(6).join(':'),
      state: State,
      lastResult,
    }))
}

function readBy(mappings: SourceQueue['mappings']): string {
  if (mappings === undefined) return 'not known'
  if (mappings.length === 0) return 'no mapping'
  return mappings
    .map(({ function: name, state, lastResult }) =>
      [name, state, lastResult ?? []].flat().join(' '),
    )
    .join(', ')
}

/** The finding of a queue with no message in flight, or with all its mappings off. */
function unreadFinding({ name, visible, mappings }: SourceQueue): readonly StatusFinding[] {
  const what = mappings && whyUnread(mappings)
  if (what === undefined) return []
  const cause = note('the doctor says what hinders it; enable the mapping where it was created')
  return [
    {
      severity: 'bad',
      onQueues: true,
      kind: 'no consumer',
      of: name,
      number: visible,
      atLeast: false,
      since: undefined,
      what,
      ...nextStep({ action: 'doctor', options: { queue: name } }, [cause]),
    },
  ]
}

/** Being switched, it reads soon. */
const READS: ReadonlySet<string> = new Set(['Enabled', 'Enabling', 'Creating', 'Updating'])
const FINE = /^(OK|No records processed)?$/i

/** What is in flight was received before: its visibility timeout may take hours, and nothing more is received. */
function isOff(mappings: SourceQueue['mappings'] = []): boolean {
  return mappings.length > 0 && mappings.every(({ state }) => !READS.has(state))
}

function whyUnread(mappings: readonly SourceMapping[]): string | undefined {
  if (mappings.length === 0) return 'they wait, and no event source mapping reads the queue'
  const reading = mappings.filter(({ state }) => READS.has(state))
  const [first] = reading.length > 0 ? reading : mappings
  const { state, lastResult = '' } = first ?? {}
  if (reading.length === 0) {
    return `they wait: its mapping to ${first?.function} is ${state}, and no pause says so`
  }
  return reading.every((each) => !FINE.test(each.lastResult ?? ''))
    ? `they wait: its mapping to ${first?.function} says ${lastResult}`
    : undefined
}

/** So many messages that wait are worth a second look, on so many queues. */
const LARGE = 100
const MOST = 10
/** Between both looks, milliseconds. The look at the dead letters takes as long, if there are any. */
const APART = 2_000
/** SQS's counts are approximations: less than this part of them is no growth. */
const NOISE = 0.01

interface Looking {
  readonly sqs: SQSClient
  readonly clock: Clock
  /** When they were described, epoch milliseconds. */
  readonly began: number
}

/** Queues that fill while they are looked at: one call more for each that is large, and up to two seconds. */
export async function backlogStatus(
  described: readonly ListedQueue[],
  { sqs, clock, began }: Looking,
  signal: AbortSignal,
): Promise<readonly (StatusFinding | UnreadQueue)[]> {
  const large = described
    .filter(({ visible }) => visible >= LARGE)
    .toSorted((one, other) => other.visible - one.visible)
  if (large.length === 0) return []
  await clock.sleep(Math.max(0, began + APART - clock.now()), signal)
  const looked = large.map(async (queue, at): Promise<readonly (StatusFinding | UnreadQueue)[]> => {
    const { url, visible: before } = queue
    const of = queueNameInUrl(url)
    const unread = (why: string) => [{ name: `whether the backlog of ${of} grows`, url, why }]
    if (at >= MOST) return unread('there are fuller ones')
    try {
      const { visible = 0 } = (await describeQueue(sqs, url)) ?? {}
      const seconds = Math.max(1, Math.round((clock.now() - began) / 1_000))
      const what = `they wait, and are ${visible - before} more than ${seconds} s ago`
      return visible > before * (1 + NOISE) ? [growing(of, visible, what)] : []
    } catch (error) {
      return unread(messageOf(error))
    }
  })
  return (await Promise.all(looked)).flat()
}

function growing(of: string, number: number, what: string): StatusFinding {
  const whose = advise(
    'if it goes on: more concurrency, or fewer from its sender. Whose they are (receives them): ',
    {
      action: 'dlq.groups',
      positionals: { queue: of },
      options: { per: { ask: 'attribute', word: 'ATTRIBUTE', before: '' } },
      last: ['--force'],
    },
  )
  const next = nextStep({ action: 'status', options: { queues: of, watch: true } }, [whose])
  const about = { severity: 'warn', onQueues: true, kind: 'backlog', of, number, what } as const
  return { ...about, atLeast: false, since: undefined, ...next }
}
