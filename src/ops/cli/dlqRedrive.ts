import { access } from 'node:fs/promises'
import { redriveDeadLetters, type RedriveReport } from '../operator/dlq/index.ts'
import type { ExitCode, Io } from './command.ts'
import {
  FIFO_HEADS,
  isSelective,
  deadLetterCount,
  readCount,
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

const TEXT = { type: 'string' } as const
const REDRIVE = { ...SELECTION, to: TEXT, rate: TEXT, 'from-file': TEXT } as const

export async function runRedrive(
  args: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { values, positionals: given } = readArgs(args, REDRIVE)
  const source = await readSource(given, values['from-file'])
  const options = {
    ...readSelection(values),
    to: values.to,
    rate: readCount('--rate', values.rate),
    mode: modeOf(io),
  }
  const report = await withProgress(io, 'looked at', (progress) =>
    redriveDeadLetters({ ...source, ...options, ...sharedOptions(io, progress, signal) }),
  )
  const outcome = outcomeOfRedrive(report)
  if (io.json) printJson(io, { action: 'redrive', outcome, ...report })
  else for (const line of redriveLines(report, outcome, io)) io.out(oneLine(line))
  return exitOf(outcome, isSelective(values))
}

async function readSource(
  given: readonly string[],
  file: string | undefined,
): Promise<{ readonly queue: string } | { readonly file: string }> {
  if (file === undefined) {
    const [queue] = positionals(given, ['QUEUE'])
    return { queue }
  }
  positionals(given, [])
  try {
    await access(file)
  } catch {
    throw new UsageError(`--from-file: there is no file ${file}, or it may not be read`)
  }
  return { file }
}

function outcomeOfRedrive(report: RedriveReport): DlqOutcome {
  const { stays, refused, notRemoved, ended, unreadable, mode } = report
  const stuck =
    stays.noDestination +
    stays.unprovenSource +
    stays.tooLarge +
    refused +
    notRemoved +
    unreadable.length
  if (stuck > 0 || ended !== 'complete' || report.more) return 'incomplete'
  if (Object.keys(report.to).length === 0) return 'nothing'
  return mode === 'plan' ? 'planned' : 'applied'
}

function redriveLines(report: RedriveReport, outcome: DlqOutcome, io: Io): readonly string[] {
  const { stays, mode, fifo } = report
  const goes = Object.entries(report.to).map(
    ([url, count]) =>
      `${deadLetterCount(count)} ${mode === 'plan' ? 'would go' : 'sent'} to ${url}`,
  )
  const counted: readonly (readonly [count: number, text: string])[] = [
    [
      report.stamped,
      'of them carry no uniquerequestid: each is sent with its SQS message id, which identifies it',
    ],
    [
      stays.noDestination,
      'stay: their source queue is not known. Give --to QUEUE, and a selection if they come from several queues',
    ],
    [
      stays.unprovenSource,
      'stay: they name a source queue that does not use this dead-letter queue, so the name may be forged. Look at them, then give --to QUEUE',
    ],
    [stays.tooLarge, 'stay: with their identity they exceed the size of an SQS message'],
    [stays.newer, 'stay: they arrived after this run began'],
    [stays.notSelected, 'not selected'],
    [report.refused, `stay: their queue did not accept them (${report.error ?? ''})`],
    [
      report.notRemoved,
      `sent, but not removed (${report.error ?? ''}): the next run sends them again, and consumers drop the duplicates`,
    ],
    [
      report.unreadable.length,
      `not sent: lines ${report.unreadable.slice(0, 10).join(', ')} of the file are not dead letters, or differ from an earlier line with the same message id`,
    ],
  ]
  const notes = counted.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`)
  return [...goes, ...notes, ...(fifo ? [FIFO_HEADS] : []), ...endLines(report, outcome, io)]
}
