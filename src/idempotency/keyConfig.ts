import { type Clock, systemClock } from '../clock.ts'
import { type Duration, toMilliseconds } from '../duration.ts'
import { messageOf } from '../errors.ts'
import { jsonLogger, type Logger } from '../logger.ts'
import { count, type Metrics, report } from '../metrics/metrics.ts'
import type { ResultSinks } from '../context/results/storeResult.ts'
import type { ResultStore } from '../context/results/resultStore.ts'
import type { Store } from '../store/store.ts'

/** What everything that keeps keys can be told. */
export interface KeyOptions {
  /** How long an ended key is remembered; `'forever'`: its token has no `ttl`. */
  readonly retention?: Duration | 'forever'
  /** For results of more than 350 KB, such as `s3Results`. Default: such a key is kept as done, without its result. */
  readonly results?: ResultStore
  /** Structural: Powertools Logger fits. Default: JSON lines. */
  readonly logger?: Logger
  /** Counts how each call ended, by scope: `emfMetrics()`, or an instance of Powertools Metrics of its own. Default: none. */
  readonly metrics?: Metrics
  /** For tests. */
  readonly clock?: Clock
}

/** The same, complete. */
export interface KeyConfig extends ResultSinks {
  /** Milliseconds, or Infinity. */
  readonly retention: number
  readonly clock: Clock
  /** Never throws. */
  count(scope: string, outcome: CallOutcome): void
}

/** How a call on a key ended, as a metric. */
export type CallOutcome =
  | 'started'
  | 'completed'
  /** Ended, but another call had taken over its key: the end of that one counts. */
  | 'superseded'
  /** Ended, but its end could not be stored. */
  | 'notStored'
  /** Its answer is an error, which later callers are given. */
  | 'rejected'
  /** Failed now, and a person has to look. */
  | 'parked'
  /** Not run: a person has not looked yet. */
  | 'blocked'
  | 'unknown'
  | 'released'
  | 'replayed'
  /** Another call has the key. */
  | 'inProgress'
  | 'conflict'
  | 'missingKey'
  /** Not run: an option is wrong, or missing. */
  | 'misconfigured'
  | 'unavailable'

export function keyConfig(
  store: Store,
  options: KeyOptions,
  defaultRetention: Duration,
): KeyConfig {
  const { retention = defaultRetention, results, logger = jsonLogger() } = options
  return {
    store,
    results,
    logger,
    clock: options.clock ?? systemClock,
    count: outcomeCounter(options.metrics, logger),
    retention: retention === 'forever' ? Infinity : toMilliseconds('retention', retention),
  }
}

function outcomeCounter(metrics: Metrics | undefined, logger: Logger): KeyConfig['count'] {
  return (scope, outcome) => {
    if (metrics === undefined) return
    try {
      report(metrics, { scope }, [count(outcome, 1)])
    } catch (error) {
      logger.error('metrics threw', { scope, error: messageOf(error) })
    }
  }
}
