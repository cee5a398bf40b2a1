import {
  archiveDeadLetters,
  type ArchiveReport,
  discardedRows,
  type IdSet,
  loadOperation,
  planRestore,
  type RestoreReport,
  restoreDiscarded,
  type UnreadQueue,
} from '../operator/dlq/index.ts'
import { audited, commandWithoutPayloads } from './audited.ts'
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
import { printJson } from './printJson.ts'
import { notFoundLines, plannedLines } from './dlqSeen.ts'
import { positionals, readArgs, readDuration } from './readArgs.ts'
import { oneLine } from './table.ts'
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
    [report.notPlanned, 'stay: they are not of the plan, because they arrived later'],
    [report.missing, 'of the plan are not on the queue any more, or another reader holds them'],
    [report.untried, 'of the plan were not tried: they stay on the queue'],
    [notRemoved, `kept, but not removed (${report.error ?? ''}): the next run does it`],
    [withoutPayload, 'have their payload elsewhere: its lifecycle rule may expire it'],
  ]
  return [
    mode === 'plan'
      ? `${deadLetterCount(selected)} of ${looked} would be taken off the queue and kept in the table`
      : `${deadLetterCount(archived)} of ${looked} taken off the queue and kept in the table. To undo it: lineclear dlq restore ${plan ?? ''}`,
    ...plannedLines(report),
    ...counted.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`),
    'Their requests stay as they are in the table: lineclear tokens resolve ends one that was done, or is not wanted any more.',
    ...(report.fifo ? [FIFO_HEADS] : []),
    ...(report.more ? [MORE] : []),
    ...unreadLines(report.unread),
  ]
}

type RestoreOutcome = 'planned' | 'another plan' | 'applied' | 'nothing' | 'incomplete' | 'missing'
const EXIT: Readonly<Record<RestoreOutcome, ExitCode>> = {
  planned: 0,
  applied: 0,
  nothing: 0,
  'another plan': 1,
  incomplete: 1,
  missing: 4,
}

/** Puts what a plan has discarded back on its queue. */
export async function runRestore(
  args: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { positionals: given } = readArgs(args, {})
  const [plan] = positionals(given, ['PLAN'])
  const operation = await loadOperation(io.store(), plan)
  if (operation?.action !== 'dlq discard') return report(io, plan, 'missing', undefined)
  const clients = { sqs: io.sqs(), store: io.store(), reader: io.reader() }
  const options = { ...clients, plan, planned: operation.planned, now: io.clock.now(), signal }
  const planned = await planRestore(options)
  const { apply, plan: name, by, why = 'no reason given' } = io.change
  if (planned.kept === 0) return report(io, plan, 'nothing', planned)
  if (!apply) return report(io, plan, 'planned', planned)
  if (name !== planned.name) return report(io, plan, 'another plan', planned)
  const entry = { action: 'dlq restore', id: plan, plan: name, by, why }
  const command = commandWithoutPayloads(io.change.args)
  let restored = planned
  const outcome = await audited(io, { ...entry, command }, async () => {
    restored = await restoreDiscarded(options, name)
    return restored.restored === planned.kept ? 'applied' : 'incomplete'
  })
  return report(io, plan, outcome, restored)
}

function report(
  io: Io,
  discarded: string,
  outcome: RestoreOutcome,
  found: RestoreReport | undefined,
): ExitCode {
  const { name, ...counts } = found ?? {}
  if (io.json) printJson(io, { action: 'dlq restore', discarded, outcome, plan: name, ...counts })
  else for (const line of restoreLines(io, discarded, outcome, found)) io.out(oneLine(line))
  return EXIT[outcome]
}

function restoreLines(
  { change }: Io,
  discarded: string,
  outcome: RestoreOutcome,
  found: RestoreReport | undefined,
): readonly string[] {
  if (outcome === 'missing')
    return [`There is no plan ${discarded} that has discarded dead letters.`]
  if (found === undefined || outcome === 'nothing') {
    return ['Nothing to do: no dead letter of it is kept that was not put back.']
  }
  if (outcome === 'planned' || outcome === 'another plan') {
    return [
      `${deadLetterCount(found.kept)} would be put back on the dead-letter queue`,
      'SQS gives each another message id, and its time on the queue begins anew; its identity stays.',
      outcome === 'planned'
        ? 'Nothing was changed: this is the plan. To make the change:'
        : 'Nothing was changed: --apply expects the name of the plan that you have seen. This is the plan. To make the change:',
      `  ${change.line} --apply ${found.name}${change.why === undefined ? ' --why "…"' : ''}`,
    ]
  }
  return [
    `${deadLetterCount(found.restored)} put back on the dead-letter queue`,
    ...(found.refused > 0
      ? [`${found.refused} not accepted (${found.error ?? ''}): they stay in the table`]
      : []),
    ...(outcome === 'applied'
      ? [`Done, and recorded as done by ${change.by}.`]
      : ['Run the command again.']),
  ]
}
