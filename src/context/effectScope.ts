import type { Hold } from '../claim/hold.ts'
import type { Store } from '../store/store.ts'

/** What the effects of one attempt need: its claim, and the ids that its keys and messages are made of. */
export interface EffectScope {
  readonly store: Store
  /** Scopes ids and keys: two consumers of one topic see the same request id. */
  readonly consumer: string
  readonly uniqueRequestId: string
  readonly hold: Hold
}
