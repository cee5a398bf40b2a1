import { isoTime } from '../../../base/time.ts'
import type { Condition, Update } from '../../store/store.ts'
import { indexed } from '../statusIndex.ts'
import { tokenKeyOf } from './claimWrites.ts'
import { byHolder, ownedBy } from './ownedBy.ts'
import { CALL_PREFIX, type Token } from './token.ts'
import type { Death, FailedAttempt } from '../hold.ts'

/** Written before the copy is sent: from now on no attempt starts before `notBefore`, whichever copy arrives first. */
export function scheduleResend(
  token: Token,
  resendNumber: number,
  notBefore: number,
  end?: FailedAttempt,
): Update {
  return byHolder(token, {
    set: {
      leaseUntil: 0,
      notBefore,
      resendNumber,
      // @protects a copy that is not sent yet is not confirmed
      // @without true
      confirmed: false,
      ...endOf(token, end),
      ...indexed(token.pk, 'inProgress', notBefore),
    },
  })
}

/**
 * Records that the queue holds the copy, so older copies may be acknowledged. Fenced, because a late confirmation must not
 * confirm a resend that has the same number but belongs to another life of the request.
 */
export function confirmResend(token: Token): Update {
  return byHolder(token, {
    set: { confirmed: true },
  })
}

/** Ends the attempt: SQS delivers the same message again at `notBefore`, epoch milliseconds. */
export function waitUntil(token: Token, notBefore: number, end?: FailedAttempt): Update {
  return byHolder(token, {
    set: {
      leaseUntil: 0,
      notBefore,
      ...endOf(token, end),
      ...indexed(token.pk, 'inProgress', notBefore),
    },
  })
}

/** Characters. The token has to stay within 1 KB, which costs one write unit. */
const ERROR_KEPT = 300
/** Characters of error and stack together. */
const FAILURE_KEPT = 400

function endOf(
  token: Token,
  end: FailedAttempt | undefined,
): { error?: string; stack?: string; attempt?: number } {
  if (end === undefined) return {}
  const error = end.error.slice(0, ERROR_KEPT).toWellFormed()
  const failure = failureOf(token, { ...end, error })
  return end.counts
    ? failure
    : // @protects a failure of table or queue does not count as an attempt
      // @without failure
      { ...failure, attempt: token.attempt - 1 }
}

/** The stack gets the room that the error leaves. An empty stack replaces the stack of an earlier failure. */
function failureOf(
  token: Token,
  { error, stack = '' }: Pick<Death, 'error' | 'stack'>,
): { error: string; stack?: string } {
  const kept = stack.slice(0, Math.max(FAILURE_KEPT - error.length, 0)).toWellFormed()
  return { error, ...((kept !== '' || token.stack !== undefined) && { stack: kept }) }
}

export function startDeadLettering(token: Token, death: Death, now: number): Update {
  return byHolder(token, {
    set: {
      status: 'dying',
      // @protects each death has its own number
      // @without its left
      death: token.death + 1,
      reason: death.reason,
      ...failureOf(token, death),
      ...indexed(token.pk, 'dying', now),
    },
  })
}

/** Written after the queue has accepted the dead letter. The token has no `ttl`, because it waits for an operator. */
export function finishDeadLettering(token: Token, now: number): Update {
  const status = token.reason === 'unknown' ? 'unknown' : 'error'
  return {
    needsNoItem: true,
    key: tokenKeyOf(token),
    // @protects only the attempt that has begun it ends a dead-lettering
    // @without []
    where: ownedBy(token, 'dying'),
    set: {
      status,
      actualCompletion: isoTime(now),
      ...indexed(token.pk, status, now),
    },
    remove: ['leaseUntil', 'notBefore', 'resendNumber', 'confirmed'],
  }
}

/**
 * Written before an outside call that must not be repeated, and after every call. A result is written once and never overwrites
 * another one.
 */
export function storeCall(
  token: Token,
  name: string,
  stored: string,
  before: string | undefined,
): Update {
  const field = CALL_PREFIX + name
  const asBefore: Condition =
    before === undefined ? { absent: field } : { field, is: '=', value: before }
  return {
    ...byHolder(token, { set: { [field]: stored } }),
    // @protects a result never overwrites another one
    // @without ownedBy(token)
    where: [...ownedBy(token), asBefore],
  }
}

/** The call never reached the outside system, so it may be made again. */
export function forgetCall(token: Token, name: string): Update {
  return byHolder(token, {
    remove: [CALL_PREFIX + name],
  })
}

export function addEffect(token: Token, name: string): Update {
  return {
    key: tokenKeyOf(token),
    // @protects an effect is refused when its mark is set
    // @without ownedBy(token)
    where: [...ownedBy(token), { field: 'applied', lacks: name }],
    // @protects an effect and its mark are one transaction
    addTo: { field: 'applied', member: name },
  }
}
