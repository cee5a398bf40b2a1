import { isoTime } from '../../isoTime.ts'
import type { FailedAttempt } from '../hold.ts'
import type { Condition, Update, WriteOutcome } from '../../store/store.ts'
import { INDEX_ATTRIBUTES, indexed } from '../statusIndex.ts'
import { tokenKeyOf } from './claimWrites.ts'
import { CALL_PREFIX, type Token } from './token.ts'

/** The fence: every write after the claim holds only while this attempt has it. */
export function ownedBy(token: Token, status: 'inProgress' | 'dying' = 'inProgress'): Condition[] {
  return [
    { field: 'attemptId', is: '=', value: token.attemptId },
    { field: 'status', is: '=', value: status },
  ]
}

/** The end of a request. Its id stays known for `retention`; a late duplicate finds it. */
export function complete(token: Token, now: number, retention: number): Update {
  return {
    key: tokenKeyOf(token),
    where: ownedBy(token),
    set: {
      actualCompletion: isoTime(now),
      ttl: Math.ceil((now + retention) / 1_000),
    },
    remove: ['status', 'leaseUntil', ...(isBare(token) ? [] : marksOf(token))],
  }
}

/** A first attempt without stored calls has nothing else on its token: the common case, one statement for all. */
function isBare(token: Token): boolean {
  return token.fence === 1 && token.calls.size === 0 && token.applied.size === 0
}

function marksOf(token: Token): string[] {
  const steps = [...token.calls.keys()].map((name) => CALL_PREFIX + name)
  return [
    ...INDEX_ATTRIBUTES,
    'notBefore',
    'ticket',
    'confirmed',
    'reason',
    'error',
    'applied',
    ...steps,
  ]
}

/** Written before the copy is sent: from here on no attempt starts before `notBefore`, whichever copy arrives first. */
export function scheduleResend(
  token: Token,
  resendNumber: number,
  notBefore: number,
  end?: FailedAttempt,
): Update {
  return {
    key: tokenKeyOf(token),
    where: ownedBy(token),
    set: {
      leaseUntil: 0,
      notBefore,
      ticket: resendNumber,
      confirmed: false,
      ...endOf(token, end),
      ...indexed(token.pk, 'inProgress', notBefore),
    },
  }
}

/**
 * The queue holds the copy: older ones may be acknowledged. Fenced, since a late confirmation must not vouch for a resend of the
 * same number that another life of the request has written.
 */
export function confirmResend(token: Token): Update {
  return { key: tokenKeyOf(token), where: ownedBy(token), set: { confirmed: true } }
}

/** The same message comes back after its visibility timeout. */
export function waitUntil(token: Token, notBefore: number, end?: FailedAttempt): Update {
  return {
    key: tokenKeyOf(token),
    where: ownedBy(token),
    set: {
      leaseUntil: 0,
      notBefore,
      ...endOf(token, end),
      ...indexed(token.pk, 'inProgress', notBefore),
    },
  }
}

/** Characters: the token is to stay within the kilobyte that one write unit pays for. */
const ERROR_KEPT = 300

function endOf(
  { attempt }: Token,
  end: FailedAttempt | undefined,
): { error?: string; attempt?: number } {
  if (end === undefined) return {}
  const error = end.error.slice(0, ERROR_KEPT).toWellFormed()
  return end.counts ? { error } : { error, attempt: attempt - 1 }
}

/** Returned to the queue before its handler started: the attempt does not count. */
export function release(token: Token, now: number): Update {
  return {
    key: tokenKeyOf(token),
    where: ownedBy(token),
    set: {
      leaseUntil: 0,
      attempt: token.attempt - 1,
      ...indexed(token.pk, 'inProgress', now),
    },
  }
}

export function startDeadLettering(
  token: Token,
  death: { readonly reason: string; readonly error: string },
  now: number,
): Update {
  return {
    key: tokenKeyOf(token),
    where: ownedBy(token),
    set: {
      status: 'dying',
      death: token.death + 1,
      reason: death.reason,
      error: death.error,
      ...indexed(token.pk, 'dying', now),
    },
  }
}

/** Written when the queue has accepted the dead letter. No `ttl`: it waits for an operator. */
export function finishDeadLettering(token: Token, now: number): Update {
  const status = token.reason === 'unknown' ? 'unknown' : 'error'
  return {
    key: tokenKeyOf(token),
    where: ownedBy(token, 'dying'),
    set: {
      status,
      actualCompletion: isoTime(now),
      ...indexed(token.pk, status, now),
    },
    remove: ['leaseUntil', 'notBefore', 'ticket', 'confirmed'],
  }
}

/** Before an outside call that must not be repeated, and after any: written once, never over another's answer. */
export function storeCall(
  token: Token,
  name: string,
  stored: string,
  before: string | undefined,
): Update {
  const field = CALL_PREFIX + name
  const asBefore: Condition =
    before === undefined ? { absent: field } : { field, is: '=', value: before }
  return { key: tokenKeyOf(token), where: [...ownedBy(token), asBefore], set: { [field]: stored } }
}

/** The call never reached the other side: it may be made again. */
export function forgetCall(token: Token, name: string): Update {
  return { key: tokenKeyOf(token), where: ownedBy(token), remove: [CALL_PREFIX + name] }
}

export function addEffect(token: Token, name: string): Update {
  return {
    key: tokenKeyOf(token),
    where: [...ownedBy(token), { field: 'applied', lacks: name }],
    addTo: { field: 'applied', member: name },
  }
}

/** Nothing is written; the transaction fails when the claim is gone. */
export function checkOwned(token: Token): Update {
  return { key: tokenKeyOf(token), where: ownedBy(token) }
}

/**
 * Did the write take effect, at this call or at one whose answer was lost? A refusal by an item that already holds all
 * of it, under my attempt, is my own write seen again.
 */
export function wasWritten(outcome: WriteOutcome, update: Update, token: Token): boolean {
  if (outcome.kind === 'applied') return true
  if (outcome.kind === 'failed' || outcome.item === undefined) return false
  const { item } = outcome
  if (item['attemptId'] !== token.attemptId) return false
  const set = Object.entries(update.set ?? {})
  return (
    set.every(([name, value]) => item[name] === value) &&
    (update.remove ?? []).every((name) => item[name] === undefined)
  )
}
