import {
  beginRun,
  type Bound,
  idSetBuilder,
  type IdSet,
  loadIds,
  loadOperation,
  type Operation,
  type OperationRun,
  savePlan,
} from '../operator/dlq/index.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import { audited, commandWithoutPayloads } from './audited.ts'
import type { ExitCode, Io } from './command.ts'
import { printJson } from './printJson.ts'
import { oneLine } from './table.ts'

/** How a change of dead letters came out. `incomplete`: some of them could not be changed. */
type BoundOutcome =
  | 'planned'
  | 'another plan'
  | 'applied'
  | 'nothing'
  | 'incomplete'
  | 'paused'
  | 'stopped'
  | 'running elsewhere'
  | 'missing'

/** Counts of one run. */
export interface BoundReport {
  /** Dead letters that would be changed, or were. */
  readonly done: number
  /** Some could not be changed, or not all could be looked at. */
  readonly incomplete: boolean
  /** Ended before all of them were looked at: by an operator, or because the change does not work. */
  readonly ended?: 'paused' | 'stopped' | undefined
}

interface BoundChange<Report> {
  /** `dlq redrive`, …. */
  readonly action: string
  /** What is changed, for the audit: queue or file. */
  readonly id: string
  readonly run: (bound: Bound & { readonly mode: 'plan' | 'apply' }) => Promise<Report>
  readonly read: (report: Report) => BoundReport
  /** Of a plan or of what was done, for a terminal. */
  readonly lines: (report: Report) => readonly string[]
}

/**
 * Prints the plan of a change of many dead letters, and keeps their ids under its name. `--apply NAME` changes exactly these.
 * `selective`: a selection that matches nothing counts as not found.
 */
export async function runBound<Report extends object>(
  change: BoundChange<Report>,
  io: Io,
  selective: boolean,
): Promise<ExitCode> {
  const name = io.change.plan
  if (!io.change.apply || name === undefined) return showPlan(change, io, selective)
  const operation = await loadOperation(io.store(), name)
  const ids = operation && (await loadIds(io.store(), name))
  if (operation === undefined || ids === undefined) return say(io, change, 'missing', noPlan(name))
  if (JSON.stringify(operation.args) !== JSON.stringify(io.change.args)) {
    return say(io, change, 'another plan', [
      `Refused: nothing was changed. The plan ${name} is of another command:`,
      `  ${commandWithoutPayloads(operation.args)} --apply ${name}`,
    ])
  }
  return apply(change, io, { operation, ids })
}

async function showPlan<Report extends object>(
  change: BoundChange<Report>,
  io: Io,
  selective: boolean,
): Promise<ExitCode> {
  const planned = idSetBuilder()
  const report = await change.run({ mode: 'plan', onPlanned: planned.add })
  const { done, incomplete, ended } = change.read(report)
  const { apply: applies, by, args, line } = io.change
  const head = { action: change.action, ...report }
  if (ended !== undefined) {
    return print(io, { ...head, outcome: 'incomplete' }, 1, [
      ...change.lines(report),
      'Interrupted: there is no plan. Nothing was changed.',
    ])
  }
  if (done === 0) {
    const outcome = incomplete ? 'incomplete' : 'nothing'
    const lines = incomplete ? change.lines(report) : [NOTHING]
    return print(io, { ...head, outcome }, incomplete ? 1 : selective ? 4 : 0, lines)
  }
  const plan = await savePlan(
    io.store(),
    { action: change.action, args, by },
    planned.finish(),
    io.clock.now(),
  )
  const outcome = applies ? 'another plan' : 'planned'
  const said = applies
    ? 'Nothing was changed: --apply expects the name of the plan that you have seen. This is the plan. To make the change:'
    : 'Nothing was changed: this is the plan. To make the change:'
  const why = io.change.why === undefined ? ' --why "…"' : ''
  return print(io, { ...head, outcome, plan }, applies || incomplete ? 1 : 0, [
    ...change.lines(report),
    said,
    `  ${line} --apply ${plan}${why}`,
  ])
}

const NOTHING = 'Nothing to do: no dead letter matches.'

function noPlan(name: string): readonly string[] {
  return [
    `There is no plan ${name} in the table: plans are kept for 15 days. Nothing was changed. Run the command without --apply.`,
  ]
}

async function apply<Report extends object>(
  change: BoundChange<Report>,
  io: Io,
  { operation, ids }: { readonly operation: Operation; readonly ids: IdSet },
): Promise<ExitCode> {
  const { by, why = 'no reason given', force, args } = io.change
  const begun = await beginRun(io.store(), operation, { by, force, clock: io.clock })
  if (!('report' in begun)) return say(io, change, 'running elsewhere', elsewhere(begun, io))
  const { name } = operation
  const entry = { action: change.action, id: change.id, plan: name, by, why }
  let found: { readonly report: Report; readonly outcome: BoundOutcome } | undefined
  await audited(io, { ...entry, command: commandWithoutPayloads(args) }, async () => {
    found = await work(change, begun, ids)
    const { done } = change.read(found.report)
    return `${found.outcome}: ${done} of ${ids.size}`
  })
  if (found === undefined) return 3
  const { report, outcome } = found
  const nothing = outcome === 'nothing' ? [NOTHING_LEFT] : change.lines(report)
  return print(
    io,
    { action: change.action, ...report, outcome, plan: name },
    outcome === 'applied' || outcome === 'nothing' ? 0 : 1,
    [...nothing, ...nextLines(outcome, name, by)],
  )
}

const NOTHING_LEFT = 'Nothing to do: no dead letter of the plan is left.'

async function work<Report>(
  { run, read }: BoundChange<Report>,
  begun: OperationRun,
  only: IdSet,
): Promise<{ readonly report: Report; readonly outcome: BoundOutcome }> {
  let dealtWith = 0
  const onPage = async (done: number): ReturnType<OperationRun['report']> => {
    dealtWith = done
    return begun.report(done)
  }
  const report = await run({ mode: 'apply', only, onPage }).catch(async (error: unknown) => {
    await begun.end('stopped', dealtWith).catch(() => {})
    throw error
  })
  const { done, incomplete, ended } = read(report)
  const outcome = ended ?? (incomplete ? 'incomplete' : done === 0 ? 'nothing' : 'applied')
  // The dead letters are dealt with. A lost write leaves the row `running` until its lease ends.
  await begun.end(STATES[outcome], done).catch(() => {})
  return { report, outcome }
}

const STATES = {
  paused: 'paused',
  stopped: 'stopped',
  incomplete: 'stopped',
  nothing: 'done',
  applied: 'done',
} as const

function nextLines(outcome: BoundOutcome, name: string, by: string): readonly string[] {
  switch (outcome) {
    case 'applied':
      return [`Done, and recorded as done by ${by}.`]
    case 'paused':
      return [`Paused. To go on: lineclear dlq resume ${name}`]
    case 'stopped':
    case 'incomplete':
      return [`The rest stays. To try it again: lineclear dlq resume ${name}`]
    default:
      return []
  }
}

function elsewhere({ name, by, leaseUntil }: Operation, io: Io): readonly string[] {
  return [
    `Refused: ${by} is applying the plan ${name} at the moment. Nothing was changed. lineclear dlq pause ${name} pauses it; if that ` +
      `command was killed, wait until ${formatTime(leaseUntil, io.clock.now())}, or give --force.`,
  ]
}

function say(
  io: Io,
  { action }: Pick<BoundChange<never>, 'action'>,
  outcome: BoundOutcome,
  lines: readonly string[],
): ExitCode {
  return print(io, { action, outcome, plan: io.change.plan }, outcome === 'missing' ? 4 : 1, lines)
}

function print(
  io: Io,
  found: Readonly<Record<string, unknown>>,
  exit: ExitCode,
  lines: readonly string[],
): ExitCode {
  if (io.json) printJson(io, found)
  else for (const line of lines) io.out(oneLine(line))
  return exit
}
