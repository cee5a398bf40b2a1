import { type Clock, systemClock } from '../clock.ts'
import { type Duration, toMilliseconds } from '../duration.ts'
import { jsonLogger, type Logger } from '../logger.ts'
import type { Keeper } from '../results/keepResult.ts'
import type { ResultStore } from '../results/resultStore.ts'
import type { Store } from '../store/store.ts'

/** What everything that keeps keys can be told. */
export interface KeyOptions {
  /** How long an ended key is remembered; `'forever'`: its token has no `ttl`. */
  readonly retention?: Duration | 'forever'
  /** For results of more than 350 KB, such as `s3Results`. Default: such a key is kept as done, without its result. */
  readonly results?: ResultStore
  /** Structural: Powertools Logger fits. Default: JSON lines. */
  readonly logger?: Logger
  /** For tests. */
  readonly clock?: Clock
}

/** The same, complete. */
export interface KeyKeeper extends Keeper {
  /** Milliseconds, or Infinity. */
  readonly retention: number
  readonly clock: Clock
}

export function keyKeeper(
  store: Store,
  options: KeyOptions,
  defaultRetention: Duration,
): KeyKeeper {
  const { retention = defaultRetention, results, logger = jsonLogger() } = options
  return {
    store,
    results,
    logger,
    clock: options.clock ?? systemClock,
    retention: retention === 'forever' ? Infinity : toMilliseconds('retention', retention),
  }
}
