import * as option from '../../base/options.ts'
import { type Clock, systemClock } from '../../base/clock.ts'
import { toMilliseconds } from '../../base/options.ts'
import type { Duration } from '../../base/time.ts'
import { messageOf } from '../../base/errors.ts'
import { jsonLogger, safeLogger, type Logger } from '../../base/logger.ts'
import type { AfterLost } from '../../protocol/claim/hold.ts'
import {
  count as figure,
  type Metrics,
  report,
  tableDimension,
  type CallMetric,
  type OnceMetric,
} from '../../features/metrics/metrics.ts'
import type { ResultSinks } from '../../run/context/results/tokenResult.ts'
import type { Offload } from '../../run/context/results/resultStore.ts'
import type { Store } from '../../protocol/store/store.ts'

/** Options that `idempotent`, the middy middleware and `lockTokens` share. */
export interface KeyOptions {
  /**
   * How long an ended key is remembered, and its result replayed. `'forever'`: its item has no `ttl`. Default: 24 hours for
   * `idempotent` and the middleware, 30 days for `lockTokens`.
   */
  readonly retention?: Duration | 'forever'
  /**
   * Stores results of more than 350,000 bytes, such as `s3Objects({ bucket })` of `lineclear/s3`. Default: none; such a key is
   * stored as done without its result, and later callers get the reason instead.
   */
  readonly offload?: Offload
  /** Any object with `debug`, `info`, `warn` and `error`, such as the Powertools Logger. Default: JSON lines on standard output. */
  readonly logger?: Logger | undefined
  /** Counts how each call ended, by `name`: `emfMetrics()`, or its own instance of Powertools Metrics. Default: none. */
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
  count(name: string, outcome: CallMetric): void
  /** Counts a call that has got its key, and the call before it if that was lost. Never throws. */
  begun(name: string, claim: AfterLost): void
}

/** Without it all kinds of work on one table would share their keys. A lone surrogate would become the same character as others. */
export const aName: option.Check = {
  expected: "a text that names this kind of work, such as 'refunds'",
  isRight: (value) => typeof value === 'string' && value !== '' && value.isWellFormed(),
}

/** Checked at run time too: JavaScript has no types. */
export const KEY_OPTIONS: option.Checks<KeyOptions> = {
  retention: option.anything,
  offload: option.anOffload,
  logger: option.aLogger,
  metrics: option.someMetrics,
  clock: option.aClock,
}

const HOUR_MS = 3_600_000

export function keyConfig(
  store: Store,
  options: KeyOptions,
  defaultRetention: Duration,
): KeyConfig {
  const { retention = defaultRetention, offload } = options
  const logger = safeLogger(options.logger ?? jsonLogger())
  // @protects a retention in seconds does not forget in a thousandth of the time without a word
  // @without false @tests test/call/retention
  const mayBeSeconds = typeof retention === 'number' && retention < HOUR_MS
  if (mayBeSeconds) {
    logger.warn(
      `retention: ${retention} counts milliseconds, and a key is forgotten, and its work done again, after ${retention / 1_000} s. ` +
        "If it counts seconds, multiply it by 1,000; if it is meant, write '30s' or the like",
    )
  }
  const count = outcomeCounter<CallMetric>(options.metrics, store, logger)
  return {
    store,
    results: offload,
    logger,
    clock: options.clock ?? systemClock,
    count: (name, outcome) => count(name, outcome),
    begun(name, { afterLost }) {
      count(name, 'started', ...(afterLost === undefined ? [] : ['lostAttempts' as const]))
    },
    retention: retention === 'forever' ? Infinity : toMilliseconds('retention', retention),
  }
}

/** Adds 1 to each of the metrics of a name. Never throws. */
export function outcomeCounter<Outcome extends CallMetric | OnceMetric>(
  metrics: Metrics | undefined,
  store: Store,
  logger: Logger,
): (name: string, ...outcomes: readonly Outcome[]) => void {
  return (name, ...outcomes) => {
    if (metrics === undefined) return
    try {
      report(
        metrics,
        { ...tableDimension(store), name },
        outcomes.map((outcome) => figure(outcome, 1)),
      )
    } catch (error) {
      logger.error('metrics threw', { name, error: messageOf(error) })
    }
  }
}
