import { type Clock, systemClock } from '../clock.ts'
import { type Duration, toMilliseconds } from '../duration.ts'
import { messageOf } from '../errors.ts'
import { jsonLogger, type Logger } from '../logger.ts'
import { count, type Metrics, report } from '../metrics/metrics.ts'
import type { ResultSinks } from '../context/results/storeResult.ts'
import type { ResultStore } from '../context/results/resultStore.ts'
import type { Store } from '../store/store.ts'

/** Options that `idempotent`, the middy middleware and `lockTokens` share. */
export interface KeyOptions {
  /**
   * How long an ended key is remembered, and its result replayed. `'forever'`: its item has no `ttl`. Default: 24 hours for
   * `idempotent` and the middleware, 30 days for `lockTokens`.
   */
  readonly retention?: Duration | 'forever'
  /**
   * Stores results of more than 350,000 bytes, such as `s3Results({ bucket })` of `lineclear/s3`. Default: none; such a key is
   * stored as done without its result, and later callers get the reason instead.
   */
  readonly results?: ResultStore
  /** Any object with `debug`, `info`, `warn` and `error`, such as the Powertools Logger. Default: JSON lines on standard output. */
  readonly logger?: Logger | undefined
  /** Counts how each call ended, by `scope`: `emfMetrics()`, or its own instance of Powertools Metrics. Default: none. */
  readonly metrics?: Metrics
  /** For tests. Default: the system clock. */
  readonly clock?: Clock | undefined
}

/** The same options, checked and with their defaults. */
export interface KeyConfig extends ResultSinks {
  /** Milliseconds, or Infinity. */
  readonly retention: number
  readonly clock: Clock
  /** Never throws. */
  count(scope: string, outcome: CallOutcome): void
}

/** How a call with a key ended, as the name of a metric. */
export type CallOutcome =
  | 'started'
  | 'completed'
  /** The call ended, but another call had taken over its key, and the end of that call counts. */
  | 'superseded'
  /** The call ended, but its end could not be stored. */
  | 'notStored'
  /** The work is done, and its answer is an error that later callers receive. */
  | 'rejected'
  /** The call has just failed, and waits for an operator. */
  | 'parked'
  /** The call did not run, because an earlier failure still waits for an operator. */
  | 'blocked'
  | 'unknown'
  | 'released'
  | 'replayed'
  /** Another call holds the key. */
  | 'inProgress'
  | 'conflict'
  | 'missingKey'
  /** The call did not run, because an option is wrong or missing. */
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
