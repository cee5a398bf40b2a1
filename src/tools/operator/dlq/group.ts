import type { Cause } from './cause.ts'
import { type DeadLetter, knownId } from './deadLetter.ts'
import { openQueueSource } from './deadLetterSource.ts'
import type { QueueOptions } from './deadLetterQueue.ts'
import { matcher } from './selection.ts'

/** Dead letters of one origin, reason and error shape. Times in epoch milliseconds. */
export interface DeadLetterGroup {
  readonly group: string
  readonly origin: string
  readonly reason: string
  /** The error text without ids, addresses and numbers, which differ between dead letters. */
  readonly error: string
  readonly count: number
  readonly oldest: number
  readonly newest: number
  /** When each of them was sent to the queue. */
  readonly times: readonly number[]
  /** undefined: they do not say what went wrong. */
  readonly cause: Cause | undefined
  /** Published versions of the functions that have written them, as far as they say so. */
  readonly versions: readonly string[]
  /** Id of one of them: of its run, or its `uniquerequestid`. */
  readonly example: string
}

export interface GroupReport {
  /** The largest first. */
  readonly groups: readonly DeadLetterGroup[]
  readonly looked: number
  /** There are more dead letters than were looked at. */
  readonly more: boolean
  /** On a FIFO queue only the first dead letters of each message group are visible. */
  readonly fifo: boolean
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
  let looked = 0
  for await (const page of source.pages()) {
    const selected = page.filter(isSelected)
    await options.look?.(selected)
    for (const deadLetter of selected) {
      groups.set(deadLetter.group, addToGroup(groups.get(deadLetter.group), deadLetter))
    }
    looked += page.length
    options.onProgress?.(looked, source.visible)
  }
  return {
    groups: [...groups.values()].toSorted((one, other) => other.count - one.count),
    looked,
    more: source.hasMore() || options.signal?.aborted === true,
    fifo: source.fifo,
  }
}

type GrowingGroup = DeadLetterGroup & { readonly times: number[] }

function addToGroup(known: GrowingGroup | undefined, deadLetter: DeadLetter): GrowingGroup {
  const { group, origin, reason, shape: error, sentAt, cause, envelope } = deadLetter
  const { times = [], versions = [] } = known ?? {}
  times.push(sentAt)
  return {
    group,
    origin,
    reason,
    error,
    count: (known?.count ?? 0) + 1,
    oldest: Math.min(known?.oldest ?? sentAt, sentAt),
    newest: Math.max(known?.newest ?? sentAt, sentAt),
    times,
    cause,
    versions: [...new Set([...versions, ...[envelope.carried.version ?? []].flat()])],
    example: known?.example ?? knownId(deadLetter),
  }
}
