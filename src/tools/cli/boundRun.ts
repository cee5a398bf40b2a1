import {
  beginRun,
  idSetBuilder,
  type IdSet,
  loadIds,
  loadOperation,
  type Operation,
  type OperationRun,
  type PlanContents,
  type PlannedLetter,
  savePlan,
} from '../operator/dlq/index.ts'
import { messageOf } from '../../base/errors.ts'
import type { Store } from '../../store/store.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import { argsWithoutPayloads, audited, commandWithoutPayloads } from './audited.ts'
import type { ExitCode, Io } from './command.ts'
import { printJson } from './printJson.ts'
import { oneLine } from './table.ts'

/** How a change of many items came out. `incomplete`: some of them could not be changed. */
type BoundOutcome =
  | 'planned'
  | 'another plan'
  | 'applied'
  | 'nothing'
  | 'incomplete'
  | 'paused'
  | 'stopped'
  | 'failed again'
  | 'running elsewhere'
  | 'missing'

/** Counts of one run. */
export interface BoundReport {
  /** Those that would be changed, or were. */
  readonly done: number
  /** Some could not be changed, or not all could be looked at. */
  readonly incomplete: boolean
  /** Of those that were changed: what they are for has failed again. */
  readonly failed?: number | undefined
  /** Ended before all of them were looked at: by an operator, or because the change does not work. */
  readonly ended?: 'paused' | 'stopped' | undefined
  /** Why not all of them were changed. */
  readonly because?: string | undefined
}

/** What a plan is made of, and how it is kept. */
export interface Planning<Entry, Contents extends PlanContents> {
  /** Said when nothing is selected, and when nothing of a plan is left. */
  readonly nothing: string
  readonly nothingLeft: string
  readonly collect: () => { add(entry: Entry): void; finish(): Contents }
  /** undefined: what was kept is not whole. */
  readonly load: (store: Store, name: string) => Promise<Contents | undefined>
  /** The command that goes on with a plan. */
  readonly again: (name: string, io: Io) => string
}

/** Dead letters, by their SQS message ids. */
export const DEAD_LETTERS: Planning<PlannedLetter, IdSet> = {
  nothing: 'Nothing to do: no dead letter matches.',
  nothingLeft: 'Nothing to do: no dead letter of the plan is left.',
  collect: idSetBuilder,
  load: loadIds,
  again: (name) => `lineclear dlq resume ${name}`,
}

/** How a run is bound to the plan that was shown. */
export interface BoundTo<Entry, Contents> {
  readonly mode: 'plan' | 'apply'
  /** When it is applied: nothing else is changed. */
  readonly only?: Contents
  /** How many of them earlier runs have dealt with. */
  readonly dealtWith?: number
  /** In a plan: called with each item that would be changed. */
  readonly onPlanned?: (entry: Entry) => void
  /** Called after each page with the number of items that are dealt with. Anything but `go on` ends the run. */
  readonly onPage?: OperationRun['report']
}

interface BoundChange<Report, Entry, Contents extends PlanContents> {
  readonly planning: Planning<Entry, Contents>
  /** `dlq redrive`, …. */
  readonly action: string
  /** What is changed, for the audit: queue, file or group. */
  readonly id: string
  readonly run: (bound: BoundTo<Entry, Contents>) => Promise<Report>
  readonly read: (report: Report) => BoundReport
  /** When a selection matches nothing. Default: `planning.nothing`. */
  readonly notFound?: (report: Report) => readonly string[]
  /** What of a plan was not there, when nothing of it was changed. */
  readonly gone?: (report: Report) => readonly string[]
  /** Of a plan or of what was done, for a terminal. */
  readonly lines: (report: Report) => readonly string[]
}

/**
 * Prints the plan of a change of many items, and keeps them under its name. `--apply NAME` changes exactly these.
 * `selective`: a selection that matches nothing counts as not found.
 */
export async function runBound<Report extends object, Entry, Contents extends PlanContents>(
  change: BoundChange<Report, Entry, Contents>,
  io: Io,
  selective: boolean,
): Promise<ExitCode> {
  const name = io.change.plan
  if (!io.change.apply || name === undefined) return showPlan(change, io, selective)
  const operation = await loadOperation(io.store(), name)
  const contents = operation && (await change.planning.load(io.store(), name))
  if (operation === undefined || contents === undefined)
    return say(io, change, 'missing', noPlan(name))
  if (JSON.stringify(operation.args) !== JSON.stringify(argsWithoutPayloads(io.change.args))) {
    return say(io, change, 'another plan', [
      `Refused: nothing was changed. The plan ${name} is of another command:`,
      `  ${commandWithoutPayloads(operation.args)} --apply ${name}`,
    ])
  }
  return apply(change, io, { operation, contents })
}

async function showPlan<Report extends object, Entry, Contents extends PlanContents>(
  change: BoundChange<Report, Entry, Contents>,
  io: Io,
  selective: boolean,
): Promise<ExitCode> {
  const { collect, nothing } = change.planning
  const planned = collect()
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
    const none = selective ? change.notFound?.(report) : undefined
    const lines = incomplete ? change.lines(report) : (none ?? [nothing])
    return print(io, { ...head, outcome }, incomplete ? 1 : selective ? 4 : 0, lines)
  }
  const plan = await savePlan(
    io.store(),
    { action: change.action, args: argsWithoutPayloads(args), by },
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

function noPlan(name: string): readonly string[] {
  return [
    `There is no plan ${name} in the table: plans are kept for 15 days. Nothing was changed. Run the command without --apply.`,
  ]
}

async function apply<Report extends object, Entry, Contents extends PlanContents>(
  change: BoundChange<Report, Entry, Contents>,
  io: Io,
  { operation, contents }: { readonly operation: Operation; readonly contents: Contents },
): Promise<ExitCode> {
  const { by, why = 'no reason given', force, args } = io.change
  const begun = await beginRun(io.store(), operation, { by, force, clock: io.clock })
  if (!('report' in begun)) return say(io, change, 'running elsewhere', elsewhere(begun, io))
  const { name } = operation
  const entry = { action: change.action, id: change.id, plan: name, by, why }
  let found: { readonly report: Report; readonly outcome: BoundOutcome } | undefined
  await audited(io, { ...entry, command: commandWithoutPayloads(args) }, async () => {
    found = await work(change, begun, { only: contents, dealtWith: operation.done })
    const { done } = change.read(found.report)
    return `${found.outcome}: ${done} of ${contents.size}`
  })
  if (found === undefined) return 3
  const { report, outcome } = found
  const { nothingLeft, again } = change.planning
  const lines =
    outcome === 'nothing' ? [nothingLeft, ...(change.gone?.(report) ?? [])] : change.lines(report)
  return print(
    io,
    { action: change.action, ...report, outcome, plan: name },
    outcome === 'applied' || outcome === 'nothing' ? 0 : 1,
    [...lines, ...nextLines(outcome, again(name, io), by)],
  )
}

async function work<Report, Entry, Contents extends PlanContents>(
  { run, read }: BoundChange<Report, Entry, Contents>,
  begun: OperationRun,
  bound: { readonly only: Contents; readonly dealtWith: number },
): Promise<{ readonly report: Report; readonly outcome: BoundOutcome }> {
  let dealtWith = 0
  const onPage: OperationRun['report'] = async (done, pace) => {
    dealtWith = done
    return begun.report(done, pace)
  }
  const report = await run({ mode: 'apply', ...bound, onPage }).catch(async (error: unknown) => {
    await begun.end('stopped', dealtWith, { because: messageOf(error) }).catch(() => {})
    throw error
  })
  const outcome = outcomeOf(read(report))
  const { done, failed, because } = read(report)
  // They are dealt with. A lost write leaves the row `running` until its lease ends.
  const result = { failed, because: STATES[outcome] === 'stopped' ? because : undefined }
  await begun.end(STATES[outcome], done, result).catch(() => {})
  return { report, outcome }
}

function outcomeOf({ done, incomplete, failed = 0, ended }: BoundReport): keyof typeof STATES {
  if (ended !== undefined) return ended
  if (incomplete) return 'incomplete'
  return failed > 0 ? 'failed again' : done === 0 ? 'nothing' : 'applied'
}

const STATES = {
  paused: 'paused',
  stopped: 'stopped',
  incomplete: 'stopped',
  nothing: 'done',
  'failed again': 'done',
  applied: 'done',
} as const

function nextLines(outcome: BoundOutcome, again: string, by: string): readonly string[] {
  switch (outcome) {
    case 'applied':
      return [`Done, and recorded as done by ${by}.`]
    case 'failed again':
      return [`Recorded as done by ${by}, but some of them have not completed.`]
    case 'paused':
      return [`Paused. To resume: ${again}`]
    case 'stopped':
    case 'incomplete':
      return [`The rest stays. To try it again: ${again}`]
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
  { action }: { readonly action: string },
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
