import type { Hold } from '../claim/hold.ts'
import type { Store } from '../store/store.ts'

/** The claim of a running attempt, and whose it is. Belongs to one record. */
export interface EffectScope {
  readonly store: Store
  /** Scopes ids and keys: two consumers of one topic see the same request id. */
  readonly consumer: string
  readonly uniqueRequestId: string
  readonly hold: Hold
}
