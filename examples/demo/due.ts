import { Callback } from './callbacks.ts'
import type { Due } from './reconcile.ts'

/** The bookings that the bodies should lead to, computed without either ledger. */
export function dueOf(bodies: readonly string[]): Due {
  const callbacks = new Map<string, Callback>()
  const unfitting = new Set<string>()
  for (const body of bodies) {
    const { data } = Callback.safeParse(JSON.parse(body))
    if (data === undefined) unfitting.add(body)
    else callbacks.set(data.transactionId, data)
  }
  return { callbacks, unfitting }
}
