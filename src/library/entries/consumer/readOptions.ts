import * as option from '../../base/options.ts'
import { DAY_MS, DEFAULT_RETENTION_MS } from '../../base/limits/lifetime.ts'
import { systemClock } from '../../base/clock.ts'
import { toMilliseconds } from '../../base/options.ts'
import { ConfigError, messageOf } from '../../base/errors.ts'
import { jsonLogger, type Logger, safeLogger } from '../../base/logger.ts'
import { awsMessenger } from '../../adapters/send/awsMessenger.ts'
import { retryDelay, type RetryDelay } from '../../protocol/send/retry.ts'
import { eventFormatsOf, topicsOf } from '../../protocol/record/envelope/formats.ts'
import { checkRecordOptions } from './checkOptions.ts'
import { featuresOf } from './features.ts'
import type { Consumer } from '../../run/deliver/consumer.ts'
import type { AnyRecordOptions } from './options.ts'

const DEFAULT_DELAY = retryDelay('retry.delay', {})

/** Replaces a delay that is not a number: with it, the record would be attempted again only after its lease expires. */
function withFiniteDelays(delay: RetryDelay, logger: Logger): RetryDelay {
  return (nth, jitter) => {
    try {
      const given = delay(nth, jitter)
      // @protects a retry whose delay is no number does not wait for its lease
      // @without true @tests test/deliver/failures
      if (Number.isFinite(given)) return Math.max(given, 0)
      throw option.wrongOption('the function', 'retry.delay', 'milliseconds', given)
    } catch (error) {
      logger.warn('retry.delay failed: this retry waits for the default delay', {
        error: messageOf(error),
      })
      // @protects a retry whose delay function throws does not wait for its lease
      // @without throw error @tests test/deliver/failures
      return DEFAULT_DELAY(nth, jitter)
    }
  }
}

/**
 * @param names dimensions of its metrics, and names on its spans. Default: `consumer`
 * @throws ConfigError naming the option, what was expected and what was given
 */
export function readOptions(
  options: AnyRecordOptions,
  handle: unknown,
  who: string = 'recordHandler',
  names?: Readonly<Record<string, string>>,
): Consumer {
  checkRecordOptions(options, handle, who)
  const { retry = {}, clock = systemClock } = options
  const logger = safeLogger(options.logger ?? jsonLogger())
  const retention = toMilliseconds('retention', options.retention ?? DEFAULT_RETENTION_MS)
  if (retention < DAY_MS) {
    throw new ConfigError(
      `${who}: retention: expected at least 1 day, late duplicates and redrives take that long; got ${JSON.stringify(options.retention)}`,
    )
  }
  const maxAge = toMilliseconds('retry.maxAge', retry.maxAge ?? retention)
  // @protects a time limit beyond the retention is refused
  // @tests test/deliver/options
  if (maxAge > retention) {
    const expected =
      'at most retention (30 days by default), because nothing older than that is run'
    throw option.wrongOption(who, 'retry.maxAge', expected, retry.maxAge)
  }
  const aws = awsMessenger({ ...options.clients, inMemory: options.store.inMemory })
  return {
    name: options.name,
    formerNames: options.formerNames ?? [],
    names: undefined,
    store: options.store,
    schema: options.schema,
    form: options.parse ?? 'json',
    topics: topicsOf(options.envelopes),
    envelopes: eventFormatsOf(options.envelopes),
    idOf: options.id,
    mustAgree: options.mustAgree,
    sentAtOf: options.sentAt,
    maxAttempts: retry.maxAttempts ?? 6,
    delay: withFiniteDelays(retryDelay('retry.delay', retry.delay ?? {}), logger),
    maxAge,
    transport: retry.transport ?? 'resend',
    deadLetterQueueUrl: options.deadLetterQueueUrl,
    queueUrl: options.queueUrl,
    concurrency: options.concurrency ?? 10,
    retention,
    timeoutMargin: toMilliseconds('timeoutMargin', options.timeoutMargin ?? '1s'),
    logger,
    offload: options.offload,
    delays: options.delays,
    sql: options.sql,
    features: featuresOf(options, { clock, logger, names: names ?? { consumer: options.name } }),
    messenger: aws,
    sender: aws,
    clock,
    onSettled: options.onSettled,
    onFailure: options.onFailure?.bind(options),
    isDeadFinal: options.dead === 'final',
    warnOnce: openWarnOnce(),
  }
}

function openWarnOnce(): Consumer['warnOnce'] {
  const said = new Set<string>()
  return (logger, message, fields) => {
    if (said.has(message)) return
    said.add(message)
    logger.warn(message, fields)
  }
}
