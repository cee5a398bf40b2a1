import type { Hold } from '../claim/hold.ts'
import type { Store } from '../store/store.ts'
import type { Trace } from './trace.ts'

/** What the effects of one attempt need: its claim, and the parts of the ids for its keys and messages. */
export interface EffectScope {
  readonly store: Store
  /** Part of all ids and keys, because two consumers of one topic see the same request id. */
  readonly consumer: string
  readonly uniqueRequestId: string
  readonly hold: Pick<Hold, 'attempt' | 'effects' | 'calls' | 'names' | 'fencing' | 'run'>
  /** undefined: not traced. */
  readonly trace?: Trace | undefined
}
