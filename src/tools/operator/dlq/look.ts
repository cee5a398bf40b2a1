import type { Cause } from '../text/errorShape.ts'
import { type DeadLetter, knownId, writtenRequest, writtenBy } from './deadLetter.ts'
import { openQueueSource } from './deadLetterSource.ts'
import { type QueueOptions, matcher } from './deadLetterQueue.ts'

/** Dead letters of one origin, reason and error shape. Times in epoch milliseconds. */
export interface DeadLetterGroup {
  readonly group: string
  readonly origin: string
  /** Which has written all of them. undefined: none has. */
  readonly consumer: string | undefined
  readonly reason: string
  /** The error text without ids, addresses and numbers, which differ between dead letters. */
  readonly error: string
  readonly count: number
  readonly oldest: number
  readonly newest: number
  /** When each of them was sent to the queue. */
  readonly times: readonly number[]
  /** The message group of each that has one: on a fair queue its tenant. */
  readonly messageGroups: readonly string[]
  /** undefined: they do not say what went wrong. */
  readonly cause: Cause | undefined
  /** Published versions of the functions that have written them, as far as they say so. */
  readonly versions: readonly string[]
  /** Id of one of them: of its run, or its `uniquerequestid`. */
  readonly example: string
  /** `consumer/ID` of that one. undefined: it is of a flow, or none has written it. */
  readonly request: string | undefined
}

export interface Looked {
  readonly looked: number
  /** How many there are about, as SQS counts those that can be received. */
  readonly visible: number
  /** There are more dead letters than were looked at, or than can be held at once. */
  readonly more: boolean
  /** On a FIFO queue only the first dead letters of each message group are visible: if one stays, later ones are not. */
  readonly fifo: boolean
}

export interface GroupReport extends Looked {
  /** The largest first. */
  readonly groups: readonly DeadLetterGroup[]
}

interface GroupOptions extends QueueOptions {
  /** Called with those of each page that are selected. */
  readonly look?: (deadLetters: readonly DeadLetter[]) => Promise<void>
}

/** Groups the dead letters of a queue by origin, reason and error. Changes only their receive counts. */
export async function groupDeadLetters(options: GroupOptions): Promise<GroupReport> {
  const source = await openQueueSource(options)
  const isSelected = matcher(options, source.now)
  const groups = new Map<string, GrowingGroup>()
  const enough = 2 * source.visible + SPARE
  let looked = 0
  for await (const page of source.pages()) {
    const selected = page.filter(isSelected)
    await options.look?.(selected)
    for (const deadLetter of selected) {
      groups.set(deadLetter.group, addToGroup(groups.get(deadLetter.group), deadLetter))
    }
    looked += page.length
    options.onProgress?.(looked, source.visible)
    if (looked > enough) break
  }
  return {
    groups: [...groups.values()].toSorted((one, other) => other.count - one.count),
    looked,
    visible: source.visible,
    more: source.hasMore() || looked > enough || options.signal?.aborted === true,
    fifo: source.fifo,
  }
}

/** A queue that fills as fast as it is read would be looked at without an end. SQS's count may be too small by so many. */
const SPARE = 100

type GrowingGroup = DeadLetterGroup & {
  readonly times: number[]
  readonly messageGroups: string[]
}

function addToGroup(known: GrowingGroup | undefined, deadLetter: DeadLetter): GrowingGroup {
  const { group, origin, reason, shape: error, sentAt, cause, envelope, record } = deadLetter
  const { times = [], messageGroups = [], versions = [] } = known ?? {}
  const consumer = writtenBy(deadLetter)
  times.push(sentAt)
  messageGroups.push(...[record.attributes.MessageGroupId ?? []].flat())
  return {
    group,
    origin,
    consumer,
    reason,
    error,
    count: (known?.count ?? 0) + 1,
    oldest: Math.min(known?.oldest ?? sentAt, sentAt),
    newest: Math.max(known?.newest ?? sentAt, sentAt),
    times,
    messageGroups,
    cause,
    versions: [...new Set([...versions, ...[envelope.carried.version ?? []].flat()])],
    example: known?.example ?? knownId(deadLetter),
    request: known?.request ?? writtenRequest(deadLetter),
  }
}

/** `more`: there may be. With ids: more were seen. */
export interface PeekReport extends Looked {
  readonly deadLetters: readonly DeadLetter[]
}

/** The first `count` dead letters found. Changes only their receive counts. */
export async function peekDeadLetters(options: QueueOptions, count: number): Promise<PeekReport> {
  const source = await openQueueSource(options)
  const isSelected = matcher(options, source.now)
  const deadLetters: DeadLetter[] = []
  let [looked, found] = [0, 0]
  for await (const page of source.pages()) {
    const selected = page.filter(isSelected)
    found += selected.length
    deadLetters.push(...selected.slice(0, count - deadLetters.length))
    looked += page.length
    options.onProgress?.(looked, source.visible)
    if (deadLetters.length === count) break
  }
  const unseen = options.ids === undefined && found === count && looked < source.visible
  const more = found > count || unseen || source.hasMore() || options.signal?.aborted === true
  return { deadLetters, looked, visible: source.visible, more, fifo: source.fifo }
}

export interface SeenGroup extends Pick<
  DeadLetterGroup,
  'group' | 'origin' | 'reason' | 'error' | 'count'
> {
  /** How many of these the plan changes. */
  readonly planned: number
  /** The first ones that it changes: the id of the run, or `uniquerequestid`. */
  readonly ids: readonly string[]
}

const MOST_GROUPS = 50
const MOST_IDS = 10

/** Collects what a plan shows: with 100,000 dead letters no more than the first groups, and their first ids. */
export function collectGroups(): {
  see(deadLetters: readonly DeadLetter[], planned: ReadonlySet<DeadLetter>): void
  groups(): readonly SeenGroup[]
} {
  const groups = new Map<string, SeenGroup>()
  return {
    see(deadLetters, planned) {
      for (const deadLetter of deadLetters) {
        const { group } = deadLetter
        if (!groups.has(group) && groups.size >= MOST_GROUPS) continue
        groups.set(group, addTo(groups.get(group), deadLetter, planned.has(deadLetter)))
      }
    },
    groups: () => [...groups.values()].toSorted((one, other) => other.planned - one.planned),
  }
}

function addTo(
  known: SeenGroup | undefined,
  deadLetter: DeadLetter,
  isPlanned: boolean,
): SeenGroup {
  const { group, origin, reason, shape: error } = deadLetter
  const { count = 0, planned = 0, ids = [] } = known ?? {}
  const more = isPlanned && ids.length < MOST_IDS ? [knownId(deadLetter)] : []
  return {
    group,
    origin,
    reason,
    error,
    count: count + 1,
    planned: planned + (isPlanned ? 1 : 0),
    ids: [...ids, ...more],
  }
}
