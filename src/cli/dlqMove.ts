import { access } from 'node:fs/promises'
import {
  archiveLetters,
  type ArchiveReport,
  type IdentityRule,
  redriveLetters,
  type RedriveReport,
} from '../operator/dlq/index.ts'
import type { ExitCode, Io } from './command.ts'
import {
  FIFO_HEADS,
  isSelective,
  letters,
  readCount,
  readSelection,
  SELECTION,
  shared,
  withProgress,
} from './dlqOptions.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs } from './readArgs.ts'
import { oneLine } from './table.ts'
import { UsageError } from './usageError.ts'

type Outcome = 'planned' | 'applied' | 'nothing' | 'incomplete'

const TEXT = { type: 'string' } as const
const REDRIVE = { ...SELECTION, to: TEXT, rate: TEXT, identity: TEXT, 'from-file': TEXT } as const
const ARCHIVE = { ...SELECTION, 'to-file': TEXT } as const

export async function redrive(
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
    identity: readIdentity(values.identity),
    mode: modeOf(io),
  }
  const report = await withProgress(io, 'looked at', (progress) =>
    redriveLetters({ ...source, ...options, ...shared(io, progress, signal) }),
  )
  const outcome = outcomeOfRedrive(report)
  if (io.json) printJson(io, { action: 'redrive', outcome, ...report })
  else for (const line of redriveLines(report, outcome, options.identity, io)) io.out(oneLine(line))
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

function readIdentity(text: string | undefined): IdentityRule | undefined {
  if (text === undefined || text === 'auto' || text === 'message' || text === 'payload') return text
  throw new UsageError(`--identity: expected auto, message or payload; got ${JSON.stringify(text)}`)
}

function modeOf(io: Io): 'plan' | 'apply' {
  return io.change.apply ? 'apply' : 'plan'
}

/** Of a selection that nothing meets: not found. */
function exitOf(outcome: Outcome, selective: boolean): ExitCode {
  if (outcome === 'nothing') return selective ? 4 : 0
  return outcome === 'incomplete' ? 1 : 0
}

function outcomeOfRedrive(report: RedriveReport): Outcome {
  const { stays, refused, notRemoved, ended, unreadable, mode } = report
  const stuck = stays.noDestination + stays.tooLarge + refused + notRemoved + unreadable.length
  if (stuck > 0 || ended !== 'complete' || report.more) return 'incomplete'
  if (Object.keys(report.to).length === 0) return 'nothing'
  return mode === 'plan' ? 'planned' : 'applied'
}

function redriveLines(
  report: RedriveReport,
  outcome: Outcome,
  identity: IdentityRule | undefined,
  io: Io,
): readonly string[] {
  const { stays, mode, fifo } = report
  const goes = Object.entries(report.to).map(
    ([url, count]) => `${letters(count)} ${mode === 'plan' ? 'would go' : 'sent'} to ${url}`,
  )
  const told: readonly (readonly [count: number, text: string])[] = [
    [report.stamped, stampNote(identity)],
    [
      stays.noDestination,
      'stay: it is not said where they came from. Give --to QUEUE, and a selection if they are of several',
    ],
    [stays.tooLarge, 'stay: with their identity they are too large for a message'],
    [stays.newer, 'stay: they came after the start'],
    [stays.notSelected, 'not selected'],
    [report.refused, `stay: their queue has not taken them (${report.error ?? ''})`],
    [report.notRemoved, `sent, but not removed (${report.error ?? ''}): the next run sends copies`],
    [report.unreadable.length, `unreadable: lines ${report.unreadable.slice(0, 10).join(', ')}`],
  ]
  const notes = told.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`)
  return [...goes, ...notes, ...(fifo ? [FIFO_HEADS] : []), ...endLines(report, outcome, io)]
}

function stampNote(identity: IdentityRule | undefined): string {
  const note = 'of them carry no identity and get their SQS message id as their uniquerequestid'
  return identity === undefined
    ? `${note}. If their consumer has the option id(payload), give --identity payload: else what ran once may run again`
    : note
}

export async function archive(
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
    archiveLetters({
      queue,
      file,
      mode: modeOf(io),
      ...selection,
      ...shared(io, progress, signal),
    }),
  ).catch(asUsageError)
  const outcome = outcomeOfArchive(report)
  if (io.json) printJson(io, { action: 'archive', outcome, file, ...report })
  else for (const line of archiveLines(report, outcome, file, io)) io.out(oneLine(line))
  return exitOf(outcome, isSelective(values))
}

/** A file that cannot be written is a wrong argument; nothing was removed without being on the disk. */
function asUsageError(error: unknown): never {
  if (error instanceof Error && 'syscall' in error && 'path' in error) {
    throw new UsageError(`--to-file: ${error.message}`)
  }
  throw error
}

function outcomeOfArchive({ selected, notRemoved, ended, more, mode }: ArchiveReport): Outcome {
  if (notRemoved > 0 || ended !== 'complete' || more) return 'incomplete'
  if (selected === 0) return 'nothing'
  return mode === 'plan' ? 'planned' : 'applied'
}

function archiveLines(
  report: ArchiveReport,
  outcome: Outcome,
  file: string,
  io: Io,
): readonly string[] {
  const { selected, archived, looked, notRemoved, mode } = report
  const head =
    mode === 'plan'
      ? `${letters(selected)} of ${looked} would be written to ${file} and removed`
      : `${letters(archived)} of ${looked} written to ${file} and removed`
  const stuck = `${notRemoved} written, but not removed (${report.error ?? ''}): the next run writes copies, which are read once`
  return [
    head,
    ...(notRemoved > 0 ? [stuck] : []),
    ...(report.fifo ? [FIFO_HEADS] : []),
    ...endLines(report, outcome, io),
  ]
}

/** What was reached, and what to do next. */
function endLines(
  { mode, ended, more }: Pick<ArchiveReport, 'mode' | 'more'> & Pick<RedriveReport, 'ended'>,
  outcome: Outcome,
  io: Io,
): readonly string[] {
  if (outcome === 'nothing') return ['Nothing to do: no such letter is there.']
  if (ended === 'stopped')
    return ['Stopped: nothing of the last letters was accepted. Run it again.']
  if (ended === 'aborted') return ['Interrupted. Run it again to go on.']
  const rest = more ? ['There are more letters than can be held at once. Run it again.'] : []
  if (mode === 'apply') return rest
  return [
    ...rest,
    'Nothing was changed: this is the plan. To carry it out:',
    `  ${io.change.line} --apply`,
  ]
}
