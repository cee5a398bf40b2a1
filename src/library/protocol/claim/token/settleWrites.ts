import { ttlAt } from '../../../base/limits/lifetime.ts'
import { isoTime } from '../../../base/time.ts'
import { type Update, type WriteOutcome, hasNoAnswer } from '../../store/store.ts'
import { indexed } from '../statusIndex.ts'
import { OF_RETRIES, runningStatus } from './claimWrites.ts'
import { byHolder } from './ownedBy.ts'
import { CALL_PREFIX, type Token } from './token.ts'

/**
 * Completes a request. Its id is remembered for `retention`, so that a late duplicate is recognised; for operators also the names of
 * its effects and calls, without results, and what it has sent. The item is not larger than before, but for `sent`.
 */
export function complete(token: Token, now: number, retention: number, sent?: string): Update {
  return byHolder(token, {
    set: {
      actualCompletion: isoTime(now),
      ttl: ttlAt(now + retention),
      ...Object.fromEntries([...token.calls.keys()].map((name) => [CALL_PREFIX + name, ''])),
      ...(sent && { sent }),
    },
    // A first attempt has no other attributes. This common case needs only one statement text for all records.
    remove: token.fence === 1 ? HELD : [...HELD, ...OF_RETRIES],
  })
}

const HELD = ['status', 'leaseUntil']

/** Gives the claim back because the handler was not started: the attempt does not count. */
export function release(token: Token, now: number): Update {
  return byHolder(token, {
    set: {
      leaseUntil: 0,
      // @protects an attempt whose handler was not started does not count
      attempt: token.attempt - 1,
      ...indexed(token.pk, runningStatus(token), now),
    },
  })
}

/**
 * Whether the write took effect, in this call or in an earlier one whose answer was lost. If the item that refused the write
 * holds all of it under this attempt's id, the write had been made.
 */
export function wasWritten(outcome: WriteOutcome, update: Update, token: Token): boolean {
  if (outcome.kind === 'applied') return true
  // @survives ConditionalExpression, StringLiteral: an outcome that failed has no item; the check is for the types.
  if (hasNoAnswer(outcome) || outcome.item === undefined) return false
  const { item } = outcome
  // @protects the write of another attempt is not taken for the own one
  if (item['attemptId'] !== token.attemptId) return false
  const set = Object.entries(update.set ?? {})
  return (
    set.every(([name, value]) => item[name] === value) &&
    // @survives ArrayDeclaration: no item has an attribute of that name, so it is found removed.
    (update.remove ?? []).every((name) => item[name] === undefined)
  )
}
