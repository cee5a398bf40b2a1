import { loadOperation, type BulkOperation } from '../operator/dlq/operation.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import { withReason } from './boundRun.ts'
import { printChange, showPlan } from './change.ts'
import type { ExitCode, Io } from './command.ts'
import { findCommand } from './findCommand.ts'
import { commandWithoutPayloads } from './payloads.ts'
import { lineToContinue, REDRIVE } from './redriveLine.ts'
import { jsonTime, printJson, oneLine } from './table.ts'

/** How much of a plan of many items is done, and what goes on with it. */
export async function showProgress(name: string, io: Io): Promise<ExitCode> {
  const operation = await loadOperation(io.store(), name)
  if (operation === undefined) return notFound('status', name, io)
  const { name: plan, leaseUntil, ...facts } = operation
  const lines = linesOf(operation, io)
  if (io.json) {
    const runsUntil = leaseUntil === 0 ? undefined : jsonTime(leaseUntil)
    const typed = refusalOf(operation) !== undefined
    const next = facts.state === 'done' ? undefined : nextOf(operation)
    printJson(io, { plan, ...facts, runsUntil, next, typed, lines })
  } else for (const line of lines) io.out(oneLine(io.here(line)))
  return 0
}

/** Goes on with a redrive that was paused (Ctrl-C), has stopped, or whose command was killed: by its name, without its selection. */
export async function continueRedrive(name: string, io: Io): Promise<ExitCode> {
  const operation = await loadOperation(io.store(), name)
  if (operation === undefined) return notFound(REDRIVE, name, io)
  const { action, args } = operation
  const because = refusalOf(operation)
  const told = { action: REDRIVE, id: action, name }
  if (because !== undefined) {
    return printChange({ ...told, outcome: 'refused', because, next: nextOf(operation) }, io)
  }
  const { apply, plan } = io.change
  const kept = withReason(operation, io)
  if (!apply || plan !== name) return showPlan({ ...told, lines: linesOf(operation, io) }, kept)
  const { command: own, args: rest } = findCommand(args, io.commands)
  return own.run(rest, { ...io, change: { ...io.change, args } })
}

function notFound(action: string, name: string, io: Io): ExitCode {
  const said = `There is no plan of many items with the name ${name} in the table ${io.table}: plans are kept for 15 days. To list all changes: lineclear explain --history`
  return printChange({ action, id: name, outcome: 'missing', said }, io)
}

/** Why its words, which come from the table, are not run from here. */
function refusalOf({ action, args, state }: BulkOperation): string | undefined {
  if (isForged({ action, args }))
    return 'Its row names another command than its plan. Plan it anew.'
  if (state === 'planned') return 'It was shown, and not applied yet. To apply it:'
  return action === REDRIVE ? undefined : 'The command that made the plan goes on with it:'
}

/**
 * Whether the arguments of the row do not begin with its action. Only the first word of a decision is compared: the id comes before
 * the others.
 */
function isForged({ action, args }: Pick<BulkOperation, 'action' | 'args'>): boolean {
  const words = action.split(' ')
  const own = words[0] === 'decide' ? words.slice(0, 1) : words
  return args.slice(0, own.length).join(' ') !== own.join(' ')
}

/** undefined: an operator should not type it. */
function nextOf(operation: BulkOperation): string | undefined {
  const { name, args, forced } = operation
  if (isForged(operation)) return undefined
  return refusalOf(operation) === undefined
    ? lineToContinue(name, forced)
    : commandWithoutPayloads(args, ['--apply', name, ...(forced ? ['--force'] : [])])
}

function linesOf(operation: BulkOperation, io: Io): readonly string[] {
  const { name, state, done, failed, because, planned, by, why, at, args, leaseUntil } = operation
  const killed = state === 'running' && leaseUntil <= io.clock.now()
  const ready = state === 'paused' || state === 'stopped' || killed
  return [
    `${name}  ${killed ? 'its command was killed' : state}  ${done} of ${planned} done`,
    ...(failed > 0
      ? [`  ! ${failed} of those that were sent have failed again: lineclear status shows them`]
      : []),
    ...(because === undefined ? [] : [`  stopped: ${because}`]),
    `  by ${by}, ${formatTime(Date.parse(at), io.clock.now())}${why === undefined ? '' : `: ${why}`}`,
    `  ${commandWithoutPayloads(args)}`,
    ...(state === 'done' && done < planned
      ? [
          `  nothing is left: ${planned - done} were gone, processed by a killed command or by another one`,
        ]
      : []),
    ...(ready ? [`  to continue: ${nextOf(operation) ?? 'plan it anew'}`] : []),
  ]
}
