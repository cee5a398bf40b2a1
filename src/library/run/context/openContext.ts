import { ConfigError, LateCall, RetryableError } from '../../base/errors.ts'
import { latestKnownTime } from '../../base/time.ts'
import type { PublishOptions, RecordContext, SendOptions, Stored } from './context.ts'
import { watchNames } from './effectNames.ts'
import { type ContextParts, type OpenAttempt, serialWrites } from './effectScope.ts'
import { type Outbox, openOutbox } from './outbox.ts'
import { outsideCalls } from './outsideCalls.ts'
import { callAsync, type Failure, trackPending } from './pending.ts'
import type { SqlContext } from './sqlEffects.ts'
import type { Trace } from './trace.ts'
import { writeCalls } from './writeCalls.ts'

export type { ContextParts } from './effectScope.ts'

export interface OpenContext {
  readonly ctx: RecordContext & SqlContext<unknown>
  /** Runs an effect. The record does not settle before the effect has ended; once it has settled, further effects are refused. */
  track<T>(work: () => Promise<T>): Promise<T>
  /** @throws RetryableError when the attempt has ended: no effect may begin any more */
  assertOpen(): void
  readonly outbox: Outbox
  /** Names of the outside calls that have not ended yet, and when each began. */
  readonly openCalls: ReadonlyMap<string, number>
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
  const { envelope, logger } = parts
  const names = parts.scope.hold.fencing.isSurelyFirst ? undefined : watchNames(parts.scope)
  const scope = names?.scope ?? parts.scope
  const { uniqueRequestId, hold, trace } = scope
  const pending = trackPending()
  let open = true

  /** An effect may have waited for its turn until the attempt had ended, and another attempt may run by then. */
  const assertOpen = (): void => {
    if (!open) throw endedBefore(uniqueRequestId)
  }
  const sql = parts.sql?.open({
    fencing: hold.fencing,
    retention: parts.results.keepFor,
    timeLeft: parts.remainingTime,
    assertOpen,
  })
  const track = <T>(work: () => Promise<T>, failure: Failure = 'fails the record'): Promise<T> => {
    const outsideSql = async (): Promise<T> => {
      sql?.assertOutside()
      return work()
    }
    if (open) return pending.add(callAsync(outsideSql), failure)
    const misuse = closed(uniqueRequestId)
    logger.error(misuse.message)
    // @protects a late call is counted, because its promise may not be awaited
    parts.count('lateCalls')
    const refused = Promise.reject(misuse)
    // The handler may not await it: an unhandled rejection would end the process, with the other records.
    refused.catch(() => {})
    return refused
  }
  const now = (): number => latestKnownTime(parts.now(), envelope.enqueuedAt)
  const openCalls = new Map<string, number>()
  const inOrder = serialWrites()
  const attempt: OpenAttempt = { ...parts, scope, now, track, inOrder, assertOpen, openCalls }
  const outbox = openOutbox(attempt)
  const ctx: RecordContext & SqlContext<unknown> = {
    uniqueRequestId,
    sentAt: parts.sentAt,
    attempt: hold.attempt,
    fence: hold.fencing.fence,
    envelope,
    signal: parts.signal,
    logger,
    lambda: parts.lambda,
    remainingTime: parts.remainingTime,
    ...writeCalls(attempt),
    ...outsideCalls(attempt),
    sql: <T>(name: string, work: (tx: unknown) => T | Promise<T>) =>
      track(async () => {
        const run = async (): Promise<Stored<T>> => (sql ?? withoutSql(name)).sql(name, work)
        return trace === undefined ? run() : trace.call('sql', name, run)
      }, 'is judged by the handler'),
    send: (queueUrl: string, payload: unknown, options: SendOptions = {}) =>
      track(async () => outbox.add('send', queueUrl, payload, options)),
    publish: (target: string, payload: unknown, options: PublishOptions = {}) =>
      track(async () => outbox.add('publish', target, payload, options)),
  }
  return {
    ctx: Object.freeze(ctx),
    track: (work) => track(work),
    assertOpen,
    outbox,
    openCalls,
    trace,
    settled: pending.settled,
    close: () => {
      // @protects ctx is refused after the end of the attempt
      // @without true
      open = false
      const warning = names?.warning()
      if (warning === undefined) return
      logger.warn(warning)
      parts.count('otherNames')
    },
  }
}

function withoutSql(name: string): never {
  throw new ConfigError(
    `ctx.sql('${name}'): the option sql is not given; pass sql: postgresEffects(pool). Nothing was done.`,
  )
}

/** Retryable, because it proves that an outside call was not made, so the next attempt may make it. */
function endedBefore(uniqueRequestId: string): RetryableError {
  return new RetryableError(
    `the attempt of ${uniqueRequestId} was over before this call's turn came; nothing was written or called. The record ` +
      `is tried again; observe ctx.signal, or give the function more time.`,
  )
}

function closed(uniqueRequestId: string): LateCall {
  // @protects a late call is no mistake of the set-up, and its message is tried again
  // @without new ConfigError('a late call')
  return new LateCall(
    `ctx was used after the attempt of ${uniqueRequestId} had ended: nothing was done. Await every call before the handler returns ` +
      '(forEach does not wait for an async function); an attempt whose time was up is made again.',
  )
}
