import {
  beginRun,
  loadOperation,
  type BulkOperation,
  type OperationRun,
} from '../operator/dlq/operation.ts'
import { loadPlan, savePlan } from '../operator/dlq/operationPlan.ts'
import { messageOf } from '../../library/base/errors.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import {
  printChange,
  applyChange,
  lineToApply,
  type Made,
  type Operator,
  type ChangeOutcome,
  showPlan,
} from './change.ts'
import type { ExitCode, Io } from './command.ts'
import { argsWithoutPayloads, commandWithoutPayloads } from './payloads.ts'

export interface BoundReport {
  /** Those that would be changed, or were. */
  readonly done: number
  /** Some could not be changed, or not all could be looked at. */
  readonly incomplete: boolean
  /** How many of the changed ones have failed again. */
  readonly failed?: number | undefined
  readonly ended: keyof typeof ENDED
  readonly because?: string | undefined
}

/** Why a run ended, and the state that its plan is left in; undefined: all of them were looked at. */
const ENDED = {
  complete: undefined,
  aborted: 'paused',
  stopped: 'stopped',
  failing: 'stopped',
  'taken over': 'stopped',
} as const

/** How the plans of some kind of item speak of them. */
export interface Planning {
  /** Why there is nothing to do: nothing is selected; nothing of a plan is left. */
  readonly nothing: string
  readonly nothingLeft: string
  readonly again: (name: string, io: Io) => string
}

export const DEAD_LETTERS: Planning = {
  nothing: 'no dead letter matches',
  nothingLeft: 'no dead letter of the plan is left',
  again: lineToApply,
}

export interface BoundTo<Entry> {
  readonly mode: 'plan' | 'apply'
  /** When it is applied: nothing else is changed. */
  readonly only?: readonly Entry[]
  /** How many of them earlier runs have dealt with. */
  readonly dealtWith?: number
  /** In a plan: called with each item that would be changed. */
  readonly onPlanned?: (entry: Entry) => void
  /** Called after each page with the number of items that are dealt with. What it answers ends the run. */
  readonly onPage?: OperationRun['report']
}

interface BoundChange<Report, Entry> {
  readonly planning: Planning
  readonly action: string
  /** What is changed, for the audit: queue or group. */
  readonly id: string
  readonly run: (bound: BoundTo<Entry>, operator?: Operator) => Promise<Report>
  readonly read: (report: Report) => BoundReport
  /** What there is when a selection matches nothing. */
  readonly notFound?: (report: Report) => readonly string[]
  /** What of a plan was not there, when nothing of it was changed. */
  readonly gone?: (report: Report) => readonly string[]
  readonly lines: (report: Report) => readonly string[]
  readonly after?: (report: Report) => readonly string[]
}

/**
 * Shows the plan of a change of many items, and keeps them under its name. `--apply NAME` changes exactly these.
 * `selective`: a selection that matches nothing counts as not found.
 */
export async function runBound<Report extends object, Entry extends object>(
  change: BoundChange<Report, Entry>,
  io: Io,
  selective: boolean,
): Promise<ExitCode> {
  const { action, id } = change
  const name = io.change.plan
  if (!io.change.apply || name === undefined) return makePlan(change, io, selective)
  const operation = await loadOperation(io.store(), name)
  const entries = operation && (await loadPlan<Entry>(io.store(), name))
  const told = { action, id, name }
  if (operation === undefined || entries === undefined) {
    return printChange({ ...told, outcome: 'missing', said: noPlan(name) }, io)
  }
  if (JSON.stringify(operation.args) !== JSON.stringify(argsWithoutPayloads(io.change.args))) {
    const said = `Refused: nothing was changed. The plan ${name} is of another command:`
    const next = commandWithoutPayloads(operation.args, ['--apply', name])
    return printChange({ ...told, outcome: 'another plan', said, next }, io)
  }
  const kept = withReason(operation, io)
  const apply = async (operator: Operator): Promise<Made> =>
    makeTrue(change, { operation, entries }, operator, kept)
  return applyChange({ ...told, apply }, kept)
}

/** A plan goes on for the reason for which it began, unless another one is given. */
export function withReason({ why }: Pick<BulkOperation, 'why'>, io: Io): Io {
  // @protects a plan that goes on keeps its reason
  // @without io @tests test/tools/cli/keptReason
  return { ...io, change: { ...io.change, why: io.change.why ?? why } }
}

async function makePlan<Report extends object, Entry extends object>(
  change: BoundChange<Report, Entry>,
  io: Io,
  selective: boolean,
): Promise<ExitCode> {
  const { action, id, planning } = change
  const planned: Entry[] = []
  const report = await change.run({ mode: 'plan', onPlanned: (entry) => planned.push(entry) })
  const { done, incomplete, ended } = change.read(report)
  const told = { action, id, ...tell(change, report), facts: report, incomplete }
  if (ENDED[ended] !== undefined) {
    const said = 'Interrupted: there is no plan. Nothing was changed.'
    return printChange({ ...told, outcome: 'incomplete', said }, io)
  }
  if (done === 0 && incomplete) {
    const said = 'Nothing was changed: none of it can be.'
    return printChange({ ...told, outcome: 'incomplete', said }, io)
  }
  if (done === 0) {
    const because = planning.nothing
    const lines = selective ? change.notFound?.(report) : undefined
    return printChange({ ...told, lines, outcome: selective ? 'missing' : 'nothing', because }, io)
  }
  const kept = { action, args: argsWithoutPayloads(io.change.args), by: io.change.by }
  const name = await savePlan(io.store(), kept, planned, io.clock.now())
  return showPlan({ ...told, name }, io)
}

function noPlan(name: string): string {
  return `There is no plan ${name} in the table: plans are kept for 15 days. Nothing was changed. Run the command without --apply.`
}

async function makeTrue<Report extends object, Entry extends object>(
  change: BoundChange<Report, Entry>,
  { operation, entries }: { readonly operation: BulkOperation; readonly entries: readonly Entry[] },
  operator: Operator,
  io: Io,
): Promise<Made> {
  const { by, record } = operator
  const { force, why } = io.change
  const begun = await beginRun(io.store(), operation, { by, why, force, clock: io.clock })
  if (!('report' in begun)) return { outcome: 'running elsewhere', ...elsewhere(begun, io) }
  return record(async () => {
    const bound = { only: entries, dealtWith: operation.done }
    const { report, outcome } = await work(change, begun, bound, operator)
    const said = `${outcome}: ${change.read(report).done} of ${entries.length}`
    return [said, madeOf(change, report, outcome, io, operation)]
  })
}

function madeOf<Report extends object, Entry extends object>(
  change: BoundChange<Report, Entry>,
  report: Report,
  outcome: RunOutcome,
  io: Io,
  { name }: BulkOperation,
): Made {
  const { planning, read, gone } = change
  const next = STATES[outcome] === 'done' ? {} : { next: planning.again(name, io) }
  const { ended, because: own } = read(report)
  const because = ended === 'taken over' ? 'another command has taken over' : own
  const shared = { outcome, facts: report, said: SAID[outcome], because, ...next }
  if (outcome !== 'nothing') return { ...shared, ...tell(change, report) }
  return { ...shared, lines: gone?.(report), because: planning.nothingLeft }
}

function tell<Report, Entry>(
  { lines, after }: BoundChange<Report, Entry>,
  report: Report,
): Pick<Made, 'lines' | 'after'> {
  return { lines: lines(report), after: after?.(report) }
}

async function work<Report, Entry>(
  { run, read }: BoundChange<Report, Entry>,
  begun: OperationRun,
  bound: { readonly only: readonly Entry[]; readonly dealtWith: number },
  operator: Operator,
): Promise<{ readonly report: Report; readonly outcome: RunOutcome }> {
  let dealtWith = 0
  const onPage: OperationRun['report'] = async (done, pace) => {
    dealtWith = done
    return begun.report(done, pace)
  }
  const report = await run({ mode: 'apply', ...bound, onPage }, operator).catch(
    async (error: unknown) => {
      await begun.end('stopped', dealtWith, { because: messageOf(error) }).catch(() => {})
      throw error
    },
  )
  const outcome = outcomeOf(read(report))
  const { done, failed, because } = read(report)
  // They are dealt with. A lost write leaves the row `running` until its lease ends.
  const result = { failed, because: STATES[outcome] === 'stopped' ? because : undefined }
  await begun.end(STATES[outcome], done, result).catch(() => {})
  return { report, outcome }
}

function outcomeOf({ done, incomplete, failed = 0, ended }: BoundReport): RunOutcome {
  const early = ENDED[ended]
  if (early !== undefined) return early
  if (incomplete) return 'incomplete'
  return failed > 0 ? 'failed again' : done === 0 ? 'nothing' : 'applied'
}

type RunOutcome = keyof typeof STATES

const STATES = {
  paused: 'paused',
  stopped: 'stopped',
  incomplete: 'stopped',
  nothing: 'done',
  'failed again': 'done',
  applied: 'done',
} as const satisfies Partial<Record<ChangeOutcome, string>>

const SAID: Readonly<Partial<Record<RunOutcome, string>>> = {
  paused: 'Paused. To continue:',
  stopped: 'The rest stays. To try it again:',
  incomplete: 'The rest stays. To try it again:',
}

function elsewhere({ name, by, leaseUntil }: BulkOperation, io: Io): Pick<Made, 'said' | 'next'> {
  const until = formatTime(leaseUntil, io.clock.now())
  return {
    said:
      `Refused: ${by} is applying the plan ${name} at the moment. Nothing was changed. If that command was killed, wait until ` +
      `${until}, or give --force. How far it is:`,
    next: `lineclear status --plan ${name}`,
  }
}
