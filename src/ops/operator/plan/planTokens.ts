import { encodeValue } from '../../../context/results/storedValue.ts'
import { STARTED } from '../../../claim/hold.ts'
import { sortableId } from '../../../sortableId.ts'
import { isoTime } from '../../../isoTime.ts'
import { INDEX_ATTRIBUTES, indexed } from '../../../claim/statusIndex.ts'
import { undoableAfter } from '../../../claim/token/deadRecord.ts'
import { tokenKeyOf, leftovers } from '../../../claim/token/claimWrites.ts'
import { DEFAULT_RETENTION_MS, ttlOf } from '../../../claim/token/endKey.ts'
import { CALL_PREFIX, type Token } from '../../../claim/token/token.ts'
import type { Condition, Update } from '../../../store/store.ts'
import { displayId, isIdempotencyKey } from '../../address.ts'
import { optionWord, shellWord } from '../text/commandLine.ts'
import { describeToken, unknownCalls } from '../explain/describeToken.ts'
import { type OperatorAction, noChange, type ChangePlan } from './plan.ts'

/** How a parked request ended. `result`: what later callers of the key receive. */
export type Resolution =
  | { readonly as: 'done'; readonly result?: unknown }
  | { readonly as: 'failed'; readonly error: string }

/** A key has its own retention, and `'forever'` is kept. */
function retentionOf({ retention = DEFAULT_RETENTION_MS }: Token): number {
  return retention
}

/** The operator knows how the request ended. It never runs again, and duplicates are dropped for its retention, or 30 days. */
export function planResolve(token: Token, resolution: Resolution, now: number): ChangePlan {
  const about = headOf('tokens resolve', token, now)
  if (isUndone(token)) return noChange('impossible', about, UNDONE)
  if (token.status === 'complete') return noChange('nothing', about, 'it has ended already')
  const outcome =
    resolution.as === 'failed'
      ? { error: resolution.error }
      : resolution.result === undefined
        ? {}
        : { result: encodeValue(resolution.result) }
  const end = { actualCompletion: isoTime(now), ...ttlOf({ now, retention: retentionOf(token) }) }
  const removed = [
    'status',
    ...ATTEMPT_FIELDS,
    ...INDEX_ATTRIBUTES,
    ...leftovers(token),
    'reason',
    'error',
    'stack',
    'notKept',
    'ttl',
  ]
  return plannedChange(about, token, now, {
    changes: [
      resolution.as === 'done'
        ? 'ends as done'
        : `ends as failed, with the error: ${resolution.error}`,
      ...effectOnCallers(token, resolution),
    ],
    set: { ...newFence(token, now), ...end, ...outcome },
    remove: removed.filter((name) => !(name in outcome) && !(name in end)),
  })
}

function effectOnCallers({ pk }: Token, resolution: Resolution): readonly string[] {
  if (!isIdempotencyKey(pk)) return ['its messages are dropped as duplicates; it never runs again']
  if (resolution.as === 'failed') return ['later callers of the key get that error; nothing runs']
  return resolution.result === undefined
    ? ['later callers of the key learn that it is done, without a result; nothing runs']
    : [`later callers of the key get the result ${JSON.stringify(resolution.result)}; nothing runs`]
}

/** What the running call of a key does, for `--not-done`: its calls have no names. */
const SECTION = 'section'

/**
 * The request was not done. The next delivery runs it with a fresh retry budget, and makes calls with an unknown outcome again.
 * @param notDone the calls that were not made. Without their names they are not made again: a second charge is worse than a
 * question
 */
export function planRelease(token: Token, notDone: readonly string[], now: number): ChangePlan {
  const about = headOf('tokens release', token, now)
  if (isUndone(token)) return noChange('impossible', about, UNDONE)
  if (token.status === 'complete') {
    return noChange('impossible', about, 'it is done: releasing it would run it twice')
  }
  if (isFree(token)) return noChange('nothing', about, 'it is free already')
  const doubtful = unknownCalls(token)
  const unsaid = unsaidCalls(token, notDone, now)
  if (unsaid !== undefined) return noChange('impossible', about, unsaid)
  // Only `claimKey` removes the ttl again. A dead-lettered request may be claimed by code that does not.
  const ofKey = token.death === 0 && (token.status === 'error' || token.status === 'unknown')
  return plannedChange(about, token, now, {
    changes: isWholeSection(token)
      ? [
          'becomes free: the next call for the key runs its whole section again',
          'whatever an earlier call did outside is done again: the table does not record it',
        ]
      : [
          `becomes free: the next ${isIdempotencyKey(token.pk) ? 'call' : 'message'} for it runs, and its attempts count from 1`,
          'effects applied through ctx and stored results of ctx.once are not repeated',
          ...doubtful.map((name) => `the call '${name}' counts as not made, and is made again`),
        ],
    set: {
      ...newFence(token, now),
      status: 'inProgress',
      leaseUntil: 0,
      attempt: 0,
      ...(ofKey ? ttlOf({ now, retention: retentionOf(token) }) : {}),
    },
    remove: [
      ...RETRY_FIELDS,
      ...INDEX_ATTRIBUTES,
      'reason',
      'error',
      'stack',
      'actualCompletion',
      ...stepsOf(doubtful),
    ],
  })
}

function unsaidCalls(token: Token, notDone: readonly string[], now: number): string | undefined {
  const doubtful = unknownCalls(token)
  const whole = isWholeSection(token)
  const running = whole && token.leaseUntil > now
  const known = whole ? [SECTION] : doubtful
  const wrong = notDone.find((name) => !known.includes(name))
  if (wrong !== undefined) return noSuchCall(wrong, known)
  const open = known.filter((name) => !notDone.includes(name))
  // A section that is not running was looked into by the operator, who says by the command that it was not done.
  if (open.length === 0 || (whole && !running)) return undefined
  const options = open.map((name) => optionWord('--not-done', name)).join(' ')
  return running
    ? `a call of it is running, and what that call does outside is not known. If it was killed and nothing was done, add ${options} --force`
    : `the outcome of ${quoted(open)} is not known: look at the outside system. If it was not made, add ${options}; if it was made: lineclear tokens reopen ${shellWord(displayId(token.pk))} --answer CALL=JSON`
}

function quoted(calls: readonly string[]): string {
  return calls.map((name) => `the call '${name}'`).join(', ')
}

function noSuchCall(name: string, doubtful: readonly string[]): string {
  const known = doubtful.length === 0 ? 'none has' : `unknown: ${doubtful.join(', ')}`
  return `no call '${name}' has an unknown outcome (${known})`
}

export interface ReopenOptions {
  /** Calls with an unknown outcome that were made: their results by name. */
  readonly answers?: ReadonlyMap<string, unknown>
  /** Calls with an unknown outcome that were not made. */
  readonly notDone?: readonly string[]
}

/** Lets a dead-lettered request run again when its dead letter is redriven. Nothing that it has done is repeated. */
export function planReopen(token: Token, reopening: ReopenOptions, now: number): ChangePlan {
  const about = headOf('tokens reopen', token, now)
  const { answers = new Map<string, unknown>(), notDone = [] } = reopening
  const doubtful = unknownCalls(token)
  const unknown = [...answers.keys(), ...notDone].find((name) => !doubtful.includes(name))
  if (token.status === 'complete') return noChange('impossible', about, 'it is done')
  if (isUndone(token)) return noChange('impossible', about, UNDONE)
  if (isFree(token)) return noChange('nothing', about, 'it may run already')
  if (token.status !== 'error' && token.status !== 'unknown') {
    return noChange(
      'impossible',
      about,
      'it is not parked: it continues by itself, or its dead letter is being sent',
    )
  }
  if (isWholeSection(token)) return noChange('impossible', about, KEYS_ARE_NOT_REOPENED)
  if (unknown !== undefined) return noChange('impossible', about, noSuchCall(unknown, doubtful))
  const open = doubtful.filter((name) => !answers.has(name) && !notDone.includes(name))
  return plannedChange(about, token, now, {
    changes: [
      'may run again, and its attempts count from 1; effects applied through ctx and stored results of ctx.once are not repeated',
      ...[...answers.keys()].map(
        (name) => `the call '${name}' counts as made, with the given result`,
      ),
      ...notDone.map((name) => `the call '${name}' counts as not made, and is made again`),
      ...open.map(
        (name) =>
          `the outcome of the call '${name}' stays unknown: the request is parked again, unless the call has verify() or effect: 'idempotent'`,
      ),
      isIdempotencyKey(token.pk)
        ? 'it runs at the next call with its key, or when its event is invoked again'
        : 'it runs when its message is delivered: redrive its dead letter (lineclear dlq redrive)',
    ],
    set: {
      ...newFence(token, now),
      status: 'inProgress',
      leaseUntil: 0,
      attempt: 0,
      ...indexed(token.pk, 'inProgress', now),
      ...Object.fromEntries(
        [...answers].map(([name, answer]) => [CALL_PREFIX + name, ANSWERED + encodeValue(answer)]),
      ),
    },
    remove: [...RETRY_FIELDS, 'reason', 'error', 'stack', 'actualCompletion', ...stepsOf(notDone)],
  })
}

function isUndone({ status }: Token): boolean {
  return status === 'undoing' || status === 'undone'
}

const UNDONE =
  'its effects are undone, or are being undone, which is final. If the undo was dead-lettered, redrive that'

/** A key whose function has no `ctx`: its effects are not recorded, so it runs as a whole or not at all. */
function isWholeSection({ pk, since }: Token): boolean {
  return isIdempotencyKey(pk) && since === undefined
}

const KEYS_ARE_NOT_REOPENED =
  'a key has no dead letter and no recorded effects: its whole section would run again. If it was done: lineclear tokens ' +
  'resolve; if it was not done: lineclear tokens release'
const ANSWERED = 'done:'
const RETRY_FIELDS = ['notBefore', 'ticket', 'confirmed']
const ATTEMPT_FIELDS = ['leaseUntil', ...RETRY_FIELDS]

function isFree(token: Token): boolean {
  return token.status === 'inProgress' && token.leaseUntil === 0 && token.attempt === 0
}

function stepsOf(names: readonly string[]): readonly string[] {
  return names.map((name) => CALL_PREFIX + name)
}

/** A new attempt id and a higher fence: writes of earlier attempts that are still on their way are refused. */
export function newFence(
  token: Token,
  now: number,
): { readonly attemptId: string; readonly fence: number; readonly undoable?: number } {
  return {
    attemptId: `operator-${sortableId(now)}`,
    fence: token.fence + 1,
    ...undoableAfter(token),
  }
}

interface PlanHead {
  readonly action: OperatorAction
  readonly id: string
  readonly standing: readonly string[]
}

export function headOf(action: OperatorAction, token: Token, now: number): PlanHead {
  return { action, id: displayId(token.pk), standing: describeToken(token, now) }
}

function plannedChange(
  about: PlanHead,
  token: Token,
  now: number,
  { changes, ...write }: Pick<Update, 'set' | 'remove'> & { readonly changes: readonly string[] },
): ChangePlan {
  const update = { key: tokenKeyOf(token), where: asShown(token), ...write }
  const liveLease = token.leaseUntil > now ? token.leaseUntil : undefined
  return { kind: 'change', ...about, changes, liveLease, effect: { kind: 'update', update } }
}

/** Everything that the plan depends on: claims change the first three attributes, retries and releases change the lease. */
export function asShown(token: Token): readonly Condition[] {
  const { attemptId, fence, attempt, leaseUntil, status } = token
  return [
    equals('attemptId', attemptId),
    equals('fence', fence),
    equals('attempt', attempt),
    status === 'complete' ? { absent: 'status' } : equals('status', status),
    leaseUntil === 0
      ? { any: [equals('leaseUntil', 0), { absent: 'leaseUntil' }] }
      : equals('leaseUntil', leaseUntil),
    ...unknownCalls(token).map((name) => equals(CALL_PREFIX + name, STARTED)),
  ]
}

function equals(field: string, value: string | number): Condition {
  return { field, is: '=', value }
}
