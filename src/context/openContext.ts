import type { Context } from 'aws-lambda'
import { toMilliseconds } from '../base/options.ts'
import type { Delays } from './delays.ts'
import type { Envelope, LargePayloads } from '../record/envelope/envelope.ts'
import { latestKnownTime } from '../base/time.ts'
import { ConfigError, LateCallError, RetryableError } from '../base/errors.ts'
import type { Logger } from '../base/logger.ts'
import type { PublishOptions, RecordContext, SendOptions, SentMessage, Stored } from './context.ts'
import { type EffectScope, serialWrites } from './effectScope.ts'
import { type Outbox, outboxOnFirstUse } from './outbox.ts'
import { outsideCalls } from './outsideCalls.ts'
import { callAsync, type Failure, trackPending } from './pending.ts'
import type { Trace } from './trace.ts'
import type { ResultsParts } from './results.ts'
import type { SqlContext, SqlEffects } from './sqlEffects.ts'
import { watchNames } from './effectNames.ts'
import { writeCalls } from './writes.ts'

export interface ContextParts {
  readonly scope: EffectScope
  readonly envelope: Envelope
  readonly sentAt: number
  /** When a queue or a topic first accepted the request. Default: as `sentAt`. */
  readonly takenAt?: number
  readonly signal: AbortSignal
  readonly remainingTime: () => number
  readonly logger: Logger
  readonly lambda: Context
  readonly now: () => number
  /** Reports a wrong use of `ctx` at once: the figures of the invocation may have been reported. */
  readonly count: (misuse: 'lateCalls' | 'otherNames') => void
  /** Stores messages that wait longer than SQS can delay them. */
  readonly delays?: Delays | undefined
  /** Stores results of outside calls that are too large for the item of the claim. */
  readonly results: Pick<ResultsParts, 'store' | 'clock' | 'keepFor'>
  /** undefined: the option `sql` is not given. */
  readonly sql?: SqlEffects<unknown> | undefined
  /** Where payloads go that do not fit into a message. */
  readonly payloads?: LargePayloads | undefined
}

export interface OpenContext {
  readonly ctx: RecordContext & SqlContext<unknown>
  /** Runs an effect. The record does not settle before the effect has ended; once it has settled, further effects are refused. */
  track<T>(work: () => Promise<T>): Promise<T>
  /** @throws RetryableError when the attempt has ended: no effect may begin any more */
  assertOpen(): void
  readonly outbox: Outbox
  /** undefined: not traced. */
  readonly trace: Trace | undefined
  /**
   * Resolves when every operation begun on `ctx` has ended, including operations that were not awaited. Rejects with the first
   * failure.
   */
  settled(): Promise<void>
  /** From now on every call on `ctx` is refused. */
  close(): void
}

export function openContext(parts: ContextParts): OpenContext {
  const { envelope } = parts
  const names = parts.scope.hold.fencing.isSurelyFirst ? undefined : watchNames(parts.scope)
  const scope = names?.scope ?? parts.scope
  const serially = onFirstUse(serialWrites)
  const now = (): number => latestKnownTime(parts.now(), envelope.enqueuedAt)
  const pending = trackPending()
  const { sentAt, takenAt, delays, payloads, results } = parts
  const outbox = outboxOnFirstUse(() => ({
    ...scope,
    sentAt,
    takenAt,
    envelope,
    delays,
    payloads,
    keepFor: results.keepFor,
    now,
  }))
  let open = true

  /** An effect may have waited for its turn until the attempt had ended, and another attempt may run by then. */
  const assertOpen = (): void => {
    if (!open) throw endedBefore(scope.uniqueRequestId)
  }
  const sql = parts.sql?.open({
    fencing: scope.hold.fencing,
    retention: parts.results.keepFor,
    timeLeft: parts.remainingTime,
    assertOpen,
  })
  const outsideSql = <T>(work: () => Promise<T>): (() => Promise<T>) => {
    if (sql === undefined) return work
    return () => {
      sql.assertOutside()
      return work()
    }
  }
  const track = <T>(work: () => Promise<T>, failure: Failure = 'fails the record'): Promise<T> => {
    if (open) return pending.add(callAsync(outsideSql(work)), failure)
    const misuse = closed(scope.uniqueRequestId)
    parts.logger.error(misuse.message)
    parts.count('lateCalls')
    return handled(Promise.reject(misuse))
  }
  const sendTo = (
    queueUrl: string,
    payload: unknown,
    options: SendOptions = {},
  ): Promise<SentMessage> => track(async () => outbox.add('send', queueUrl, payload, options))
  const writes = onFirstUse(() =>
    writeCalls({ scope, serially: serially(), track, assertOpen, now }),
  )
  const outside = onFirstUse(() => {
    const { logger } = parts
    return outsideCalls({ scope, serially: serially(), track, assertOpen, logger, results })
  })
  const ctx: RecordContext & SqlContext<unknown> = {
    uniqueRequestId: scope.uniqueRequestId,
    sentAt: parts.sentAt,
    attempt: scope.hold.attempt,
    fence: scope.hold.fencing.fence,
    retryCount: envelope.carried.retry,
    envelope,
    signal: parts.signal,
    logger: parts.logger,
    lambda: parts.lambda,
    remainingTime: parts.remainingTime,
    get: (target) => writes().get(target),
    put: (write) => writes().put(write),
    update: (write) => writes().update(write),
    delete: (write) => writes().delete(write),
    applyOnce: (...given) => writes().applyOnce(...given),
    once: (...given) => outside().once(...given),
    idempotencyKey: (...given) => outside().idempotencyKey(...given),
    sql: <T>(name: string, work: (tx: unknown) => T | Promise<T>) =>
      track(async () => {
        const run = async (): Promise<Stored<T>> => (sql ?? withoutSql(name)).sql(name, work)
        return scope.trace === undefined ? run() : scope.trace.call('sql', name, run)
      }, 'is judged by the handler'),
    sendTo,
    publish: (target: string, payload: unknown, options: PublishOptions = {}) =>
      track(async () => outbox.add('publish', target, payload, options)),
    defer(delay) {
      throw new RetryableError('deferred by the handler', {
        retryAfter: toMilliseconds('delay', delay),
      })
    },
  }
  return {
    ctx: Object.freeze(ctx),
    track: (work) => track(work),
    assertOpen,
    outbox,
    trace: scope.trace,
    settled: pending.settled,
    close: () => {
      open = false
      const warning = names?.warning()
      if (warning === undefined) return
      parts.logger.warn(warning)
      parts.count('otherNames')
    },
  }
}

/** The members without an effect, each by its name: a new effect must not pass for one of them. */
export function withoutEffects(ctx: RecordContext): WithoutEffects {
  const { uniqueRequestId, sentAt, attempt, retryCount, envelope } = ctx
  const { signal, logger, lambda, remainingTime, idempotencyKey, get, defer } = ctx
  const about = { uniqueRequestId, sentAt, attempt, retryCount, envelope }
  return { ...about, signal, logger, lambda, remainingTime, idempotencyKey, get, defer }
}

export type WithoutEffects = Pick<
  RecordContext,
  | ('uniqueRequestId' | 'sentAt' | 'attempt' | 'retryCount' | 'envelope' | 'signal' | 'logger')
  | ('lambda' | 'remainingTime' | 'idempotencyKey' | 'get' | 'defer')
>

function withoutSql(name: string): never {
  throw new ConfigError(
    `ctx.sql('${name}'): the option sql is not given; pass sql: postgresEffects(pool). Nothing was done.`,
  )
}

/** The handler may not await this promise: an unhandled rejection would end the process, with the other records. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/** Retryable, because it proves that an outside call was not made, so the next attempt may make it. */
function endedBefore(uniqueRequestId: string): RetryableError {
  return new RetryableError(
    `the attempt of ${uniqueRequestId} was over before this call's turn came; nothing was written or called. The record ` +
      `is tried again; observe ctx.signal, or give the function more time.`,
  )
}

function closed(uniqueRequestId: string): LateCallError {
  return new LateCallError(
    `ctx was used after the attempt of ${uniqueRequestId} had ended: nothing was done. Await every call before the handler returns ` +
      '(forEach does not wait for an async function); an attempt whose time was up is made again.',
  )
}

/** Makes a value when it is first needed. Most handlers use few of the calls on `ctx`, and each record has a `ctx` of its own. */
export function onFirstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
