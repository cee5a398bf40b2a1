import { isoTime } from '../../../library/base/time.ts'
import { messageOf } from '../../../library/base/errors.ts'
import type { ListedQueue } from '../aws/queues.ts'
import type { DescribedMapping } from '../pause/findMappings.ts'
import type { Pause } from '../../../library/entries/sweeper/pause/pauseRow.ts'
import { messagesOf, queueNameInUrl, type UnreadQueue } from '../dlq/findQueues.ts'
import { commandText, nextStep, note } from '../item/advise.ts'
import { enableCommand } from '../pause/enableCommand.ts'
import type { StatusFinding } from './finding.ts'

/** A queue that has messages, and who reads it. */
export interface SourceQueue extends Pick<ListedQueue, 'visible' | 'inFlight' | 'delayed'> {
  readonly name: string
  /** Its event source mappings. undefined: they could not be listed. */
  readonly mappings: readonly SourceMapping[] | undefined
  /** The same in words. */
  readonly readBy: string
}

interface SourceMapping {
  readonly uuid: string
  readonly function: string
  /** As Lambda says: `Enabled`, `Disabling`, …. */
  readonly state: string
  /** What Lambda says of its last poll; undefined: nothing. */
  readonly lastResult: string | undefined
  /** When it was last updated, such as enabled, ISO 8601. undefined: not known. */
  readonly changed?: string | undefined
}

interface SourceStatus {
  readonly queues: readonly SourceQueue[]
  readonly findings: readonly StatusFinding[]
  readonly unread: readonly UnreadQueue[]
  readonly unproven: readonly Unproven[]
}

/** A queue with messages that no finding names: nothing shows yet that its consumer completes any. */
export interface Unproven {
  readonly queue: SourceQueue
  readonly url: string
  /** An operator has paused it. */
  readonly paused: boolean
}

interface Reading {
  /** All of the account and Region. */
  mappings(): Promise<readonly DescribedMapping[]>
  /** undefined: they were not read. */
  readonly pauses: readonly Pause[] | undefined
}

/**
 * Queues with messages, and those without a consumer. A queue without a redrive policy and without a mapping may be read by another
 * program, or keep what SNS or EventBridge could not deliver: who reads it is not known, and that is said. Mappings are listed only when there are messages: one call for each 100.
 */
export async function sourceStatus(
  described: readonly ListedQueue[],
  { mappings: list, pauses }: Reading,
): Promise<SourceStatus> {
  const filled = described.filter((queue) => messagesOf(queue) > 0)
  if (filled.length === 0) return { queues: [], findings: [], unread: [], unproven: [] }
  const listed = await list().catch((error: unknown) => messageOf(error))
  const pausedArns = new Set(pauses?.map(({ queue }) => queue))
  const all = filled.flatMap(({ arn, url, visible, inFlight, delayed, deadLetterQueue }) => {
    const mappings = typeof listed === 'string' ? undefined : mappingsOf(arn, listed)
    if (deadLetterQueue === undefined && mappings?.length === 0) return []
    const counts = { visible, inFlight, delayed }
    const queue = { name: queueNameInUrl(url), ...counts, mappings, readBy: readBy(mappings) }
    return { queue, url, paused: pausedArns.has(arn) }
  })
  const idle = all.filter(
    ({ queue }) => queue.visible > 0 && (queue.inFlight === 0 || isOff(queue.mappings)),
  )
  const findings = all.flatMap((each) =>
    each.paused ? [] : findingOf(each.queue, idle.includes(each), pauses !== undefined),
  )
  const named = new Set(findings.map(({ of }) => of))
  const unowned = typeof listed === 'string' ? [] : filled.filter((each) => isUnowned(each, listed))
  return {
    queues: [...all.map(({ queue }) => queue), ...unowned.map(unownedQueue)],
    findings,
    unproven: all.filter(({ queue }) => !named.has(queue.name)),
    unread: typeof listed === 'string' ? unlisted(all, listed) : unowned.map(unreadOwner),
  }
}

/** Neither a mapping nor a redrive policy says what it is for, and none of its messages is in flight. */
function isUnowned(
  { arn, visible, inFlight, deadLetterQueue }: ListedQueue,
  listed: readonly DescribedMapping[],
): boolean {
  const isRead = listed.some(({ EventSourceArn }) => EventSourceArn === arn)
  return deadLetterQueue === undefined && !isRead && visible > 0 && inFlight === 0
}

function unownedQueue({ url, visible, inFlight, delayed }: ListedQueue): SourceQueue {
  const readBy = 'not known (no mapping; what could not be delivered, or of another program)'
  return { name: queueNameInUrl(url), visible, inFlight, delayed, mappings: [], readBy }
}

/** What SNS or EventBridge could not deliver waits here for an operator, and nothing in the account shows whether it does. */
function unreadOwner({ url, visible }: ListedQueue): UnreadQueue {
  const name = queueNameInUrl(url)
  const why = `no event source mapping does, and no queue that could be read names it as its dead-letter queue. If it keeps what SNS or EventBridge could not deliver: ${commandText({ action: 'dlq.groups', positionals: { queue: name } })}`
  return { name: `who reads ${name}, where ${visible} wait`, url, why }
}

/** Whether they have a consumer, and whether it fails, only their mappings show. */
function unlisted(all: readonly Unproven[], why: string): readonly UnreadQueue[] {
  const [first] = all
  if (first === undefined) return []
  const names = all.slice(0, NAMED).map(({ queue }) => queue.name)
  const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : ''
  const number = all.reduce((sum, { queue }) => sum + messagesOf(queue), 0)
  const whose = `the ${all.length > 1 ? 'consumers' : 'consumer'} of ${names.join(', ')}${more}`
  return [{ name: `${whose}, where ${number} wait`, url: first.url, why }]
}

/** So many queues are named in a line. */
const NAMED = 5

function mappingsOf(arn: string, listed: readonly DescribedMapping[]): readonly SourceMapping[] {
  return listed
    .filter(({ EventSourceArn }) => EventSourceArn === arn)
    .map(
      ({
        UUID: uuid = '',
        FunctionArn = '',
        State = 'unknown',
        LastProcessingResult: lastResult,
        LastModified,
      }) => ({
        uuid,
        function: FunctionArn.split(':').slice(6).join(':'),
        state: State,
        lastResult,
        ...(LastModified !== undefined && { changed: isoTime(LastModified.getTime()) }),
      }),
    )
}

/** Names of the functions whose mappings read the queue. */
export function functionsReading(
  arn: string,
  listed: readonly DescribedMapping[],
): readonly string[] {
  return mappingsOf(arn, listed).map((mapping) => mapping.function.split(':')[0] ?? '')
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

/**
 * @param isIdle no message is in flight, or all mappings are off
 * @param knowsPauses none of them is of this queue
 */
function findingOf(
  queue: SourceQueue,
  isIdle: boolean,
  knowsPauses: boolean,
): readonly StatusFinding[] {
  const { name, visible, mappings } = queue
  if (mappings === undefined) return []
  const off = isOff(mappings) ? mappings[0] : undefined
  const cause = note(
    off === undefined
      ? 'the doctor says what hinders it'
      : `find out who has disabled it, then: ${enableCommand(off.uuid)}; and mend the template, or the next deployment disables it again`,
  )
  const log = note('read the log of the function: no record of it has ended by itself')
  const next = (hint: typeof cause) =>
    nextStep({ action: 'doctor', options: { queue: name } }, [hint])
  const about = {
    severity: 'bad',
    onQueues: true,
    of: name,
    atLeast: false,
    since: undefined,
  } as const
  const idle = isIdle ? whyUnread(mappings, knowsPauses) : undefined
  if (idle !== undefined) {
    return [{ ...about, kind: 'no consumer', number: visible, what: idle, ...next(cause) }]
  }
  const failing = mappings.find(
    ({ state, lastResult }) => READS.has(state) && isFailing(lastResult),
  )
  if (failing === undefined) return []
  const what = `its mapping to ${failing.function} says ${failing.lastResult}`
  return [{ ...about, kind: 'failing', number: messagesOf(queue), what, ...next(log) }]
}

/** Being switched, it reads soon. */
const READS: ReadonlySet<string> = new Set(['Enabled', 'Enabling', 'Creating', 'Updating'])
const FINE = /^(OK|No records processed)?$/i

function isFailing(lastResult = ''): boolean {
  return !FINE.test(lastResult)
}

/** What is in flight was received before: its visibility timeout may take hours, and nothing more is received. */
function isOff(mappings: SourceQueue['mappings'] = []): boolean {
  return mappings.length > 0 && mappings.every(({ state }) => !READS.has(state))
}

function whyUnread(mappings: readonly SourceMapping[], knowsPauses: boolean): string | undefined {
  if (mappings.length === 0) return 'they wait, and no event source mapping reads the queue'
  const reading = mappings.filter(({ state }) => READS.has(state))
  const [first] = reading.length > 0 ? reading : mappings
  const { state, lastResult = '' } = first ?? {}
  if (reading.length === 0) {
    const paused = knowsPauses ? 'no pause says so' : 'whether it is paused was not read'
    return `they wait: its mapping to ${first?.function} is ${state}, and ${paused}`
  }
  return reading.every((each) => isFailing(each.lastResult))
    ? `they wait: its mapping to ${first?.function} says ${lastResult}`
    : undefined
}
