import type { Attempt } from './delivery.ts'

/**
 * From now on no SQL transaction of an earlier attempt can commit.
 * @throws SupersededError when a later attempt has raised the fence; StoreUnavailableError when the database gives no answer
 */
export async function raiseFence({ hold, invocation }: Attempt): Promise<void> {
  const { sql, retention } = invocation.consumer
  const { fencing } = hold
  await sql?.raise({ fencing, retention, timeLeft: () => invocation.remainingTime() })
}
