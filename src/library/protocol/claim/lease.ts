/** Reserve for differences between clocks, and because a killed sandbox was seen to run on for most of a second. */
// @protects a lease ends after its sandbox, also when clocks differ
// @without 0 @tests test/deliver/lease
export const LEASE_MARGIN_MS = 5_000
/**
 * The longest time of an invocation, assumed when the context does not tell the remaining time: 90 minutes on Lambda Managed
 * Instances, 15 elsewhere.
 */
export const MAX_LAMBDA_MS = 5_400_000
/** The longest time of a timer, milliseconds; a longer one would end at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1

interface Timed {
  getRemainingTimeInMillis(): unknown
}

/** Milliseconds, below 0 when the time is over. undefined: unknown. */
export function timeLeft(lambda: unknown): number | undefined {
  if (!isTimed(lambda)) return undefined
  const left = lambda.getRemainingTimeInMillis()
  // @survives ConditionalExpression: only a number is finite by Number.isFinite; the check is for the types.
  if (typeof left !== 'number' || !Number.isFinite(left)) return undefined
  // @protects a time that no timer can wait for aborts nothing
  // @without left @tests test/deliver/lease
  return Math.min(left, LONGEST_TIMER_MS)
}

/** Milliseconds. undefined: unknown, or over, in a process that runs on. */
export function timeAhead(lambda: unknown): number | undefined {
  const left = timeLeft(lambda)
  return left === undefined || left <= 0 ? undefined : left
}

function isTimed(lambda: unknown): lambda is Timed {
  return (
    typeof lambda === 'object' &&
    lambda !== null &&
    'getRemainingTimeInMillis' in lambda &&
    typeof lambda.getRemainingTimeInMillis === 'function'
  )
}
