/** Reserve for differences between clocks, and because a killed sandbox was seen to run on for most of a second. */
export const LEASE_MARGIN_MS = 5_000
/** Lambda's longest timeout, assumed when the context does not tell the remaining time. */
export const MAX_LAMBDA_MS = 900_000

interface Timed {
  getRemainingTimeInMillis(): unknown
}

/** Milliseconds, below 0 when the time is over. undefined: unknown. */
export function timeLeft(lambda: unknown): number | undefined {
  if (!isTimed(lambda)) return undefined
  const left = lambda.getRemainingTimeInMillis()
  return typeof left === 'number' && Number.isFinite(left) ? left : undefined
}

function isTimed(lambda: unknown): lambda is Timed {
  return (
    typeof lambda === 'object' &&
    lambda !== null &&
    'getRemainingTimeInMillis' in lambda &&
    typeof lambda.getRemainingTimeInMillis === 'function'
  )
}
