import type { Item, StoreKey, Value } from '../../store/store.ts'

/**
 * The lock token of one request: the seeds' record, with a fence.
 * `inProgress`: a live attempt, or a retry that waits (then `leaseUntil` is 0 and `notBefore` says when).
 * `dying`: fenced, its dead letter is on the way. `error` and `unknown`: dead-lettered, wait for an operator. `complete`: no
 * status in the table, so that the status index holds unfinished work only.
 */
type TokenStatus = 'inProgress' | 'dying' | 'error' | 'unknown' | 'complete'

export interface Token {
  readonly pk: string
  readonly status: TokenStatus
  /** Names one execution. Only its holder may write. */
  readonly attemptId: string
  /** Executions begun, this one included. */
  readonly attempt: number
  /** Grows with each claim and never falls: says which of two attempts is the later. */
  readonly fence: number
  /** Until when the claim is exclusive, epoch milliseconds. 0: no attempt runs. */
  readonly leaseUntil: number
  /** No execution before, epoch milliseconds. */
  readonly notBefore: number
  /** Number of the newest resend (stored as `ticket`), and whether the queue is known to have accepted it. */
  readonly resendNumber: number
  readonly confirmed: boolean
  /** How often the request was dead-lettered: a dead letter of an earlier death cannot reopen it. */
  readonly death: number
  /** Which consumer claimed it last, from which queue. undefined: not stored, as in 0.1.0. */
  readonly by?: string
  readonly reason: string | undefined
  readonly error: string | undefined
  readonly payloadHash: string | undefined
  /** Epoch seconds, on completed tokens only. */
  readonly ttl: number | undefined
  /** How long its end is remembered, milliseconds, or Infinity. Keys only: an operator who ends one need not know its options. */
  readonly retention: number | undefined
  /** Names of the effects that are in the user's tables. */
  readonly applied: ReadonlySet<string>
  /** Outside calls by name, as they were stored. */
  readonly calls: ReadonlyMap<string, string>
}

export const CALL_PREFIX = 'step:'
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
/** Of a wrong type they would pass for none: no lease, no re-send, no death. */
const COUNTS = ['leaseUntil', 'notBefore', 'ticket', 'death'] as const
const STATUSES: ReadonlySet<string> = new Set(['inProgress', 'dying', 'error', 'unknown'])

export function tokenKey(consumer: string, uniqueRequestId: string): StoreKey {
  return { pk: `lock#${consumer}/${uniqueRequestId}`, sk: 'token' }
}

/** @returns undefined for an item that is no token this version can read: it must never be run as if it were new. */
export function readToken(item: Item): Token | undefined {
  const status = item['status'] ?? 'complete'
  const { pk, attemptId, attempt, fence, by } = item
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
    resendNumber: numberOr0(item['ticket']),
    confirmed: item['confirmed'] === true,
    death: numberOr0(item['death']),
    ...(typeof by === 'string' && { by }),
    reason: textOf(item['reason']),
    error: textOf(item['error']),
    payloadHash: textOf(item['payloadHash']),
    ttl: typeof item['ttl'] === 'number' ? item['ttl'] : undefined,
    retention: retentionOf(item['retention']),
    applied: applied ?? NO_NAMES,
    calls: callsOf(item),
  }
}

/** What a first claim has written, without reading it back. */
export function firstToken(claim: {
  readonly pk: string
  readonly attemptId: string
  readonly leaseUntil: number
  readonly payloadHash: string | undefined
}): Token {
  const { pk, attemptId, leaseUntil, payloadHash } = claim
  return { ...UNMARKED, pk, attemptId, leaseUntil, payloadHash }
}

function callsOf(item: Item): ReadonlyMap<string, string> {
  const steps = new Map<string, string>()
  for (const [name, value] of Object.entries(item)) {
    if (name.startsWith(CALL_PREFIX) && typeof value === 'string')
      steps.set(name.slice(CALL_PREFIX.length), value)
  }
  return steps
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
