import type { FindDestination } from './destinations.ts'
import type { Letter } from './deadLetter.ts'
import type { LetterSource } from './deadLetterSource.ts'
import { outboundOf, takesItsIdAlong } from './toOutbound.ts'
import { type Selection, selector } from './selection.ts'
import type { Addressed } from './send.ts'

/**
 * Why a letter stays where it is. `newer`: it came after the start, and may be one that went back and died again.
 * `unprovenSource`: it names a queue that does not use this dead-letter queue. `tooLarge`: with its identity it is no message any
 * more.
 */
export type Stays = 'notSelected' | 'newer' | 'noDestination' | 'unprovenSource' | 'tooLarge'

export interface Going extends Addressed {
  readonly letter: Letter
  readonly stamped: boolean
}

export interface Judged {
  readonly goes: readonly Going[]
  readonly stays: readonly Stays[]
}

/** SQS tells its time in whole seconds. */
const SECOND = 1_000

/** What is to become of each letter of a page. Letters that go back and die again during the run are not taken in a circle. */
export function judgeLetters(
  source: Pick<LetterSource, 'now' | 'fifo'>,
  options: Selection,
  destinationOf: FindDestination,
): (page: readonly Letter[]) => Promise<Judged> {
  const isSelected = selector(options, source.now)
  const gone = new Set<string>()

  function isNewer({ sentAt, uniqueRequestId }: Letter): boolean {
    const sure = sentAt >= source.now + SECOND
    return sure || (sentAt >= source.now && gone.has(uniqueRequestId))
  }

  async function judge(letter: Letter): Promise<Going | Stays> {
    if (!isSelected(letter)) return 'notSelected'
    if (isNewer(letter)) return 'newer'
    const destination = await destinationOf(letter)
    const { url } = destination
    if (url === undefined) return destination.why
    const message = outboundOf(letter, url)
    if (message === undefined) return 'tooLarge'
    gone.add(letter.uniqueRequestId)
    return { letter, url, message, stamped: takesItsIdAlong(letter) }
  }

  return async (page) => {
    const goes: Going[] = []
    const stays: Stays[] = []
    // One receive holds several letters of a message group: whatever is behind one that stays must not overtake it.
    const stuck = new Map<string, Stays>()
    for (const letter of page) {
      const { MessageGroupId: group } = letter.record.attributes
      const judged = (group && stuck.get(group)) || (await judge(letter))
      if (typeof judged !== 'string') {
        goes.push(judged)
        continue
      }
      stays.push(judged)
      if (source.fifo && group) stuck.set(group, judged)
    }
    return { goes, stays }
  }
}
