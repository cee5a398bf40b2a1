import { archiveDeadLetters, type ArchiveReport, type UnreadQueue } from '../operator/dlq/index.ts'
import { type BoundReport, DEAD_LETTERS, runBound } from './boundRun.ts'
import { file } from '../commands/kinds.ts'
import { type Command, command } from './command.ts'
import {
  FIFO_HEADS,
  isSelective,
  deadLetterCount,
  MORE,
  ONLY_PLANNED,
  SELECTION,
  selectionOf,
  sharedOptions,
  withProgress,
} from './dlqOptions.ts'
import { chooseForChange, QUEUE, QUEUES, unreadLines } from './dlqQueues.ts'
import { goneLines, notFoundLines, plannedLines } from './dlqSeen.ts'
import { untilInterrupted } from './interrupt.ts'
import { UsageError } from './usageError.ts'

/** The report, and what was not read of the account. */
type Archived = ArchiveReport & { readonly file: string; readonly unread: readonly UnreadQueue[] }

export const archive: Command = command({
  words: 'dlq archive',
  summary: 'write dead letters to a file, then remove them from the queue',
  about: ['An existing file is appended to.', ...ONLY_PLANNED],
  arguments: { queue: QUEUE },
  options: {
    toFile: { kind: file, help: 'the file', required: true, page: true },
    ...QUEUES,
    ...SELECTION,
  },
  examples: ['dlq archive orders-dead --reason conflict --to-file letters.jsonl'],
  changes: 'plan',
  long: true,
  receives: true,
  run: async (given, io) =>
    untilInterrupted(io.interrupt, async (signal) => {
      const { toFile } = given
      const selection = selectionOf(given)
      const { queues: queue, id, unread } = await chooseForChange(io, given)
      const run = async (bound: object): Promise<Archived> =>
        withProgress(io, 'looked at', async (progress) => {
          const shared = sharedOptions(io, progress, signal)
          const to = { file: toFile }
          const report = await archiveDeadLetters({ queue, to, ...selection, ...shared, ...bound })
          return { ...report, file: toFile, unread }
        }).catch(asUsageError)
      const change = {
        planning: DEAD_LETTERS,
        action: 'dlq archive',
        id,
        run,
        read: readReport,
        lines: archiveLines,
        notFound: notFoundLines,
        gone: goneLines,
      }
      return runBound(change, io, isSelective(given))
    }),
})

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
  const { selected, archived, looked, notRemoved, withoutPayload, mode } = report
  const head =
    mode === 'plan'
      ? `${deadLetterCount(selected)} of ${looked} would be written to ${report.file} and removed`
      : `${deadLetterCount(archived)} of ${looked} written to ${report.file} and removed`
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
