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

export type Serially = <T>(write: () => Promise<T>) => Promise<T>

/**
 * Runs the writes of one attempt one after the other. Each is a transaction on the item of the claim, and DynamoDB cancels a
 * transaction that meets another one on an item: in parallel they would cancel each other until their retries are exhausted.
 * A write that fails does not block the next.
 */
export function serialWrites(): Serially {
  let last: Promise<unknown> = Promise.resolve()
  return (write) => {
    const mine = last.then(write)
    last = mine.catch(() => {})
    return mine
  }
}
