/** Clocks differ, and a killed sandbox was seen to live on for most of a second. */
export const LEASE_MARGIN_MS = 5_000
/** Lambda's longest timeout: what is assumed when the context does not tell. */
export const LONGEST_MS = 900_000

/** Milliseconds. undefined: unknown. */
export function timeLeft(lambda: unknown): number | undefined {
  if (typeof lambda !== 'object' || lambda === null) return undefined
  if (!('getRemainingTimeInMillis' in lambda)) return undefined
  if (typeof lambda.getRemainingTimeInMillis !== 'function') return undefined
  const left: unknown = lambda.getRemainingTimeInMillis()
  return typeof left === 'number' && Number.isFinite(left) ? Math.max(left, 0) : undefined
}
