import { messageOf } from '../base/errors.ts'
import { count, type Figure, report } from '../features/metrics/metrics.ts'
import type { Claim } from './claimStrategy.ts'
import type { Invocation } from './invocation.ts'

/** An error of the metrics does not change the result of the batch. */
export function reportMetrics(
  { consumer: { metrics, dimensions }, logger }: Invocation,
  figures: readonly Figure[],
): void {
  if (metrics === undefined) return
  try {
    report(metrics, dimensions, figures)
  } catch (error) {
    logger.error('metrics threw', { error: messageOf(error) })
  }
}

/** At once: what has killed the attempt before may kill this invocation too, which then reports nothing at its end. */
export function reportLost(claims: readonly Claim[], invocation: Invocation): void {
  const lost = claims.filter((claim) => 'afterLost' in claim).length
  if (lost > 0) reportMetrics(invocation, [count('lostAttempts', lost)])
}
