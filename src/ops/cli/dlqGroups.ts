import { isoTime } from '../../isoTime.ts'
import { groupDeadLetters, type DeadLetterGroup, type GroupReport } from '../operator/dlq/index.ts'
import { formatDuration } from '../operator/text/humanTime.ts'
import type { ExitCode, Io } from './command.ts'
import {
  FIFO_HEADS,
  deadLetterCount,
  readSelection,
  SELECTION,
  sharedOptions,
  withProgress,
} from './dlqOptions.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs } from './readArgs.ts'
import { tableLines } from './table.ts'

export async function runGroups(
  args: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { values, positionals: given } = readArgs(args, SELECTION)
  const [queue] = positionals(given, ['QUEUE'])
  const selection = readSelection(values)
  const report = await withProgress(io, 'looked at', (progress) =>
    groupDeadLetters({ queue, ...selection, ...sharedOptions(io, progress, signal) }),
  )
  if (io.json) printJson(io, { ...report, groups: report.groups.map(groupJson) })
  else printGroups(report, io)
  return 0
}

function groupJson(group: DeadLetterGroup): object {
  return { ...group, oldest: isoTime(group.oldest), newest: isoTime(group.newest) }
}

const HEAD = ['GROUP', 'COUNT', 'ORIGIN', 'REASON', 'ERROR', 'OLDEST', 'NEWEST', 'EXAMPLE']

function printGroups({ groups, looked, more, fifo }: GroupReport, io: Io): void {
  const ago = (time: number): string => formatDuration(Math.max(0, io.clock.now() - time))
  const rows = groups.map(({ group, count, origin, reason, error, oldest, newest, example }) => [
    group,
    String(count),
    origin,
    reason,
    error,
    ago(oldest),
    ago(newest),
    example,
  ])
  if (rows.length > 0) for (const line of tableLines(HEAD, rows, io.width)) io.out(line)
  io.out(`${deadLetterCount(looked)} looked at${more ? '; there are more' : ''}`)
  if (fifo) io.out(FIFO_HEADS)
}
