import type { SendOutcome } from '../../../send/messenger.ts'
import type { RedrivableMessage, RedriveSelection, StayReason } from './selectForRedrive.ts'
import type { DeadLetterSource } from './deadLetterSource.ts'
import type { SeenGroup } from './seenGroups.ts'
import type { Unseen } from './bound.ts'
import type { Watched } from './watch.ts'

/**
 * `stopped`: nothing of a page was accepted. `failing`: too many of the first ones failed again. `aborted`: by the signal. `paused`:
 * by an operator. `taken over`: another command goes on with it.
 */
export type RedriveEnd = 'complete' | 'stopped' | 'failing' | 'aborted' | 'paused' | 'taken over'

/** Counts of dead letters. */
export interface RedriveReport extends Unseen {
  readonly mode: 'plan' | 'apply'
  readonly looked: number
  /** By queue URL: how many would be sent (plan), or were accepted there. */
  readonly to: Readonly<Record<string, number>>
  /** Accepted by their queue, and removed from the dead-letter queue; 0 in a plan. */
  readonly moved: number
  /** Of those sent: messages without `uniquerequestid`, which were sent with their SQS message id. */
  readonly stamped: number
  /** In a plan: those that an attempt has written, and that name no consumer, so that their records cannot be looked up. */
  readonly unsure: number
  /** In a plan: those whose record is gone, which are sent as new messages (`force`). */
  readonly asNew: number
  readonly stays: Readonly<Record<StayReason, number>>
  /** In a plan: what is on the queue, and what would be sent of it. */
  readonly groups: readonly SeenGroup[]
  /** Held by another reader when the run began: these were not seen. */
  readonly hidden: number
  /** Not accepted by their queue: they stay. */
  readonly refused: number
  /** Accepted by their queue, but not removed: the next run sends them again, and consumers drop the duplicates. */
  readonly notRemoved: number
  /** Message of the first error: refused, or not removed. */
  readonly error: string | undefined
  /** Lines of the file that are not dead letters, or differ from another line with the same message id. */
  readonly unreadable: readonly number[]
  /** What became of the first ones that were sent. */
  readonly watched: Watched
  readonly ended: RedriveEnd
  /** There are more dead letters than can be held: run it again. */
  readonly more: boolean
  /** FIFO: if a dead letter stays, later ones of its message group are not visible. */
  readonly fifo: boolean
}

interface ReportBuilder {
  addSelection(selection: RedriveSelection): void
  addSent(
    sent: readonly SendOutcome[],
    accepted: readonly RedrivableMessage[],
    removed: readonly SendOutcome[],
  ): void
  addUnreadable(line: number): void
  looked(): number
  moved(): number
  end(
    ended: RedriveEnd,
    rest: Pick<DeadLetterSource, 'hasMore' | 'fifo' | 'hidden'> &
      Pick<RedriveReport, keyof Unseen | 'watched' | 'groups'>,
  ): RedriveReport
}

export function reportBuilder(mode: 'plan' | 'apply'): ReportBuilder {
  const to: Record<string, number> = {}
  const stays: Record<StayReason, number> = {
    notSelected: 0,
    notPlanned: 0,
    newer: 0,
    noDestination: 0,
    unprovenSource: 0,
    otherSource: 0,
    tooLarge: 0,
    lostRecord: 0,
  }
  const counts = { looked: 0, moved: 0, stamped: 0, unsure: 0, asNew: 0, refused: 0, notRemoved: 0 }
  const unreadable: number[] = []
  let error: string | undefined
  const count = (goes: readonly RedrivableMessage[]): void => {
    for (const { url } of goes) to[url] = (to[url] ?? 0) + 1
  }
  return {
    addSelection: (selection) => {
      counts.looked += selection.goes.length + selection.stays.length
      for (const reason of selection.stays) stays[reason] += 1
      counts.stamped += selection.goes.filter(({ stamped }) => stamped).length
      if (mode === 'apply') return
      count(selection.goes)
      counts.unsure += selection.goes.filter(({ unsure }) => unsure).length
      counts.asNew += selection.goes.filter(({ asNew }) => asNew).length
    },
    addSent: (sent, accepted, removed) => {
      count(accepted)
      counts.refused += failures(sent)
      counts.notRemoved += failures(removed)
      counts.moved += accepted.length - failures(removed)
      error ??= [...sent, ...removed].find((outcome) => outcome !== undefined)?.message
    },
    addUnreadable: (line) => void unreadable.push(line),
    looked: () => counts.looked,
    moved: () => counts.moved,
    end: (ended, { fifo, hasMore, ...rest }) => {
      const found = { to, stays, error, unreadable }
      return { mode, ...counts, ...found, ...rest, ended, more: hasMore(), fifo }
    },
  }
}

function failures(outcomes: readonly SendOutcome[]): number {
  return outcomes.filter((outcome) => outcome !== undefined).length
}
