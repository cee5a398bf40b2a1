/** A probability as it is typed: 0.05 → 5. Without the noise of binary fractions. */
export function percentOf(probability: number | undefined): number {
  return Math.round((probability ?? 0) * 1_000) / 10
}

/** @returns from 0 to 1; what is no number is 0 */
export function probabilityOf(percent: number): number {
  return Number.isFinite(percent) ? Math.min(1, Math.max(0, percent / 100)) : 0
}
