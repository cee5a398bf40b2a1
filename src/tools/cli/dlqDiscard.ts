import { discardDeadLetters, type DiscardReport } from '../operator/dlq/discard.ts'
import { keepInTable } from '../operator/dlq/discarded.ts'
import type { BoundReport } from './boundRun.ts'
import { duration } from '../commands/kinds.ts'
import { type Command, command } from './command.ts'
import {
  changeLetters,
  deadLetterCount,
  FIFO_HEADS,
  goneLines,
  type LettersOptions,
  MAY_BE_HELD,
  mayBeHeld,
  MORE,
  ONLY_PLANNED,
  type OnQueues,
  plannedLines,
  SELECTION,
} from './dlqOptions.ts'
import { QUEUE, QUEUES } from './dlqQueues.ts'
import { UsageError } from './usageError.ts'

/** The name of the plan, by which it is undone, is kept for 400 days. */
const LONGEST = 365 * 86_400_000

type Discarded = DiscardReport & { readonly plan: string | undefined }

export const discard: Command = command({
  words: 'dlq discard',
  summary:
    'take dead letters off the queue, and keep them in the table; their requests stay as they are',
  about: ONLY_PLANNED,
  arguments: { queue: QUEUE },
  options: {
    ...QUEUES,
    ...SELECTION,
    keep: { kind: duration, help: 'for how long, at most 365d', default: '30d', page: true },
  },
  examples: ['dlq discard orders-dead --reason conflict'],
  changes: 'plan',
  long: true,
  receives: true,
  run: async (given, io, signal) => {
    if (given.keep > LONGEST) throw new UsageError('--keep: expected at most 365d')
    const { plan } = io.change
    const change = {
      action: 'dlq discard',
      run: async (options: LettersOptions): Promise<Discarded> => {
        const discarding = { plan: plan ?? '', planned: options.only?.length ?? 0 }
        const keep = keepInTable(io.store(), discarding, io.clock.now() + given.keep)
        return { ...(await discardDeadLetters({ ...options, keep })), plan }
      },
      read: readReport,
      lines: discardLines,
    }
    return changeLetters(change, given, io, signal)
  },
})

function readReport(report: OnQueues<Discarded>): BoundReport {
  const { mode, selected, archived, notRemoved, ended, error } = report
  const held = mayBeHeld(report)
  return {
    done: mode === 'plan' ? selected : archived,
    incomplete: notRemoved > 0 || report.more || held || report.unread.length > 0,
    ended,
    because: error ?? (held ? MAY_BE_HELD : undefined),
  }
}

function discardLines(report: Discarded): readonly string[] {
  const { mode, selected, archived, looked, notRemoved, withoutPayload, plan = '' } = report
  const counted: readonly (readonly [count: number, text: string])[] = [
    [report.notPlanned, 'stay: they arrived after the plan was made'],
    [
      notRemoved,
      `kept in the table, but not removed (${report.error ?? ''}): the next run does it`,
    ],
    [withoutPayload, 'have their payload in another store, whose lifecycle rule may expire it'],
  ]
  return [
    mode === 'plan'
      ? `${deadLetterCount(selected)} of ${looked} would be taken off the queue and kept in the table`
      : `${deadLetterCount(archived)} of ${looked} taken off the queue and kept in the table. To undo it: lineclear dlq restore ${plan}`,
    ...plannedLines(report),
    ...counted.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`),
    ...goneLines(report),
    selected > 0 && report.rejected === selected ? REFUSED : REQUESTS,
    ...(report.fifo ? [FIFO_HEADS] : []),
    ...(report.more ? [MORE] : []),
  ]
}

const REQUESTS =
  'Their requests stay as they are in the table. To end one: lineclear decide ID done, if it was done by other means or left nothing; lineclear decide ID drop, if its onFailure or failure handler has to take back what it made (before the discard: onFailure needs the letter).'
/** One that has begun under an earlier version, or with another payload, may have a request. */
const REFUSED =
  'No handler has run with these payloads. There is a request to end only where lineclear explain ID finds one.'
