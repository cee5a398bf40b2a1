import type { Item, StoreKey, Value } from '../../store/store.ts'

/**
 * The status of a lock token. `inProgress`: an attempt is live, or a retry waits (then `leaseUntil` is 0 and `notBefore` says
 * when). `dying`: fenced, and its dead letter is being sent. `ending`: the letter was sent, and `onFailure` is due or runs. `error`
 * and `unknown`: dead-lettered, waits for an operator. `complete`: stored as no status, so that the status index holds unfinished
 * work only.
 */
type TokenStatus = 'inProgress' | 'dying' | 'ending' | 'error' | 'unknown' | 'complete'

export interface Token {
  readonly pk: string
  readonly status: TokenStatus
  /** Identifies one execution. Only the attempt with this id may write. */
  readonly attemptId: string
  /** Executions that have begun, including this one. */
  readonly attempt: number
  /** Grows with each claim and never falls, so of two attempts the one with the higher fence is the later. */
  readonly fence: number
  /** Until when the claim is exclusive, epoch milliseconds. 0: no attempt is running. */
  readonly leaseUntil: number
  /** No attempt starts before this time, epoch milliseconds. */
  readonly notBefore: number
  /** Number of the newest resend, and whether the queue is known to have accepted it. */
  readonly resendNumber: number
  readonly confirmed: boolean
  /** How often the request was dead-lettered. A dead letter of an earlier death cannot reopen it. */
  readonly death: number
  /** Identifies the consumer that claimed it last, and its queue. undefined: of keys, which no consumer claims. */
  readonly by?: string
  /**
   * Keys whose function has `ctx` only: when the first attempt claimed the key, epoch milliseconds. The ids of messages and of
   * outside calls contain it, so that a key that is used again after its retention makes new ones.
   */
  readonly since?: number
  /**
   * Keys whose function has `ctx` only: until when the holder counts as alive to a retry of its own Lambda request, epoch
   * milliseconds. The holder extends it while it runs.
   */
  readonly aliveUntil?: number
  /** With `aliveUntil` only: the Lambda request that holds the key, or held it last. */
  readonly lockedBy?: string
  /** Keys only: when the lease of a holder is over that has not ended, the token is parked, and no caller takes over. */
  readonly parksAfterLease?: true
  readonly reason: string | undefined
  readonly error: string | undefined
  /** Frames and causes of the error, if it was thrown. */
  readonly stack?: string
  readonly payloadHash: string | undefined
  /** Epoch seconds, on completed tokens only. */
  readonly ttl: number | undefined
  /**
   * How long its end is remembered, milliseconds, or Infinity. Stored for keys only, so that an operator can end a key without
   * knowing its options.
   */
  readonly retention: number | undefined
  /** Names of the effects that have been applied to the user's tables. */
  readonly applied: ReadonlySet<string>
  /** The stored texts of outside calls, by name. */
  readonly calls: ReadonlyMap<string, string>
  /** What only a death with `onFailure` leaves. undefined: there was none. */
  readonly ending?: Ending
  /** What marks and calls take that are not among `applied` and `calls`. Default 0. */
  readonly bytesBeside?: number
}

/** The second act of a request, after a bad end. */
interface Ending {
  /** How many attempts the request has had. */
  readonly attempts: number
  /** The request never runs again. */
  readonly final: boolean
  /** An operator has made it final, after `onFailure` had reported a death that could be redriven. */
  readonly dropped: boolean
  /** Why `onFailure` was given up: it waits for an operator. */
  readonly untold: string | undefined
  /** Its marks and calls, each behind the number of the death. */
  readonly applied: ReadonlySet<string>
  readonly calls: ReadonlyMap<string, string>
}

/** The value of `afterLease`. */
export const PARKED = 'parked'
/** Attributes of a token with the results of outside calls. An AwaitingStep has answers under the same prefix. */
export const CALL_PREFIX = 'step:'
/** The value of `final` of a request that an operator has dropped. */
export const DROPPED = 'dropped'
/** The same as CALL_PREFIX for `onFailure`: it shares no name with the attempts of the request. Its marks are in `ended`. */
export const ENDED_PREFIX = 'ended:'
const NO_NAMES: ReadonlySet<string> = new Set()
const UNMARKED = {
  status: 'inProgress',
  attempt: 1,
  fence: 1,
  notBefore: 0,
  resendNumber: 0,
  confirmed: false,
  death: 0,
  reason: undefined,
  error: undefined,
  ttl: undefined,
  retention: undefined,
  applied: NO_NAMES,
  calls: new Map<string, string>(),
} as const
/** If one of these had a wrong type it would be read as 0: no lease, no resend, no death. */
const COUNTS = ['leaseUntil', 'notBefore', 'resendNumber', 'death'] as const
const STATUSES: ReadonlySet<string> = new Set(['inProgress', 'dying', 'ending', 'error', 'unknown'])

export function tokenKey(consumer: string, uniqueRequestId: string): StoreKey {
  return { pk: `lock#${consumer}/${uniqueRequestId}`, sk: 'token' }
}

/** @returns undefined for an item that is not a token this version can read. Such an item must never be run as if it were new. */
export function readToken(item: Item): Token | undefined {
  const status = item['status'] ?? 'complete'
  const { pk, attemptId, attempt, fence, by, lockedBy, since, aliveUntil, stack } = item
  // @survives ConditionalExpression: no status is anything but a text, so what is none is not among them; the check is for the
  // types.
  if (typeof status !== 'string' || (status !== 'complete' && !STATUSES.has(status)))
    return undefined
  if (typeof pk !== 'string' || typeof attemptId !== 'string') return undefined
  if (typeof attempt !== 'number' || typeof fence !== 'number') return undefined
  const { applied } = item
  if (applied !== undefined && !(applied instanceof Set)) return undefined
  if (COUNTS.some((name) => item[name] !== undefined && typeof item[name] !== 'number'))
    return undefined
  return {
    pk,
    status: status as TokenStatus,
    attemptId,
    attempt,
    fence,
    leaseUntil: numberOr0(item['leaseUntil']),
    notBefore: numberOr0(item['notBefore']),
    resendNumber: numberOr0(item['resendNumber']),
    confirmed: item['confirmed'] === true,
    death: numberOr0(item['death']),
    ...(typeof by === 'string' && { by }),
    ...(typeof since === 'number' && { since }),
    ...(typeof aliveUntil === 'number' && typeof lockedBy === 'string' && { aliveUntil, lockedBy }),
    ...(item['afterLease'] === PARKED && { parksAfterLease: true }),
    reason: textOf(item['reason']),
    error: textOf(item['error']),
    ...(typeof stack === 'string' && stack !== '' && { stack }),
    payloadHash: textOf(item['payloadHash']),
    ttl: typeof item['ttl'] === 'number' ? item['ttl'] : undefined,
    retention: retentionOf(item['retention']),
    applied: applied ?? NO_NAMES,
    calls: callsOf(item, CALL_PREFIX),
    ...(item['attempts'] !== undefined && { ending: endingOf(item) }),
  }
}

function endingOf(item: Item): Ending {
  const { attempts, final, untold, ended } = item
  return {
    attempts: numberOr0(attempts),
    final: final === true || final === DROPPED,
    dropped: final === DROPPED,
    untold: textOf(untold),
    applied: ended instanceof Set ? ended : NO_NAMES,
    calls: callsOf(item, ENDED_PREFIX),
  }
}

/** Which bad end `onFailure` is for: its effects and ids have this name, so that each of them happens once for each end. */
export function nameOfEnd({ death, ending }: Pick<Token, 'death' | 'ending'>): string {
  // @protects what is taken back after a drop is not held back by what the report of the death has made
  // @without `${death}` @tests test/tools/cli/dropped
  return ending?.dropped === true ? `${death} ${DROPPED}` : `${death}`
}

/** The token that a first claim has written, built without reading it back. */
export function firstToken(
  claim: Pick<Token, 'pk' | 'attemptId' | 'leaseUntil' | 'payloadHash'>,
): Token {
  const { pk, attemptId, leaseUntil, payloadHash } = claim
  return { ...UNMARKED, pk, attemptId, leaseUntil, payloadHash }
}

function callsOf(item: Item, prefix: string): ReadonlyMap<string, string> {
  const calls = new Map<string, string>()
  for (const [name, value] of Object.entries(item)) {
    if (name.startsWith(prefix) && typeof value === 'string')
      calls.set(name.slice(prefix.length), value)
  }
  return calls
}

function retentionOf(stored: Value | undefined): number | undefined {
  if (stored === 'forever') return Infinity
  return typeof stored === 'number' ? stored : undefined
}

function numberOr0(value: Value | undefined): number {
  return typeof value === 'number' ? value : 0
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
