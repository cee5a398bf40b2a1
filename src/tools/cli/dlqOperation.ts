import { loadOperation, type Operation, requestPause } from '../operator/dlq/index.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import { answer, operatorFor } from './change.ts'
import { plan } from '../commands/kinds.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { findCommand } from './findCommand.ts'
import { commandWithoutPayloads } from './payloads.ts'
import { jsonTime, printJson } from './printJson.ts'
import { oneLine } from './table.ts'
import { UsageError } from './usageError.ts'

const PLAN = { plan: { kind: plan, help: 'its name', page: true } } as const

export const showPlan: Command = command({
  words: 'dlq plan',
  summary: 'a plan, and how much of it is done',
  arguments: PLAN,
  options: {},
  examples: ['dlq plan 7f3a91c2'],
  route: 'operation',
  run: async ({ plan: name }, io) => {
    const operation = await loadOperation(io.store(), name)
    if (operation === undefined) return notFound('plan', name, io)
    const lines = linesOf(operation, io)
    if (io.json) {
      const { name: _, leaseUntil, ...facts } = operation
      const runsUntil = leaseUntil === 0 ? undefined : jsonTime(leaseUntil)
      printJson(io, { plan: name, ...facts, runsUntil, lines })
    } else for (const line of lines) io.out(oneLine(line))
    return 0
  },
})

export const pausePlan: Command = command({
  words: 'dlq pause',
  summary: 'stop the command that applies a plan after its current page, on any machine',
  about: ['On its own machine use Ctrl-C.'],
  arguments: PLAN,
  options: {},
  examples: ['dlq pause 7f3a91c2'],
  changes: 'at once',
  run: async ({ plan: name }, io) => {
    const operation = await loadOperation(io.store(), name)
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
  },
})

export const resumePlan: Command = command({
  words: 'dlq resume',
  summary: 'continue a plan that was paused, has stopped, or whose command was killed',
  arguments: PLAN,
  options: {},
  examples: ['dlq resume 7f3a91c2'],
  changes: 'at once',
  long: true,
  receives: true,
  run: async ({ plan: name }, io) => {
    const operation = await loadOperation(io.store(), name)
    if (operation === undefined) return notFound('resume', name, io)
    const { args } = operation
    if (args[0] !== 'dlq') throw new UsageError(`resume: to continue that plan: ${goOn(operation)}`)
    const { command: own, args: rest } = findCommand(args, io.commands)
    return own.run(rest, { ...io, change: { ...io.change, apply: true, plan: name, args } })
  },
})

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
