import {
  archiveDeadLetters,
  type ArchiveReport,
  discardedRows,
  type IdSet,
  type UnreadQueue,
} from '../operator/dlq/index.ts'
import { type BoundReport, DEAD_LETTERS, runBound } from './boundRun.ts'
import type { ExitCode, Io } from './command.ts'
import {
  deadLetterCount,
  FIFO_HEADS,
  isSelective,
  MORE,
  readSelection,
  SELECTION,
  sharedOptions,
  withProgress,
} from './dlqOptions.ts'
import { chooseForChange, QUEUES, unreadLines } from './dlqQueues.ts'
import { goneLines, notFoundLines, plannedLines } from './dlqSeen.ts'
import { readArgs, readDuration } from './readArgs.ts'
import { UsageError } from './usageError.ts'

const DISCARD = { ...SELECTION, ...QUEUES, keep: { type: 'string' } } as const
const MONTH = 30 * 86_400_000
/** The name of the plan, by which it is undone, is kept for 400 days. */
const LONGEST = 365 * 86_400_000

type Discarded = ArchiveReport & {
  readonly unread: readonly UnreadQueue[]
  readonly plan: string | undefined
}

/** Takes dead letters off their queue, and keeps them in the table for a time. */
export async function runDiscard(
  args: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { values, positionals: given } = readArgs(args, DISCARD)
  const selection = readSelection(values)
  const keep = readDuration('--keep', values.keep) ?? MONTH
  if (keep > LONGEST) throw new UsageError('--keep: expected at most 365d')
  const { queues: queue, id, unread } = await chooseForChange(io, given, values)
  const { plan } = io.change
  const change = {
    planning: DEAD_LETTERS,
    action: 'dlq discard',
    id,
    run: async (bound: { readonly only?: IdSet | undefined }): Promise<Discarded> =>
      withProgress(io, 'looked at', async (progress) => {
        const discarding = { plan: plan ?? '', planned: bound.only?.size ?? 0 }
        const to = { rows: discardedRows(io.store(), discarding, io.clock.now() + keep) }
        const shared = sharedOptions(io, progress, signal)
        const report = await archiveDeadLetters({ queue, to, ...selection, ...shared, ...bound })
        return { ...report, unread, plan }
      }),
    read: readReport,
    lines: discardLines,
    notFound: notFoundLines,
    gone: goneLines,
  }
  return runBound(change, io, isSelective(values))
}

function readReport({ mode, selected, archived, notRemoved, ...rest }: Discarded): BoundReport {
  const { ended, error } = rest
  return {
    done: mode === 'plan' ? selected : archived,
    incomplete: notRemoved > 0 || rest.more || rest.unread.length > 0,
    ended: ended === 'complete' ? undefined : ended === 'taken over' ? 'stopped' : 'paused',
    because: error,
  }
}

function discardLines(report: Discarded): readonly string[] {
  const { mode, selected, archived, looked, notRemoved, withoutPayload, plan } = report
  const counted: readonly (readonly [count: number, text: string])[] = [
    [report.notPlanned, 'stay: they arrived after the plan was made'],
    [notRemoved, `kept, but not removed (${report.error ?? ''}): the next run does it`],
    [withoutPayload, 'have their payload in another store, whose lifecycle rule may expire it'],
  ]
  return [
    mode === 'plan'
      ? `${deadLetterCount(selected)} of ${looked} would be taken off the queue and kept in the table`
      : `${deadLetterCount(archived)} of ${looked} taken off the queue and kept in the table. To undo it: lineclear dlq restore ${plan ?? ''}`,
    ...plannedLines(report),
    ...counted.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`),
    ...goneLines(report),
    'Their requests stay as they are in the table: lineclear tokens resolve ends a request that was done by other means, or is obsolete.',
    ...(report.fifo ? [FIFO_HEADS] : []),
    ...(report.more ? [MORE] : []),
    ...unreadLines(report.unread),
  ]
}
