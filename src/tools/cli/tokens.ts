import { releaseToken, reopenToken, resolveToken, undoToken } from '../operator/plan/lookUp.ts'
import type { Token } from '../../claim/token/token.ts'
import type { ChangePlan } from '../operator/plan/plan.ts'
import { planRelease } from '../operator/plan/planRelease.ts'
import { planReopen } from '../operator/plan/planReopen.ts'
import { planResolve, type Resolution } from '../operator/plan/planResolve.ts'
import { runGroup, runGroups } from './tokensGroup.ts'
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
lineclear tokens groups
lineclear tokens resolve | release | reopen --group GROUP …

  resolve   it was done: end it as done; it never runs again
            --result   what later callers of the key get; --error: end it with this error instead
  release   it was not done: free its key; an attempt that is still running can write nothing more
            --not-done   this call with an unknown outcome was not made, and is made again; section: what a call of a key does
  reopen    let a dead-lettered or parked request run again; it repeats nothing that it has done
            --answer   a call with an unknown outcome was made, and this was its result; --not-done: it was not made
  undo      have the effects of a dead request undone, of a consumer with the option undo; it cannot be redriven then
  groups    count what waits for an operator, by consumer or scope, reason and error; the dead letters of a group have its name, too
            --group   instead of ID: all of a group, at most 10,000 in one plan; what has changed since the plan is left, and listed

  Shows the plan; --apply PLAN makes the change.`,
  run: async ([verb, ...rest], io) => {
    switch (verb) {
      case 'resolve':
        return resolve(rest, io)
      case 'release':
        return release(rest, io)
      case 'reopen':
        return reopen(rest, io)
      case 'undo': {
        const { positionals: given } = readArgs(rest, {})
        const [id] = positionals(given, ['ID'])
        return runPlan(await undoToken(lookupOf(io), id), io)
      }
      case 'groups':
        return runGroups(rest, io)
      default:
        throw new UsageError(
          `tokens: expected resolve, release, reopen, undo or groups; got ${verb ?? 'nothing'}`,
        )
    }
  },
}

const GROUP = { group: { type: 'string' } } as const
const NOT_DONE = { 'not-done': { type: 'string', multiple: true } } as const

export function lookupOf(io: Io): { store: ReturnType<Io['store']>; now: number } {
  return { store: io.store(), now: io.clock.now() }
}

async function resolve(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals: given } = readArgs(args, {
    result: { type: 'string' },
    error: { type: 'string' },
    ...GROUP,
  })
  const resolution = resolutionOf(values)
  const [id] = whichOf(values, given)
  if (id !== undefined) return runPlan(await resolveToken(lookupOf(io), id, resolution), io)
  return changeGroup(values, 'tokens resolve', io, (token, now) =>
    planResolve(token, resolution, now),
  )
}

async function release(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals: given } = readArgs(args, { ...NOT_DONE, ...GROUP })
  const notDone = values['not-done'] ?? []
  const [id] = whichOf(values, given)
  if (id !== undefined) return runPlan(await releaseToken(lookupOf(io), id, notDone), io)
  return changeGroup(values, 'tokens release', io, (token, now) => planRelease(token, notDone, now))
}

type Values = { readonly group?: string | undefined }

/** The ID, or nothing for a group. @throws UsageError */
function whichOf({ group }: Values, given: readonly string[]): readonly [string?] {
  return group === undefined ? positionals(given, ['ID']) : positionals(given, [])
}

async function changeGroup(
  { group = '' }: Values,
  action: string,
  io: Io,
  plan: (token: Token, now: number) => ChangePlan,
): Promise<ExitCode> {
  return runGroup({ action, group, plan }, io)
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
    ...GROUP,
  })
  const answers = answersOf(values.answer ?? [])
  const notDone = values['not-done'] ?? []
  const [id] = whichOf(values, given)
  if (id !== undefined) {
    return runPlan(await reopenToken(lookupOf(io), id, { answers, notDone }), io)
  }
  return changeGroup(values, 'tokens reopen', io, (token, now) =>
    planReopen(token, { answers, notDone }, now),
  )
}

/** @throws UsageError also if one call is given two results: the second would silently replace the first */
function answersOf(texts: readonly string[]): ReadonlyMap<string, unknown> {
  const answers = new Map<string, unknown>()
  for (const [call, answer] of texts.map(answerOf)) {
    if (answers.has(call))
      throw new UsageError(`--answer: expected one for the call ${call}, got 2`)
    answers.set(call, answer)
  }
  return answers
}

function answerOf(text: string): [string, unknown] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), readJson('--answer', text.slice(at + 1))]
  throw new UsageError(`--answer: expected CALL=JSON, got ${JSON.stringify(text)}`)
}
