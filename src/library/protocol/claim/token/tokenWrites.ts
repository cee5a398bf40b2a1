import { isoTime } from '../../../base/time.ts'
import type { Condition, Update } from '../../store/store.ts'
import { indexed } from '../statusIndex.ts'
import { runningStatus, tokenKeyOf } from './claimWrites.ts'
import { byHolder, ownedBy } from './ownedBy.ts'
import { CALL_PREFIX, ENDED_PREFIX, nameOfEnd, type Token } from './token.ts'
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
      ...indexed(token.pk, runningStatus(token), notBefore),
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
      ...indexed(token.pk, runningStatus(token), notBefore),
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
): { error?: string; untold?: string; stack?: string; attempt?: number } {
  if (end === undefined) return {}
  const error = cut(end.error)
  // The error of the request stays: it is what `onFailure` reports.
  const failure =
    token.status === 'ending' ? { untold: error } : failureOf(token, { ...end, error })
  return end.counts
    ? failure
    : // @protects a failure of table or queue does not count as an attempt
      // @without failure
      { ...failure, attempt: token.attempt - 1 }
}

export function cut(error: string): string {
  return error.slice(0, ERROR_KEPT).toWellFormed()
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
export function finishDeadLettering(token: Token, now: number, told?: 'told' | 'final'): Update {
  const status = told === undefined ? deadStatus(token) : 'ending'
  const ending = told === undefined ? undefined : endingOf(token, told)
  return {
    needsNoItem: true,
    key: tokenKeyOf(token),
    // @protects only the attempt that has begun it ends a dead-lettering
    // @without []
    where: ownedBy(token, 'dying'),
    set: {
      status,
      actualCompletion: isoTime(now),
      ...ending,
      ...indexed(token.pk, status, ending?.notBefore ?? now),
    },
    remove:
      ending === undefined ? OF_ATTEMPTS : ['leaseUntil', 'confirmed', ...notBeforeOf(ending)],
  }
}

/** The status of a request that waits for an operator. */
export function deadStatus({ reason }: Pick<Token, 'reason'>): 'unknown' | 'error' {
  return reason === 'unknown' ? 'unknown' : 'error'
}

/**
 * What `onFailure` begins with. `resendNumber` stays: a copy of its own with the number of an older one would be taken for that.
 */
function endingOf(token: Token, told: 'told' | 'final'): EndingFields {
  // A call that was cut off, and left no trace, may still land until then. A later attempt has a later lease.
  // @protects what is taken back cannot land later
  // @without 0 @tests test/deliver/onFailure
  const notBefore = token.leaseUntil
  return {
    attempt: 0,
    attempts: token.attempt,
    ...(told === 'final' && { final: true, notBefore }),
  }
}

function notBeforeOf({ notBefore }: EndingFields): readonly string[] {
  return notBefore === undefined ? ['notBefore'] : []
}

interface EndingFields {
  readonly attempt: 0
  readonly attempts: number
  readonly final?: true
  readonly notBefore?: number
}

export const OF_ATTEMPTS: readonly string[] = [
  'leaseUntil',
  'notBefore',
  'resendNumber',
  'confirmed',
]

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
  const field = callField(token, name)
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
    remove: [callField(token, name)],
  })
}

export function addEffect(token: Token, name: string): Update {
  const { field, member } = markOf(token, name)
  return {
    key: tokenKeyOf(token),
    // @protects an effect is refused when its mark is set
    // @without ownedBy(token)
    where: [...ownedBy(token), { field, lacks: member }],
    // @protects an effect and its mark are one transaction
    addTo: { field, member },
  }
}

/** Where the mark of an effect is set: `onFailure` has marks of its own for each bad end. */
export function markOf(token: Token, name: string): { field: string; member: string } {
  return token.status === 'ending'
    ? { field: 'ended', member: `${nameOfEnd(token)}:${name}` }
    : { field: 'applied', member: name }
}

export function callField(token: Token, name: string): string {
  return token.status === 'ending'
    ? `${ENDED_PREFIX}${nameOfEnd(token)}:${name}`
    : CALL_PREFIX + name
}
