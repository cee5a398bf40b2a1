import type { Attempt } from './delivery.ts'

/** From now on no earlier attempt can change anything outside the table, see Feature.raise. */
export async function raiseFence({ hold, invocation }: Attempt): Promise<void> {
  const { features, retention } = invocation.consumer
  const { fencing } = hold
  await features.raise?.({ fencing, retention, timeLeft: () => invocation.remainingTime() })
}
