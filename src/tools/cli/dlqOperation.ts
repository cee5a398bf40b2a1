import { loadOperation, type Operation, requestPause } from '../operator/dlq/index.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import { answer, operatorFor } from './change.ts'
import type { ExitCode, Io } from './command.ts'
import { commandWithoutPayloads } from './payloads.ts'
import { jsonTime, printJson } from './printJson.ts'
import { positionals, readArgs } from './readArgs.ts'
import { oneLine } from './table.ts'
import { UsageError } from './usageError.ts'

/** Shows a plan, and how much of it is done. */
export async function runShow(args: readonly string[], io: Io): Promise<ExitCode> {
  const { name, operation } = await readName(args, io)
  if (operation === undefined) return notFound('plan', name, io)
  const lines = linesOf(operation, io)
  if (io.json) {
    const { name: plan, leaseUntil, ...facts } = operation
    const runsUntil = leaseUntil === 0 ? undefined : jsonTime(leaseUntil)
    printJson(io, { plan, ...facts, runsUntil, lines })
  } else for (const line of lines) io.out(oneLine(line))
  return 0
}

/** Stops the command that works on a plan, wherever it runs. */
export async function runPause(args: readonly string[], io: Io): Promise<ExitCode> {
  const { name, operation } = await readName(args, io)
  if (operation === undefined) return notFound('pause', name, io)
  const told = { action: 'dlq pause', id: operation.action, name }
  const { by, record } = operatorFor(told, io)
  const isAsked = await record(async () =>
    (await requestPause(io.store(), name, by, io.clock.now())) ? 'asked to pause' : 'nothing',
  )
  if (isAsked === 'nothing') {
    const because = `no command is applying the plan ${name}`
    return answer({ ...told, outcome: isAsked, because }, io)
  }
  const said = `The command that applies the plan ${name} stops after its current page. To resume:`
  return answer({ ...told, outcome: isAsked, said, next: goOn(operation) }, io)
}

/** Goes on with a plan: its own command, with its name after `--apply`. */
export async function runResume(
  args: readonly string[],
  io: Io,
  run: (command: readonly string[], io: Io) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { name, operation } = await readName(args, io)
  if (operation === undefined) return notFound('resume', name, io)
  const [command] = operation.args
  if (command !== 'dlq') throw new UsageError(`resume: to continue that plan: ${goOn(operation)}`)
  const change = { ...io.change, apply: true, plan: name, args: operation.args }
  return run(operation.args, { ...io, change })
}

async function readName(
  args: readonly string[],
  io: Io,
): Promise<{ readonly name: string; readonly operation: Operation | undefined }> {
  const { positionals: given } = readArgs(args, {})
  const [name] = positionals(given, ['PLAN'])
  return { name, operation: await loadOperation(io.store(), name) }
}

function notFound(verb: string, name: string, io: Io): ExitCode {
  const said = `There is no plan of many items with the name ${name} in the table ${io.table}: plans are kept for 15 days. To list all changes: lineclear audit`
  return answer({ action: `dlq ${verb}`, id: name, outcome: 'missing', said }, io)
}

/** Requests are changed by the command that made the plan. */
function goOn({ name, args }: Operation): string {
  return args[0] === 'dlq'
    ? `lineclear dlq resume ${name}`
    : `${commandWithoutPayloads(args)} --apply ${name}`
}

function linesOf(operation: Operation, io: Io): readonly string[] {
  const { name, state, done, failed, because, planned, by, at, args, leaseUntil } = operation
  const killed = state === 'running' && leaseUntil <= io.clock.now()
  const ready = state === 'paused' || state === 'stopped' || killed
  return [
    `${name}  ${killed ? 'its command was killed' : state}  ${done} of ${planned} done`,
    ...(failed > 0
      ? [`  ! ${failed} of those that were sent have failed again: lineclear status shows them`]
      : []),
    ...(because === undefined ? [] : [`  stopped: ${because}`]),
    `  by ${by}, ${formatTime(Date.parse(at), io.clock.now())}`,
    `  ${commandWithoutPayloads(args)}`,
    ...(state === 'done' && done < planned
      ? [
          `  nothing is left: ${planned - done} were gone, processed by a killed command or by another one`,
        ]
      : []),
    ...(ready ? [`  to resume: ${goOn(operation)}`] : []),
  ]
}
