import { loadOperation, type Operation } from '../operator/dlq/operation.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import { lineToContinue } from './boundRun.ts'
import { answer } from './change.ts'
import { flag, plan as planKind } from '../commands/kinds.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { findCommand } from './findCommand.ts'
import { commandWithoutPayloads } from './payloads.ts'
import { jsonTime, printJson, oneLine } from './table.ts'

const ACTION = 'dlq plan'

export const plan: Command = command({
  words: ACTION,
  summary: 'a plan, and how much of it is done; goes on with it',
  arguments: { plan: { kind: planKind, help: 'its name', page: true } },
  options: {
    continue: {
      kind: flag,
      help: 'go on with it, if it was paused (Ctrl-C), has stopped, or its command was killed',
      page: true,
    },
  },
  examples: ['dlq plan 7f3a91c2', 'dlq plan 7f3a91c2 --continue --force'],
  route: 'operation',
  changes: 'at once',
  long: true,
  run: async ({ plan: name, continue: goesOn }, io) => {
    const operation = await loadOperation(io.store(), name)
    if (operation === undefined) return notFound(name, io)
    return goesOn ? continueIt(operation, io) : show(operation, io)
  },
})

function show(operation: Operation, io: Io): ExitCode {
  const { name: shown, leaseUntil, ...facts } = operation
  const lines = linesOf(operation, io)
  if (io.json) {
    const runsUntil = leaseUntil === 0 ? undefined : jsonTime(leaseUntil)
    const typed = refusalOf(operation) !== undefined
    const next = facts.state === 'done' ? undefined : nextOf(operation)
    printJson(io, { plan: shown, ...facts, runsUntil, next, typed, lines })
  } else for (const line of lines) io.out(oneLine(io.here(line)))
  return 0
}

async function continueIt(operation: Operation, io: Io): Promise<ExitCode> {
  const { name, action, args } = operation
  const because = refusalOf(operation)
  if (because !== undefined) {
    const told = { action: ACTION, id: action, name }
    return answer({ ...told, outcome: 'refused', because, next: nextOf(operation) }, io)
  }
  const { command: own, args: rest } = findCommand(args, io.commands)
  return own.run(rest, { ...io, change: { ...io.change, apply: true, plan: name, args } })
}

function notFound(name: string, io: Io): ExitCode {
  const said = `There is no plan of many items with the name ${name} in the table ${io.table}: plans are kept for 15 days. To list all changes: lineclear audit`
  return answer({ action: ACTION, id: name, outcome: 'missing', said }, io)
}

/** Changes of dead letters that keep their plan. */
const CONTINUED: ReadonlySet<string> = new Set(['dlq redrive', 'dlq discard', 'dlq restore'])

/** Why its words, which stand in the table, are not run from here. */
function refusalOf({ action, args, state }: Operation): string | undefined {
  if (isForged({ action, args }))
    return 'Its row names another command than its plan. Plan it anew.'
  if (state === 'planned') return 'It was shown, and not applied yet. To apply it:'
  return CONTINUED.has(action)
    ? undefined
    : 'Requests are changed by the command that made the plan:'
}

/** Of a decision the id stands before its word. */
function isForged({ action, args }: Pick<Operation, 'action' | 'args'>): boolean {
  const words = action.split(' ')
  const own = words[0] === 'decide' ? words.slice(0, 1) : words
  return args.slice(0, own.length).join(' ') !== own.join(' ')
}

/** undefined: an operator should not type it. */
function nextOf(operation: Operation): string | undefined {
  const { name, args, forced } = operation
  if (isForged(operation)) return undefined
  return refusalOf(operation) === undefined
    ? lineToContinue(name, forced)
    : commandWithoutPayloads(args, ['--apply', name, ...(forced ? ['--force'] : [])])
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
    ...(ready ? [`  to continue: ${nextOf(operation) ?? 'plan it anew'}`] : []),
  ]
}
