import type { Letter } from './deadLetter.ts'
import { queueSource } from './deadLetterSource.ts'
import type { QueueOptions } from './deadLetterQueue.ts'
import { selector } from './selection.ts'

/** Letters of one origin that died of the same. Times in epoch milliseconds. */
export interface LetterGroup {
  readonly group: string
  readonly origin: string
  readonly reason: string
  /** Without what differs from letter to letter: ids, addresses, numbers. */
  readonly error: string
  readonly count: number
  readonly oldest: number
  readonly newest: number
  /** `uniquerequestid` of one of them. */
  readonly example: string
}

export interface LetterGroups {
  /** The largest first. */
  readonly groups: readonly LetterGroup[]
  readonly looked: number
  /** There are more letters than were looked at. */
  readonly more: boolean
  /** On a FIFO queue only the first letters of each message group can be seen. */
  readonly fifo: boolean
}

/** What lies on a dead-letter queue, by what it died of. Nothing is changed but the receive counts. */
export async function groupLetters(options: QueueOptions): Promise<LetterGroups> {
  const source = await queueSource(options)
  const isSelected = selector(options, source.now)
  const groups = new Map<string, LetterGroup>()
  let looked = 0
  for await (const page of source.pages()) {
    for (const letter of page.filter(isSelected)) {
      groups.set(letter.group, withLetter(groups.get(letter.group), letter))
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

function withLetter(known: LetterGroup | undefined, letter: Letter): LetterGroup {
  const { group, origin, reason, shape: error, sentAt, uniqueRequestId } = letter
  return {
    group,
    origin,
    reason,
    error,
    count: (known?.count ?? 0) + 1,
    oldest: Math.min(known?.oldest ?? sentAt, sentAt),
    newest: Math.max(known?.newest ?? sentAt, sentAt),
    example: known?.example ?? uniqueRequestId,
  }
}
