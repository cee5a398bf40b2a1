import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { compose, type Feature } from '../../run/deliver/feature.ts'
import { watchMapping } from '../../features/mapping/watchMapping.ts'
import { counting } from '../../features/metrics/counting.ts'
import { tableDimension } from '../../features/metrics/metrics.ts'
import { eventFormatsOf } from '../../protocol/record/envelope/formats.ts'
import { openEvent } from '../../protocol/record/envelope/readEnvelope.ts'
import type { AnyRecordOptions } from './options.ts'

/** What features need of their consumer. */
interface Site {
  readonly clock: Clock
  readonly logger: Logger
  /** Dimensions of its metrics beside its table, and names on its spans. */
  readonly names: Readonly<Record<string, string>>
}

/**
 * The order is part of what the features mean, so users cannot change it. The span of a batch surrounds all that is done in it;
 * metrics count what the span has seen; the circuit breaker decides before a claim, which a record that it holds back must not
 * use up; a payload is read before its schema judges it; the fence in SQL is raised last, right before the handler.
 */
const ORDER = [tracing, metrics, circuitBreaker, payloads, sql, delays, mapping]

type Options = AnyRecordOptions

/** The features that the options ask for, as one. What an option holds may be of a class of the user's: its methods need their object. */
export function featuresOf(options: Options, site: Site): Feature {
  return compose(ORDER.flatMap((make) => make(options, site) ?? []))
}

function tracing({ tracing: given }: Options, { names }: Site): Feature | undefined {
  return (
    given && {
      batch: (records, next) => given.batch(records, names, next),
      delivery: (delivery) => given.delivery(delivery, names),
    }
  )
}

function metrics({ metrics: given, store }: Options, { names }: Site): Feature | undefined {
  return given && counting(given, { ...tableDimension(store), ...names })
}

function circuitBreaker(options: Options, { clock, logger }: Site): Feature | undefined {
  const { name, store } = options
  const gate = options.circuitBreaker?.openFor({ name, store, clock, logger })
  return (
    gate && {
      admit: (wanted) => gate.admit(wanted),
      heldUntil: () => gate.heldUntil(),
      unused: (probe) => gate.unused(probe),
      succeeded: (probe) => gate.succeeded(probe),
      failed: (error) => gate.failed(error),
    }
  )
}

function payloads({ offload: given, envelopes }: Options): Feature | undefined {
  const formats = eventFormatsOf(envelopes)
  return (
    given && {
      bytesToOpen: ({ bytes }) => bytes,
      async open(envelope, payload, queueArn) {
        const body = await given.read(payload)
        // The message carries the stamp of its sender: one in the payload is not read.
        const { stamp: _, ...event } = (formats && openEvent(body, formats, queueArn, 0)) ?? {}
        return { ...envelope, body, ...event }
      },
    }
  )
}

function sql({ sql: given }: Options): Feature | undefined {
  return given && { raise: (attempt) => given.raise(attempt) }
}

/** With `reportBatchItemFailures: true` there is nothing to find out. */
function mapping({ reportBatchItemFailures: reads }: Options): Feature | undefined {
  return reads === true ? undefined : watchMapping(reads)
}

function delays({ delays: given, store }: Options): Feature | undefined {
  return given && { keep: (sender, copy) => given.resend(store, sender, copy) }
}
