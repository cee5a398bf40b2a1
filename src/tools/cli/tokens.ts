import { id, json, type Kind, name, named, path, words } from '../commands/kinds.ts'
import { releaseToken, reopenToken, resolveToken, undoToken } from '../operator/plan/lookUp.ts'
import type { Token } from '../../claim/token/token.ts'
import type { ChangePlan } from '../operator/plan/plan.ts'
import {
  planRelease,
  planReopen,
  planResolve,
  type Resolution,
} from '../operator/plan/planToken.ts'
import { runGroup, runGroups } from './tokensGroup.ts'
import { runPlan } from './runPlan.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { UsageError } from './usageError.ts'

const ONE = { kind: id, help: 'consumer/ID or scope/KEY', page: true } as const
/** An id, or all of a group. */
const ONE_OR_GROUP = { id: { ...ONE, optional: true } } as const
const GROUP = {
  group: {
    kind: name,
    word: 'GROUP',
    help: 'instead of ID: all of a group, at most 10,000 in one plan; what has changed since the plan is left, and listed',
    page: true,
  },
} as const
const call: Kind<string> = { ...name, word: 'CALL' }

export const tokens: readonly Command[] = [
  command({
    words: 'tokens resolve',
    summary: 'it was done: end a request or key as done; it never runs again',
    arguments: ONE_OR_GROUP,
    options: {
      ...GROUP,
      result: { kind: json, help: 'what later callers of the key get', page: true },
      error: { kind: words, help: 'end it with this error instead', page: true },
    },
    examples: [
      'tokens resolve orders/order-17',
      `tokens resolve refunds/order-5 --result '{"id":7}'`,
    ],
    changes: 'plan',
    run: async ({ id: one, group, result, error }, io) => {
      const resolution = resolutionOf(result, error)
      return change({ one, group, action: 'tokens resolve' }, io, {
        ofOne: async (of) => resolveToken(lookupOf(io), of, resolution),
        ofEach: (token, now) => planResolve(token, resolution, now),
      })
    },
  }),
  command({
    words: 'tokens release',
    summary: 'it was not done: free it; the next message or call runs it',
    about: ['An attempt that is still running can write nothing more.'],
    arguments: ONE_OR_GROUP,
    options: {
      ...GROUP,
      notDone: {
        kind: call,
        help: 'this call with an unknown outcome was not made, and is made again; section: what a call of a key does',
        many: true,
        page: true,
      },
    },
    examples: ['tokens release refunds/order-5 --not-done section'],
    changes: 'plan',
    run: async ({ id: one, group, notDone }, io) =>
      change({ one, group, action: 'tokens release' }, io, {
        ofOne: async (of) => releaseToken(lookupOf(io), of, notDone),
        ofEach: (token, now) => planRelease(token, notDone, now),
      }),
  }),
  command({
    words: 'tokens reopen',
    summary: 'let a dead-lettered or parked request run again; it repeats nothing that it has done',
    arguments: ONE_OR_GROUP,
    options: {
      ...GROUP,
      notDone: {
        kind: call,
        help: 'this call with an unknown outcome was not made, and is made again',
        many: true,
        page: true,
      },
      answer: {
        kind: named('CALL', path),
        help: 'this call with an unknown outcome was made, and this was its result',
        many: true,
        page: true,
      },
    },
    examples: [`tokens reopen orders/order-17 --answer charge='"receipt 5"'`],
    changes: 'plan',
    run: async ({ id: one, group, notDone, answer }, io) => {
      const reopening = { answers: answersOf(answer), notDone }
      return change({ one, group, action: 'tokens reopen' }, io, {
        ofOne: async (of) => reopenToken(lookupOf(io), of, reopening),
        ofEach: (token, now) => planReopen(token, reopening, now),
      })
    },
  }),
  command({
    words: 'tokens undo',
    summary: 'undo the effects of a dead request; it cannot be redriven then',
    about: ['Of a consumer with the option undo.'],
    arguments: { id: ONE },
    options: {},
    examples: ['tokens undo orders/order-17'],
    changes: 'plan',
    run: async ({ id: of }, io) => runPlan(await undoToken(lookupOf(io), of), io),
  }),
  command({
    words: 'tokens groups',
    summary: 'counts of what waits for an operator, by consumer or scope, reason and error',
    about: ['The dead letters of a group have its name, too.'],
    arguments: {},
    options: {},
    examples: ['tokens groups'],
    route: 'requestGroups',
    run: async (_, io) => runGroups(io),
  }),
]

export function lookupOf(io: Io): { store: ReturnType<Io['store']>; now: number } {
  return { store: io.store(), now: io.clock.now() }
}

interface Selected {
  readonly one: string | undefined
  readonly group: string | undefined
  readonly action: string
}

interface Planners {
  readonly ofOne: (id: string) => Promise<ChangePlan>
  readonly ofEach: (token: Token, now: number) => ChangePlan
}

/** @throws UsageError */
async function change(
  { one, group, action }: Selected,
  io: Io,
  { ofOne, ofEach }: Planners,
): Promise<ExitCode> {
  if (one !== undefined && group === undefined) return runPlan(await ofOne(one), io)
  if (group !== undefined && one === undefined) return runGroup({ action, group, plan: ofEach }, io)
  throw new UsageError(
    `expected ID or --group GROUP, got ${one === undefined ? 'nothing' : 'both'}`,
  )
}

function resolutionOf(result: unknown, error: string | undefined): Resolution {
  if (result !== undefined && error !== undefined) {
    throw new UsageError('expected --result or --error, got both')
  }
  if (error !== undefined) return { as: 'failed', error }
  return result === undefined ? { as: 'done' } : { as: 'done', result }
}

/** @throws UsageError if one call is given two results: the second would silently replace the first */
function answersOf(
  given: readonly (readonly [call: string, answer: unknown])[],
): ReadonlyMap<string, unknown> {
  const answers = new Map<string, unknown>()
  for (const [of, answer] of given) {
    if (answers.has(of)) throw new UsageError(`--answer: expected one for the call ${of}, got 2`)
    answers.set(of, answer)
  }
  return answers
}
