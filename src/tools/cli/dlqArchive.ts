import { archiveDeadLetters, type ArchiveReport, type UnreadQueue } from '../operator/dlq/index.ts'
import { type BoundReport, DEAD_LETTERS, runBound } from './boundRun.ts'
import type { ExitCode, Io } from './command.ts'
import {
  FIFO_HEADS,
  isSelective,
  deadLetterCount,
  MORE,
  readSelection,
  SELECTION,
  sharedOptions,
  withProgress,
} from './dlqOptions.ts'
import { chooseForChange, QUEUES, unreadLines } from './dlqQueues.ts'
import { goneLines, notFoundLines, plannedLines } from './dlqSeen.ts'
import { readArgs } from './readArgs.ts'
import { UsageError } from './usageError.ts'

const ARCHIVE = { ...SELECTION, ...QUEUES, 'to-file': { type: 'string' } } as const

/** The report, and what was not read of the account. */
type Archived = ArchiveReport & { readonly file: string; readonly unread: readonly UnreadQueue[] }

export async function runArchive(
  args: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { values, positionals: given } = readArgs(args, ARCHIVE)
  const file = values['to-file']
  if (file === undefined) throw new UsageError('archive: expected --to-file FILE, got none')
  const selection = readSelection(values)
  const { queues: queue, id, unread } = await chooseForChange(io, given, values)
  const change = {
    planning: DEAD_LETTERS,
    action: 'dlq archive',
    id,
    run: async (bound: object) =>
      withProgress(io, 'looked at', async (progress): Promise<Archived> => {
        const shared = sharedOptions(io, progress, signal)
        const report = await archiveDeadLetters({
          queue,
          to: { file },
          ...selection,
          ...shared,
          ...bound,
        })
        return { ...report, file, unread }
      }).catch(asUsageError),
    read: readReport,
    lines: archiveLines,
    notFound: notFoundLines,
    gone: goneLines,
  }
  return runBound(change, io, isSelective(values))
}

/** A file that cannot be written is a wrong argument. Nothing was removed from the queue before it was on disk. */
function asUsageError(error: unknown): never {
  if (error instanceof Error && 'syscall' in error && 'path' in error) {
    throw new UsageError(`--to-file: ${error.message}`)
  }
  throw error
}

function readReport({
  mode,
  selected,
  archived,
  notRemoved,
  ended,
  ...rest
}: Archived): BoundReport {
  return {
    done: mode === 'plan' ? selected : archived,
    incomplete: notRemoved > 0 || rest.more || rest.unread.length > 0,
    ended: ended === 'complete' ? undefined : ended === 'taken over' ? 'stopped' : 'paused',
  }
}

function elsewhere(count: number): string {
  return `${deadLetterCount(count)} without their payload: it stays where peek says, and its lifecycle rule may expire it; copy it if it is needed`
}

function archiveLines(report: Archived): readonly string[] {
  const { file, selected, archived, looked, notRemoved, withoutPayload, mode } = report
  const head =
    mode === 'plan'
      ? `${deadLetterCount(selected)} of ${looked} would be written to ${file} and removed`
      : `${deadLetterCount(archived)} of ${looked} written to ${file} and removed`
  const stuck = `${notRemoved} written, but not removed (${report.error ?? ''}): the next run writes them again, and a redrive sends each once`
  return [
    head,
    ...plannedLines(report),
    ...(report.notPlanned > 0
      ? [`${report.notPlanned} stay: they arrived after the plan was made`]
      : []),
    ...goneLines(report),
    ...(notRemoved > 0 ? [stuck] : []),
    ...(withoutPayload > 0 ? [elsewhere(withoutPayload)] : []),
    ...(report.fifo ? [FIFO_HEADS] : []),
    ...(report.more ? [MORE] : []),
    ...(report.ended === 'taken over'
      ? ['Stopped: another command has taken over this plan.']
      : []),
    ...unreadLines(report.unread),
  ]
}
