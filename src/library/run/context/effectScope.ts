import type { Hold } from '../../protocol/claim/hold.ts'
import type { LargePayloads } from '../../protocol/record/envelope/envelope.ts'
import type { Store } from '../../protocol/store/store.ts'
import type { RecordContext } from './context.ts'
import type { Delays } from './delays.ts'
import type { Failure } from './pending.ts'
import type { ResultPlace } from './results.ts'
import type { SqlEffects } from './sqlEffects.ts'
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

/** What `ctx` is made of. */
export interface ContextParts extends Pick<
  RecordContext,
  'envelope' | 'sentAt' | 'signal' | 'logger' | 'lambda'
> {
  readonly scope: EffectScope
  /** When a queue or a topic first accepted the request. Default: as `sentAt`. */
  readonly takenAt?: number
  readonly remainingTime: () => number
  readonly now: () => number
  /** Reports a wrong use of `ctx` at once: the figures of the invocation may have been reported. */
  readonly count: (misuse: 'lateCalls' | 'otherNames') => void
  /** Stores messages that wait longer than SQS can delay them. */
  readonly delays?: Delays | undefined
  /** Stores results of outside calls that are too large for the item of the claim. */
  readonly results: ResultPlace
  /** undefined: the option `sql` is not given. */
  readonly sql?: SqlEffects<unknown> | undefined
  /** Where payloads go that do not fit into a message. */
  readonly payloads?: LargePayloads | undefined
}

/** An attempt whose `ctx` is open, as its calls see it. */
export interface OpenAttempt extends ContextParts {
  /** Runs an effect. The record does not settle before the effect has ended. */
  track<T>(work: () => Promise<T>, failure?: Failure): Promise<T>
  readonly inOrder: Serially
  /** @throws RetryableError when the attempt has ended: no effect may begin any more */
  assertOpen(): void
  /** Names of the outside calls that have not ended yet, and when each began. */
  readonly openCalls: Map<string, number>
}

type Serially = <T>(write: () => Promise<T>) => Promise<T>

/**
 * Runs the writes of one attempt one after the other. Each is a transaction on the item of the claim, and DynamoDB cancels a
 * transaction that meets another one on an item: in parallel they would cancel each other until their retries are exhausted.
 * A write that fails does not block the next.
 */
export function serialWrites(): Serially {
  let last: Promise<unknown> = Promise.resolve()
  return (write) => {
    // @protects writes of one attempt do not cancel each other
    // @without write()
    const mine = last.then(write)
    last = mine.catch(() => {})
    return mine
  }
}
