import { archiveDeadLetters, type ArchiveReport } from '../operator/dlq/index.ts'
import type { ExitCode, Io } from './command.ts'
import {
  FIFO_HEADS,
  isSelective,
  deadLetterCount,
  readSelection,
  SELECTION,
  sharedOptions,
  withProgress,
} from './dlqOptions.ts'
import { endLines, exitOf, modeOf, type DlqOutcome } from './dlqOutcome.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs } from './readArgs.ts'
import { oneLine } from './table.ts'
import { UsageError } from './usageError.ts'

const ARCHIVE = { ...SELECTION, 'to-file': { type: 'string' } } as const

export async function runArchive(
  args: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { values, positionals: given } = readArgs(args, ARCHIVE)
  const [queue] = positionals(given, ['QUEUE'])
  const file = values['to-file']
  if (file === undefined) throw new UsageError('archive: expected --to-file FILE, got none')
  const selection = readSelection(values)
  const report = await withProgress(io, 'looked at', (progress) =>
    archiveDeadLetters({
      queue,
      file,
      mode: modeOf(io),
      ...selection,
      ...sharedOptions(io, progress, signal),
    }),
  ).catch(asUsageError)
  const outcome = outcomeOfArchive(report)
  if (io.json) printJson(io, { action: 'archive', outcome, file, ...report })
  else for (const line of archiveLines(report, outcome, file, io)) io.out(oneLine(line))
  return exitOf(outcome, isSelective(values))
}

/** A file that cannot be written is a wrong argument. Nothing was removed from the queue before it was on disk. */
function asUsageError(error: unknown): never {
  if (error instanceof Error && 'syscall' in error && 'path' in error) {
    throw new UsageError(`--to-file: ${error.message}`)
  }
  throw error
}

function outcomeOfArchive({ selected, notRemoved, ended, more, mode }: ArchiveReport): DlqOutcome {
  if (notRemoved > 0 || ended !== 'complete' || more) return 'incomplete'
  if (selected === 0) return 'nothing'
  return mode === 'plan' ? 'planned' : 'applied'
}

function elsewhere(count: number): string {
  return `${deadLetterCount(count)} without their payload: it stays where peek says, and its lifecycle rule may expire it; copy it if it is needed`
}

function archiveLines(
  report: ArchiveReport,
  outcome: DlqOutcome,
  file: string,
  io: Io,
): readonly string[] {
  const { selected, archived, looked, notRemoved, withoutPayload, mode } = report
  const head =
    mode === 'plan'
      ? `${deadLetterCount(selected)} of ${looked} would be written to ${file} and removed`
      : `${deadLetterCount(archived)} of ${looked} written to ${file} and removed`
  const stuck = `${notRemoved} written, but not removed (${report.error ?? ''}): the next run writes them again, and a redrive sends each once`
  return [
    head,
    ...(notRemoved > 0 ? [stuck] : []),
    ...(withoutPayload > 0 ? [elsewhere(withoutPayload)] : []),
    ...(report.fifo ? [FIFO_HEADS] : []),
    ...endLines(report, outcome, io),
  ]
}
