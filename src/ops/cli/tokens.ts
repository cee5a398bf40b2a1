import { releaseToken, reopenToken, resolveToken, undoToken } from '../operator/plan/lookUp.ts'
import type { Resolution } from '../operator/plan/planTokens.ts'
import { runPlan } from './runPlan.ts'
import type { CliCommand, ExitCode, Io } from './command.ts'
import { positionals, readArgs, readJson } from './readArgs.ts'
import { UsageError } from './usageError.ts'

export const tokens: CliCommand = {
  name: 'tokens',
  summary: 'resolve, release, reopen or undo a parked request or key',
  usage: `lineclear tokens resolve ID [--result JSON | --error TEXT]
lineclear tokens release ID [--not-done CALL]…
lineclear tokens reopen ID [--answer CALL=JSON]… [--not-done CALL]…
lineclear tokens undo ID

  resolve   it was done: end it as done; it never runs again
            --result   what later callers of the key get; --error: end it with this error instead
  release   it was not done: free its key; an attempt that is still running can write nothing more
            --not-done   this call with an unknown outcome was not made, and is made again; section: of a key whose call is running
  reopen    let a dead-lettered or parked request run again; it repeats nothing that it has done
            --answer   a call with an unknown outcome was made, and this was its result; --not-done: it was not made
  undo      have the effects of a dead request undone, of a consumer with the option undo; it cannot be redriven then

  Shows the plan; --apply PLAN makes the change.`,
  run: async ([verb, ...rest], io) => {
    switch (verb) {
      case 'resolve':
        return resolve(rest, io)
      case 'release': {
        const { values, positionals: given } = readArgs(rest, NOT_DONE)
        const [id] = positionals(given, ['ID'])
        return runPlan(await releaseToken(lookupOf(io), id, values['not-done']), io)
      }
      case 'reopen':
        return reopen(rest, io)
      case 'undo': {
        const { positionals: given } = readArgs(rest, {})
        const [id] = positionals(given, ['ID'])
        return runPlan(await undoToken(lookupOf(io), id), io)
      }
      default:
        throw new UsageError(
          `tokens: expected resolve, release, reopen or undo; got ${verb ?? 'nothing'}`,
        )
    }
  },
}

const NOT_DONE = { 'not-done': { type: 'string', multiple: true } } as const

export function lookupOf(io: Io): { store: ReturnType<Io['store']>; now: number } {
  return { store: io.store(), now: io.clock.now() }
}

async function resolve(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals: given } = readArgs(args, {
    result: { type: 'string' },
    error: { type: 'string' },
  })
  const [id] = positionals(given, ['ID'])
  return runPlan(await resolveToken(lookupOf(io), id, resolutionOf(values)), io)
}

function resolutionOf({ result, error }: { result?: string; error?: string }): Resolution {
  if (result !== undefined && error !== undefined) {
    throw new UsageError('expected --result or --error, got both')
  }
  if (error !== undefined) return { as: 'failed', error }
  return result === undefined
    ? { as: 'done' }
    : { as: 'done', result: readJson('--result', result) }
}

async function reopen(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals: given } = readArgs(args, {
    answer: { type: 'string', multiple: true },
    ...NOT_DONE,
  })
  const [id] = positionals(given, ['ID'])
  const answers = new Map((values.answer ?? []).map(answerOf))
  const notDone = values['not-done'] ?? []
  return runPlan(await reopenToken(lookupOf(io), id, { answers, notDone }), io)
}

function answerOf(text: string): [string, unknown] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), readJson('--answer', text.slice(at + 1))]
  throw new UsageError(`--answer: expected CALL=JSON, got ${JSON.stringify(text)}`)
}
