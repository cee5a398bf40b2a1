import { archiveDeadLetters, type ArchiveReport } from '../operator/dlq/archive.ts'
import { discardedRows } from '../operator/dlq/discarded.ts'
import type { IdSet } from '../operator/dlq/idSet.ts'
import type { UnreadQueue } from '../operator/dlq/findQueues.ts'
import { type BoundReport, DEAD_LETTERS, runBound } from './boundRun.ts'
import { duration, file } from '../commands/kinds.ts'
import { optionWord } from '../operator/text/commandLine.ts'
import { type Command, command } from './command.ts'
import {
  deadLetterCount,
  FIFO_HEADS,
  isSelective,
  MAY_BE_HELD,
  mayBeHeld,
  MORE,
  ONLY_PLANNED,
  SELECTION,
  selectionOf,
  sharedOptions,
  withProgress,
  goneLines,
  notFoundLines,
  plannedLines,
} from './dlqOptions.ts'
import { chooseForChange, QUEUE, QUEUES, unreadLines } from './dlqQueues.ts'
import { UsageError } from './usageError.ts'

/** The name of the plan, by which it is undone, is kept for 400 days. */
const LONGEST = 365 * 86_400_000

type Discarded = ArchiveReport & {
  /** undefined: in the table, under the name of the plan. */
  readonly file: string | undefined
  readonly plan: string | undefined
  readonly unread: readonly UnreadQueue[]
}

export const discard: Command = command({
  words: 'dlq discard',
  summary:
    'take dead letters off the queue, and keep them in the table or in a file; their requests stay as they are',
  about: ONLY_PLANNED,
  arguments: { queue: QUEUE },
  options: {
    ...QUEUES,
    ...SELECTION,
    keep: { kind: duration, help: 'in the table for how long', default: '30d', page: true },
    toFile: { kind: file, help: 'append them to it instead; dlq redrive --from-file sends them' },
  },
  examples: [
    'dlq discard orders-dead --reason conflict',
    'dlq discard orders-dead --to-file letters.jsonl',
  ],
  changes: 'plan',
  long: true,
  receives: true,
  run: async (given, io, signal) => {
    const { keep, toFile } = given
    const selection = selectionOf(given)
    if (keep > LONGEST) throw new UsageError('--keep: expected at most 365d')
    const { queues: queue, id, unread } = await chooseForChange(io, given)
    const { plan } = io.change
    const run = async (bound: { readonly only?: IdSet | undefined }): Promise<Discarded> =>
      withProgress(io, 'looked at', async (progress) => {
        const discarding = { plan: plan ?? '', planned: bound.only?.size ?? 0 }
        const to =
          toFile === undefined
            ? { rows: discardedRows(io.store(), discarding, io.clock.now() + keep) }
            : { file: toFile }
        const shared = sharedOptions(io, progress, signal)
        const report = await archiveDeadLetters({ queue, to, ...selection, ...shared, ...bound })
        return { ...report, file: toFile, unread, plan }
      }).catch(asUsageError)
    const change = {
      planning: DEAD_LETTERS,
      action: 'dlq discard',
      id,
      run,
      read: readReport,
      lines: discardLines,
      notFound: notFoundLines,
      gone: goneLines,
    }
    return runBound(change, io, isSelective(given))
  },
})

/** A file that cannot be written is a wrong argument. Nothing was removed from the queue before it was on disk. */
function asUsageError(error: unknown): never {
  if (error instanceof Error && 'syscall' in error && 'path' in error) {
    throw new UsageError(`--to-file: ${error.message}`)
  }
  throw error
}

function readReport(report: Discarded): BoundReport {
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
  const {
    mode,
    selected,
    archived,
    looked,
    notRemoved,
    withoutPayload,
    plan,
    file: written,
  } = report
  const kept = written === undefined ? 'kept in the table' : `written to ${written}`
  const undo =
    written === undefined
      ? `To undo it: lineclear dlq restore ${plan ?? ''}`
      : `To send them: lineclear dlq redrive ${optionWord('--from-file', written)} --to QUEUE`
  const counted: readonly (readonly [count: number, text: string])[] = [
    [report.notPlanned, 'stay: they arrived after the plan was made'],
    [notRemoved, `${kept}, but not removed (${report.error ?? ''}): the next run does it`],
    [withoutPayload, 'have their payload in another store, whose lifecycle rule may expire it'],
  ]
  return [
    mode === 'plan'
      ? `${deadLetterCount(selected)} of ${looked} would be taken off the queue and ${kept}`
      : `${deadLetterCount(archived)} of ${looked} taken off the queue and ${kept}. ${undo}`,
    ...plannedLines(report),
    ...counted.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`),
    ...goneLines(report),
    'Their requests stay as they are in the table: lineclear decide ID done ends a request that was done by other means, or is obsolete.',
    ...(report.fifo ? [FIFO_HEADS] : []),
    ...(report.more ? [MORE] : []),
    ...unreadLines(report.unread),
  ]
}
