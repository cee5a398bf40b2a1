import { encodeValue } from '../../context/results/storedValue.ts'
import { STARTED } from '../../claim/hold.ts'
import { sortableId } from '../../ids.ts'
import { isoTime } from '../../isoTime.ts'
import { indexed, keyOf, leftovers } from '../../claim/token/claimWrites.ts'
import { DEFAULT_RETENTION_MS, ttlOf } from '../../claim/token/endKey.ts'
import { STEP, type Token } from '../../claim/token/token.ts'
import type { Condition, Update } from '../../store/store.ts'
import { idOf, isOfKey } from './address.ts'
import { describeToken } from './describeToken.ts'
import { type Action, idle, type Plan } from './plan.ts'

/** How a parked request is told to have ended. `result`: what later callers of the key are given. */
export type Resolution =
  | { readonly as: 'done'; readonly result?: unknown }
  | { readonly as: 'failed'; readonly error: string }

/** A key tells its own: `'forever'` stays for ever. */
function retentionOf({ retention = DEFAULT_RETENTION_MS }: Token): number {
  return retention
}

/** A person knows how it ended: nobody runs it again, and duplicates are dropped, for as long as its retention, or 30 days. */
export function planResolve(token: Token, resolution: Resolution, now: number): Plan {
  const about = aboutOf('tokens resolve', token, now)
  if (token.status === 'complete') return idle('nothing', about, 'it has ended already')
  const said =
    resolution.as === 'failed'
      ? { error: resolution.error }
      : resolution.result === undefined
        ? {}
        : { result: encodeValue(resolution.result) }
  const end = { actualCompletion: isoTime(now), ...ttlOf({ now, retention: retentionOf(token) }) }
  const gone = [
    'status',
    ...TRANSIENT,
    ...LISTED,
    ...leftovers(token),
    'reason',
    'error',
    'notKept',
    'ttl',
  ]
  return changing(about, token, now, {
    changes: [
      resolution.as === 'done'
        ? 'ends as done'
        : `ends as failed, with the error: ${resolution.error}`,
      ...laterLines(token, resolution),
    ],
    set: { ...fenced(token, now), ...end, ...said },
    remove: gone.filter((name) => !(name in said) && !(name in end)),
  })
}

function laterLines({ pk }: Token, resolution: Resolution): readonly string[] {
  if (!isOfKey(pk)) return ['its copies are dropped as duplicates; it never runs again']
  if (resolution.as === 'failed') return ['later callers of the key get that error; nothing is run']
  return resolution.result === undefined
    ? ['later callers of the key learn that it is done, without a result; nothing is run']
    : [
        `later callers of the key get the result ${JSON.stringify(resolution.result)}; nothing is run`,
      ]
}

/** It was not done: whoever comes next runs it, with a fresh budget, and makes a call in doubt again. */
export function planRelease(token: Token, now: number): Plan {
  const about = aboutOf('tokens release', token, now)
  if (token.status === 'complete') {
    return idle('impossible', about, 'it is done: released, it would be done twice')
  }
  if (isFree(token)) return idle('nothing', about, 'it is free already')
  const doubtful = inDoubt(token)
  // Only `claimKey` takes the ttl off again; a request that was dead-lettered may be claimed without it.
  const ofKey = token.death === 0 && (token.status === 'error' || token.status === 'unknown')
  return changing(about, token, now, {
    changes: isOfKey(token.pk)
      ? [
          'is free: the next call for the key runs its whole section again',
          'what an earlier call has done outside is not known here, and is done again',
        ]
      : [
          'is free: the next message for it runs, and its attempts count from 1 again',
          'effects through ctx that were made, and answers of ctx.once that were stored, are not repeated',
          ...doubtful.map((name) => `the call '${name}' counts as not made, and is made again`),
        ],
    set: {
      ...fenced(token, now),
      status: 'inProgress',
      leaseUntil: 0,
      attempt: 0,
      ...(ofKey ? ttlOf({ now, retention: retentionOf(token) }) : {}),
    },
    remove: [...WAITING, ...LISTED, 'reason', 'error', 'actualCompletion', ...stepsOf(doubtful)],
  })
}

export interface Reopening {
  /** Calls that were in doubt and are known to be done: their answers by name. */
  readonly answers?: ReadonlyMap<string, unknown>
  /** Calls that were in doubt and were not made. */
  readonly notDone?: readonly string[]
}

/** A dead-lettered request may run again, when its letter comes back: nothing that it has done is repeated. */
export function planReopen(token: Token, reopening: Reopening, now: number): Plan {
  const about = aboutOf('tokens reopen', token, now)
  const { answers = new Map<string, unknown>(), notDone = [] } = reopening
  const doubtful = inDoubt(token)
  const unknown = [...answers.keys(), ...notDone].find((name) => !doubtful.includes(name))
  if (token.status === 'complete') return idle('impossible', about, 'it is done')
  if (isFree(token)) return idle('nothing', about, 'it may run already')
  if (token.status !== 'error' && token.status !== 'unknown') {
    return idle(
      'impossible',
      about,
      'it is not parked: it runs by itself, or is on its way to the dead letters',
    )
  }
  if (isOfKey(token.pk)) return idle('impossible', about, KEYS_ARE_NOT_REOPENED)
  if (unknown !== undefined) {
    const known = doubtful.length === 0 ? 'none is' : `in doubt: ${doubtful.join(', ')}`
    return idle('impossible', about, `no call '${unknown}' is in doubt (${known})`)
  }
  const open = doubtful.filter((name) => !answers.has(name) && !notDone.includes(name))
  return changing(about, token, now, {
    changes: [
      'may run again, and its attempts count from 1; effects through ctx and stored answers of ctx.once are not repeated',
      ...[...answers.keys()].map(
        (name) => `the call '${name}' counts as done, with the answer given`,
      ),
      ...notDone.map((name) => `the call '${name}' counts as not made, and is made again`),
      ...open.map(
        (name) => `the call '${name}' stays in doubt: without verify() it is parked again`,
      ),
      'it runs when its message comes: send its dead letter back (lineclear dlq redrive)',
    ],
    set: {
      ...fenced(token, now),
      status: 'inProgress',
      leaseUntil: 0,
      attempt: 0,
      ...indexed(token.pk, 'inProgress', now),
      ...Object.fromEntries(
        [...answers].map(([name, answer]) => [STEP + name, DONE + encodeValue(answer)]),
      ),
    },
    remove: [...WAITING, 'reason', 'error', 'actualCompletion', ...stepsOf(notDone)],
  })
}

const KEYS_ARE_NOT_REOPENED =
  'a key has no dead letter and no marks: its whole section would run again. It was done: lineclear tokens resolve; ' +
  'it was not done: lineclear tokens release'
const DONE = 'done:'
const LISTED = ['statusShard', 'dueAt']
const WAITING = ['notBefore', 'ticket', 'confirmed']
const TRANSIENT = ['leaseUntil', ...WAITING]

/** Calls begun, of which nobody knows whether they were made. */
export function inDoubt(token: Token): readonly string[] {
  return [...token.steps].filter(([, stored]) => stored === STARTED).map(([name]) => name)
}

function isFree(token: Token): boolean {
  return token.status === 'inProgress' && token.leaseUntil === 0 && token.attempt === 0
}

function stepsOf(names: readonly string[]): readonly string[] {
  return names.map((name) => STEP + name)
}

/** A new name and a higher fence: what an attempt before still has on its way is refused. */
function fenced(token: Token, now: number): { attemptId: string; fence: number } {
  return { attemptId: `operator-${sortableId(now)}`, fence: token.fence + 1 }
}

interface About {
  readonly action: Action
  readonly id: string
  readonly standing: readonly string[]
}

function aboutOf(action: Action, token: Token, now: number): About {
  return { action, id: idOf(token.pk), standing: describeToken(token, now) }
}

function changing(
  about: About,
  token: Token,
  now: number,
  { changes, ...write }: Pick<Update, 'set' | 'remove'> & { readonly changes: readonly string[] },
): Plan {
  const update = { key: keyOf(token), where: asShown(token), ...write }
  const liveLease = token.leaseUntil > now ? token.leaseUntil : undefined
  return { kind: 'change', ...about, changes, liveLease, effect: { kind: 'update', update } }
}

/** All that the plan was made from: claims change the first three, retries and releases the lease. */
function asShown(token: Token): readonly Condition[] {
  const { attemptId, fence, attempt, leaseUntil, status } = token
  return [
    is('attemptId', attemptId),
    is('fence', fence),
    is('attempt', attempt),
    status === 'complete' ? { absent: 'status' } : is('status', status),
    leaseUntil === 0
      ? { any: [is('leaseUntil', 0), { absent: 'leaseUntil' }] }
      : is('leaseUntil', leaseUntil),
    ...inDoubt(token).map((name) => is(STEP + name, STARTED)),
  ]
}

function is(field: string, value: string | number): Condition {
  return { field, is: '=', value }
}
