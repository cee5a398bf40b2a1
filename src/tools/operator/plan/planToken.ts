import { DEFAULT_RETENTION_MS } from '../../../library/base/limits/lifetime.ts'
import { sortableTime } from '../../../library/base/ids.ts'
import { isoTime } from '../../../library/base/time.ts'
import { encodeValue } from '../../../library/run/context/results/storedValue.ts'
import { MAX_LAMBDA_MS } from '../../../library/protocol/claim/lease.ts'
import { INDEX_ATTRIBUTES, indexed } from '../../../library/protocol/claim/statusIndex.ts'
import { leftovers, tokenKeyOf } from '../../../library/protocol/claim/token/claimWrites.ts'
import { ttlOf } from '../../../library/protocol/claim/token/endKey.ts'
import { type Token, CALL_PREFIX, DROPPED } from '../../../library/protocol/claim/token/token.ts'
import type { Update } from '../../../library/protocol/store/store.ts'
import { isIdempotencyKey } from '../../../library/entries/sweeper/address.ts'
import { splitId, displayId } from '../text/itemId.ts'
import { commandText, decideCommand } from '../item/advise.ts'
import type { Decision } from '../item/decisions.ts'
import { optionWord } from '../text/commandLine.ts'
import { type ChangePlan, noChange, planned, type PlanHead } from './applyPlan.ts'
import { asShown, tokenHeadOf, newFence } from './tokenChange.ts'
import { unknownCalls, isWholeSection, SECTION, unknownOutcomes } from '../explain/tokenState.ts'

export type TokenDecision = Extract<Decision, 'done' | 'free' | 'again' | 'drop'>

export function isOfToken(word: Decision): word is TokenDecision {
  return word === 'done' || word === 'free' || word === 'again' || word === 'drop'
}

export function planOfToken(
  token: Token,
  word: TokenDecision,
  details: ReopenOptions & Resolution,
  now: number,
): ChangePlan {
  switch (word) {
    case 'done':
      return planResolve(token, details, now)
    case 'free':
      return planRelease(token, details.notDone ?? [], now)
    case 'again':
      return planReopen(token, details, now)
    case 'drop':
      return planDrop(token, now)
  }
}

export interface Resolution {
  /** What later callers of the key receive. */
  readonly result?: unknown
  /** It ended as failed. */
  readonly error?: string | undefined
}

/** The operator knows how the request ended. It never runs again, and duplicates are dropped for its retention, or 30 days. */
export function planResolve(token: Token, ending: Resolution, now: number): ChangePlan {
  const about = tokenHeadOf('decide done', token, now)
  if (token.status === 'complete') return noChange('nothing', about, 'it has ended already')
  const { result, error } = ending
  const outcome = {
    ...(error !== undefined && { error }),
    ...(result !== undefined && { result: encodeValue(result) }),
  }
  const end = { actualCompletion: isoTime(now), ...ttlOf({ now, retention: retentionOf(token) }) }
  const removed = [
    'status',
    'leaseUntil',
    ...RETRY_FIELDS,
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
      error === undefined ? 'ends as done' : `ends as failed, with the error: ${error}`,
      ...effectOnCallers(token, ending),
      ...deadLetterOf(token),
    ],
    set: { ...newFence(token, now), ...end, ...outcome },
    remove: removed.filter((name) => !(name in outcome) && !(name in end)),
  })
}

function deadLetterOf({ pk, death }: Token): readonly string[] {
  if (death === 0 || isIdempotencyKey(pk)) return []
  const id = optionWord('--id', splitId(pk).rest)
  return [`its dead letter stays on its queue; to take it off: lineclear dlq discard --all ${id}`]
}

function effectOnCallers({ pk }: Token, { result, error }: Resolution): readonly string[] {
  if (!isIdempotencyKey(pk)) return ['its messages are dropped as duplicates; it never runs again']
  if (error !== undefined) return ['later callers of the key get that error; nothing runs']
  return result === undefined
    ? ['later callers of the key learn that it is done, without a result; nothing runs']
    : [`later callers of the key get the result ${JSON.stringify(result)}; nothing runs`]
}

/**
 * The request was not done. The next delivery runs it with a fresh retry budget, and makes calls with an unknown outcome again.
 * @param notDone what was not done: calls, or the section of a key. Without their names nothing is released: a second charge is
 * worse than a question
 */
export function planRelease(token: Token, notDone: readonly string[], now: number): ChangePlan {
  const about = tokenHeadOf('decide free', token, now)
  if (token.status === 'complete') {
    return noChange('impossible', about, 'it is done: releasing it would run it twice')
  }
  if (isFinal(token)) return noChange('impossible', about, FINAL)
  if (isFree(token)) return noChange('nothing', about, 'it is free already')
  const doubtful = unknownCalls(token)
  const unsaid = unsaidCalls(token, notDone, now)
  if (unsaid !== undefined) return noChange('impossible', about, unsaid)
  // Only the claim of a key removes the ttl again. A dead-lettered request may be claimed by code that does not.
  const ofKey = token.death === 0 && (token.status === 'error' || token.status === 'unknown')
  return plannedChange(about, token, now, {
    changes: isWholeSection(token)
      ? [
          'becomes free: the next call for the key runs its whole section again',
          'whatever an earlier call did outside is done again: the table does not record it',
        ]
      : [
          `becomes free: the next ${isIdempotencyKey(token.pk) ? 'call' : 'message'} for it runs, and its attempts count from 1`,
          'effects applied through ctx and stored results of ctx.call are not repeated',
          ...(isIdempotencyKey(token.pk) ? [] : [whoRunsIt(token)]),
          ...doubtful.map((name) => `the call '${name}' counts as not made, and is made again`),
        ],
    set: {
      ...freshStart(token, now),
      ...(ofKey ? ttlOf({ now, retention: retentionOf(token) }) : {}),
    },
    remove: [...ENDED, ...INDEX_ATTRIBUTES, ...stepsOf(doubtful)],
  })
}

/** A free request is not in the status index: nothing lists it until a message for it is there. */
function whoRunsIt({ pk, death }: Token): string {
  const again = 'send it again with the same payload and the same id'
  return death > 0
    ? `nothing lists it until then. Redrive its dead letter: ${redriveOf(pk)}; if that is gone, ${again}`
    : `nothing lists it until then. If its message is gone (its queue is empty), ${again}, or it never runs`
}

/** On whichever queue it is. */
function redriveOf(pk: string): string {
  return `lineclear dlq redrive --all ${optionWord('--id', splitId(pk).rest)}`
}

function unsaidCalls(token: Token, notDone: readonly string[], now: number): string | undefined {
  const known = unknownOutcomes(token)
  const wrong = notDone.find((name) => !known.includes(name))
  if (wrong !== undefined) return noSuchCall(wrong, known)
  const open = known.filter((name) => !notDone.includes(name))
  if (open.length === 0) return undefined
  const options = open.map((name) => optionWord('--not-done', name)).join(' ')
  if (open[0] === SECTION) return unsaidSection(token, options, now)
  const made = { ask: 'answer', word: 'JSON', before: 'CALL=' } as const
  const again = commandText(decideCommand(displayId(token.pk), 'again', { made }))
  return `the outcome of ${quoted(open)} is not known: look at the outside system. If it was not made, add ${options}; if it was made: ${again}`
}

function unsaidSection({ pk, leaseUntil }: Token, options: string, now: number): string {
  return leaseUntil > now
    ? `a call of it is running, and what that call does outside is not known. If it was killed and nothing was done, add ${options} --force`
    : `whether its section was done is not known: look at the outside system. If nothing was done, add ${options}; if it was done: ${commandText(decideCommand(displayId(pk), 'done'))}`
}

function quoted(calls: readonly string[]): string {
  return calls.map((name) => `the call '${name}'`).join(', ')
}

export interface ReopenOptions {
  /** Calls with an unknown outcome that were made: their results by name. */
  readonly answers?: ReadonlyMap<string, unknown>
  /** Calls with an unknown outcome that were not made. */
  readonly notDone?: readonly string[]
}

/** Lets a dead-lettered request run again when its dead letter is redriven. Nothing that it has done is repeated. */
export function planReopen(token: Token, reopening: ReopenOptions, now: number): ChangePlan {
  const about = tokenHeadOf('decide again', token, now)
  const { answers = new Map<string, unknown>(), notDone = [] } = reopening
  const doubtful = unknownCalls(token)
  const unknown = [...answers.keys(), ...notDone].find((name) => !doubtful.includes(name))
  if (token.status === 'complete') return noChange('impossible', about, 'it is done')
  if (isFinal(token)) return noChange('impossible', about, FINAL)
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
  const both = notDone.find((name) => answers.has(name))
  if (both !== undefined) {
    return noChange('impossible', about, `the call '${both}' was made or was not made: say one`)
  }
  const open = doubtful.filter((name) => !answers.has(name) && !notDone.includes(name))
  return plannedChange(about, token, now, {
    changes: [
      'may run again, and its attempts count from 1; effects applied through ctx and stored results of ctx.call are not repeated',
      ...[...answers.keys()].map(
        (name) => `the call '${name}' counts as made, with the given result`,
      ),
      ...notDone.map((name) => `the call '${name}' counts as not made, and is made again`),
      ...open.map(
        (name) =>
          `the outcome of the call '${name}' stays unknown: the request is parked again, unless ifUnknown of the call is 'repeat' or a function that finds out`,
      ),
      isIdempotencyKey(token.pk)
        ? 'it runs at the next call with its key, or when its event is invoked again'
        : `it runs when its message is delivered: redrive its dead letter (${redriveOf(token.pk)})`,
    ],
    set: {
      ...freshStart(token, now),
      ...indexed(token.pk, 'inProgress', now),
      ...Object.fromEntries(
        [...answers].map(([name, answer]) => [CALL_PREFIX + name, ANSWERED + encodeValue(answer)]),
      ),
    },
    remove: [...ENDED, ...stepsOf(notDone)],
  })
}

/** Its death becomes final: its dead letter, when it is redriven, runs `onFailure`, and never the request. */
function planDrop(token: Token, now: number): ChangePlan {
  const about = tokenHeadOf('decide drop', token, now)
  const { pk, status, ending } = token
  if (status === 'complete') return noChange('impossible', about, 'it is done')
  if (ending?.dropped === true) return noChange('nothing', about, 'it is dropped already')
  if (ending?.final === true) {
    return noChange('nothing', about, "its death is final already (dead: 'final')")
  }
  if (status !== 'error' && status !== 'unknown') return noChange('impossible', about, NOT_DEAD)
  if (ending === undefined) return noChange('impossible', about, NOT_TOLD)
  const quiet = (sortableTime(token.attemptId) ?? now) + MAX_LAMBDA_MS
  const changes = [
    'never runs again',
    `its onFailure runs with end.final when its dead letter is redriven (${redriveOf(pk)}), and may take back what the request has made`,
  ]
  const set = { ...newFence(token, now), final: DROPPED, untold: UNTOLD }
  const update = { key: tokenKeyOf(token), where: asShown(token), set }
  const until = quiet > now ? quiet : undefined
  return planned(about, changes, { kind: 'updates', updates: [update] }, until)
}

const NOT_DEAD = 'it is not dead: it continues by itself, or its dead letter is being sent'
const NOT_TOLD =
  'its consumer had no onFailure when it died, so nothing would be taken back. To end it: lineclear decide ID done'
/** The value of `untold` until `onFailure` runs. */
const UNTOLD = 'it has not run since the request was dropped'

function freshStart(token: Token, now: number): NonNullable<Update['set']> {
  return { ...newFence(token, now), status: 'inProgress', leaseUntil: 0, attempt: 0 }
}

/** Its `onFailure` takes back, or has taken back, what it made. */
function isFinal({ ending }: Token): boolean {
  return ending?.final === true
}

const FINAL =
  "its death is final (dead: 'final', or dropped by an operator), and what it made may have been taken back: make a new request, with another id"

/** Attributes that a claim keeps of its retries. */
const RETRY_FIELDS = ['notBefore', 'resendNumber', 'confirmed']

/** Attributes that an end has written, and a fresh start must not find. */
const ENDED = [...RETRY_FIELDS, 'reason', 'error', 'stack', 'actualCompletion', 'untold']

const KEYS_ARE_NOT_REOPENED =
  'a key has no dead letter and no recorded effects: its whole section would run again. If it was done: lineclear decide ' +
  'ID done; if it was not done: lineclear decide ID free'
const ANSWERED = 'done:'

/** A key has its own retention, and `'forever'` is kept. */
function retentionOf({ retention = DEFAULT_RETENTION_MS }: Token): number {
  return retention
}

function isFree(token: Token): boolean {
  return token.status === 'inProgress' && token.leaseUntil === 0 && token.attempt === 0
}

function stepsOf(names: readonly string[]): readonly string[] {
  return names.map((name) => CALL_PREFIX + name)
}

function noSuchCall(name: string, doubtful: readonly string[]): string {
  const known = doubtful.length === 0 ? 'none has' : `unknown: ${doubtful.join(', ')}`
  return `no call '${name}' has an unknown outcome (${known})`
}

function plannedChange(
  about: PlanHead,
  token: Token,
  now: number,
  { changes, ...write }: Pick<Update, 'set' | 'remove'> & { readonly changes: readonly string[] },
): ChangePlan {
  const update = { key: tokenKeyOf(token), where: asShown(token), ...write }
  const liveLease = token.leaseUntil > now ? token.leaseUntil : undefined
  return planned(about, changes, { kind: 'updates', updates: [update] }, liveLease)
}
