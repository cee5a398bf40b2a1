/**
 * Why an entry failed is worded differently; that it did, and for whose fault, is not. What stands there after one of
 * three updates or more may be returned or not: the states are compared anyway.
 */
export function comparedOf(outcome: unknown, among = 1): unknown {
  if (Array.isArray(outcome)) return outcome.map((one) => comparedOf(one, outcome.length))
  if (among > 2 && kindOf(outcome) === 'applied') return 'applied'
  if (typeof outcome !== 'object' || outcome === null || !('error' in outcome)) return outcome
  const { error } = outcome
  return { kind: 'failed', code: error instanceof Error && 'code' in error ? error.code : error }
}

export function kindOf(outcome: unknown): string {
  const { kind, by } = outcome as { kind: string; by?: string }
  return by === undefined ? kind : `${kind} by ${by}`
}
