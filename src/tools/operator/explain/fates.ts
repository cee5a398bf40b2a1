import {
  decideClaim,
  type TokenVerdict,
} from '../../../library/protocol/claim/token/decideClaim.ts'
import type { Token } from '../../../library/protocol/claim/token/token.ts'
import { isIdempotencyKey } from '../../../library/entries/sweeper/address.ts'
import { formatRelative } from '../text/humanTime.ts'
import type { Fate } from './factParts.ts'

/** What the next delivery would do, or of a key the next call: decided by the claim's own rule. */
export function fateOfToken(token: Token, now: number): Fate {
  const isEnding = token.status === 'ending'
  // Its consumer had `onFailure` when the request died.
  const copy = { ...ANY_COPY, isTold: isEnding }
  const verdict = decideClaim(token, copy, now)
  if (isIdempotencyKey(token.pk)) return fateOfCall(verdict, now)
  if (isEnding && verdict.kind === 'takeOver')
    return fate('runs', `runs onFailure, as attempt ${token.attempt + 1}: not the handler`)
  if (isEnding && verdict.kind === 'early')
    return deferred('deferred until onFailure is due,', verdict.until, now)
  if (token.ending?.final === true && verdict.kind === 'over')
    return fate('dropped', 'dropped: the request was dead-lettered, and its death is final')
  if (verdict.kind !== 'replaced') return fateOfCopy(verdict, token.attempt, now)
  // One that SQS has moved is the newest one, and is not dropped when it is redriven.
  const { resendNumber, attempt } = token
  const newest = fateOfCopy(decideClaim(token, { ...copy, resendNumber }, now), attempt, now)
  const text = `its newest copy (resend ${resendNumber}) ${newest.text}; an older one is dropped`
  return { ...newest, text }
}

function fateOfCall(verdict: TokenVerdict, now: number): Fate {
  switch (verdict.kind) {
    case 'over':
      return verdict.as === 'alreadyDeadLettered'
        ? fate(
            'refused',
            'refused (HTTP 500) until an operator resolves or releases the key; nothing runs',
          )
        : fate('answered', 'gets the stored outcome; nothing runs')
    case 'held':
      return deferred(
        'waits for the running call, then gets its outcome; HTTP 409 if that takes too long. The lease ends',
        verdict.until,
        now,
      )
    case 'start':
      return fate('runs', 'runs: the retention of the earlier outcome has ended')
    case 'takeOver':
      return fate('runs', 'runs the whole section: the lease of the earlier call has ended')
    default:
      return fate('deferred', verdict.kind)
  }
}

function fateOfCopy(verdict: TokenVerdict, attempt: number, now: number): Fate {
  switch (verdict.kind) {
    case 'over':
      return fate('dropped', DROPPED[verdict.as])
    case 'held':
      return deferred('deferred until the lease of the running attempt ends,', verdict.until, now)
    case 'early':
      return deferred('deferred until the next attempt is due,', verdict.until, now)
    case 'start':
      return fate('runs', 'runs as a new request: the retention of the earlier end has ended')
    case 'takeOver':
      return fate(
        'runs',
        `runs, as attempt ${attempt + 1}, unless the retry budget or time limit is exhausted`,
      )
    case 'deadLetter':
      return fate('deadLettered', 'does not run: its dead letter is sent')
    default:
      return fate('deferred', verdict.kind)
  }
}

const DROPPED = {
  duplicate: 'dropped as a duplicate: the request is done',
  alreadyDeadLettered:
    'dropped: the request was dead-lettered or parked, and waits for an operator',
} as const

/** @param text is followed by the time */
function deferred(text: string, until: number, now: number): Fate {
  return fate('deferred', `${text} ${formatRelative(until, now)}`, until)
}

export function fate(kind: Fate['kind'], text: string, until?: number): Fate {
  return { kind, text, until, request: undefined, stage: undefined }
}

const ANY_COPY = {
  pk: '',
  attemptId: '',
  lockedBy: '',
  leaseUntil: 0,
  expectedCompletion: 0,
  maxAttempts: Infinity,
  payloadHash: undefined,
  trustsUnhashed: true,
  resendNumber: 0,
  death: undefined,
  deadLetter: false,
  refused: false,
}
