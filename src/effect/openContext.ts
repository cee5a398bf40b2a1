import type { Context } from 'aws-lambda'
import { toMilliseconds } from '../duration.ts'
import type { Envelope } from '../envelope/envelope.ts'
import { latest } from '../envelope/times.ts'
import { ConfigError, hasCode, RetryableError } from '../errors.ts'
import { kindOf } from '../kindOf.ts'
import type { Logger } from '../logger.ts'
import { type Calls, STARTED } from '../hold/hold.ts'
import { checkOnce } from './checkOnce.ts'
import type {
  OnceOptions,
  OutsideCall,
  PublishOptions,
  RecordContext,
  SendOptions,
} from './context.ts'
import type { Held } from './held.ts'
import { type InTurn, openTurns } from './inTurn.ts'
import { idempotencyKey, once } from './once.ts'
import { openOutbox, type Outbox } from './outbox.ts'
import { openResults, type ResultsParts } from './results.ts'
import type { Stored } from './stored.ts'
import { uniqueNames } from './uniqueNames.ts'
import { writeCalls } from './writeCalls.ts'

export interface ContextParts {
  readonly held: Held
  readonly envelope: Envelope
  readonly sentAt: number
  /** When a queue or a topic first took the request. Default: as `sentAt`. */
  readonly takenAt?: number
  readonly signal: AbortSignal
  readonly remainingTime: () => number
  readonly logger: Logger
  readonly lambda: Context
  readonly now: () => number
  /** Where results of outside calls go that are too large to stand beside the claim. */
  readonly results: Pick<ResultsParts, 'store' | 'clock' | 'keepFor'>
}

export interface OpenContext {
  readonly ctx: RecordContext
  /** What is done while the record runs: refused after, and waited for before the record settles. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Of an attempt that is over nothing is begun any more. @throws RetryableError */
  assertOpen(): void
  readonly outbox: Outbox
  /** Resolves when every operation begun on `ctx` has ended, also those nobody awaited; rejects as the first that failed. */
  settled(): Promise<void>
  /** From here on `ctx` refuses. */
  close(): void
}

export function openContext(parts: ContextParts): OpenContext {
  const { envelope } = parts
  const inTurn = openTurns()
  const held = withCalls(parts.held, { inTurn, assertOpen: () => assertOpen() })
  const now = (): number => latest(parts.now(), envelope.enqueuedAt)
  const pending = trackPending()
  const outbox = openOutbox({ ...held, sentAt: parts.sentAt, takenAt: parts.takenAt, envelope })
  const calls = uniqueNames('once')
  const { uniqueRequestId, consumer, hold } = held
  const results = openResults({
    ...parts.results,
    calls: hold.calls,
    path: [uniqueRequestId, consumer, String(hold.attempt)],
    logger: parts.logger,
  })
  let open = true

  /** Of two things that wait, the attempt may have been declared over meanwhile: then another one may run by now. */
  const assertOpen = (): void => {
    if (!open) throw endedBefore(held.uniqueRequestId)
  }
  const during = <T>(work: () => Promise<T>, failure: Failure = 'fails the record'): Promise<T> => {
    if (open) return pending.add(begin(work), failure)
    const misuse = closed(held.uniqueRequestId)
    parts.logger.error(misuse.message)
    return handled(Promise.reject(misuse))
  }
  const ctx: RecordContext = {
    uniqueRequestId: held.uniqueRequestId,
    sentAt: parts.sentAt,
    attempt: held.hold.attempt,
    retryCount: envelope.carried.retry,
    envelope,
    signal: parts.signal,
    logger: parts.logger,
    lambda: parts.lambda,
    remainingTime: parts.remainingTime,
    idempotencyKey: (name, options) => shortKey(held, name, options),
    ...writeCalls({ held, inTurn, during, assertOpen, now }),
    once: <T>(
      name: string,
      call: OutsideCall<T>,
      options: OnceOptions<T> = { effect: 'idempotent' },
    ) =>
      during(async () => {
        const here = calls.check(name)
        checkOnce(here, call, options)
        calls.begin(name)
        const madeAgain = (): void =>
          parts.logger.warn(`${here}: made again with its idempotency key: its result was not kept`)
        const made = whileOpen(call, assertOpen)
        // What was kept is of the type that `call` gave: the name stands for one call.
        return once({ held, results, name, call: made, options, madeAgain }) as Promise<Stored<T>>
      }, 'is judged by the handler'),
    sendTo: (queueUrl: string, payload: unknown, options: SendOptions = {}) =>
      during(async () => outbox.add('send', queueUrl, payload, options)),
    publish: (topicArn: string, payload: unknown, options: PublishOptions = {}) =>
      during(async () => outbox.add('publish', topicArn, payload, options)),
    defer(delay) {
      throw new RetryableError('deferred by the handler', {
        retryAfter: toMilliseconds('delay', delay),
      })
    },
  }
  return {
    ctx: Object.freeze(ctx),
    during: (work) => during(work),
    assertOpen,
    outbox,
    settled: pending.settled,
    close: () => {
      open = false
    },
  }
}

function shortKey(
  held: Held,
  name: unknown,
  options: { readonly maxLength?: number } = {},
): string {
  const here = 'ctx.idempotencyKey'
  if (typeof name !== 'string' || name === '') {
    throw new ConfigError(`${here}: name: expected a text that is not empty; got ${kindOf(name)}`)
  }
  const { maxLength } = options
  if (maxLength !== undefined && !(Number.isInteger(maxLength) && maxLength >= SHORTEST_KEY)) {
    throw new ConfigError(
      `${here}('${name}'): maxLength: expected a whole number of at least ${SHORTEST_KEY}, so that no two keys are the same; ` +
        `got ${kindOf(maxLength)}`,
    )
  }
  return idempotencyKey(held, name).slice(0, maxLength)
}

/** 96 bits: of a billion keys no two are the same, but once in a hundred billion. */
const SHORTEST_KEY = 16

interface Limits {
  readonly inTurn: InTurn
  assertOpen(): void
}

/** Of an attempt that is over no call is begun any more; what came of one that was made is still kept, behind its fence. */
function withCalls(held: Held, { inTurn, assertOpen }: Limits): Held {
  const { calls } = held.hold
  const ordered: Calls = {
    ...calls,
    store: (name, value, before) =>
      inTurn(async () => {
        if (value === STARTED) assertOpen()
        return calls.store(name, value, before)
      }),
    forget: (name) => inTurn(() => calls.forget(name)),
  }
  return { ...held, hold: { ...held.hold, calls: ordered } }
}

function whileOpen<T>(call: OutsideCall<T>, assertOpen: () => void): OutsideCall<T> {
  return (key) => {
    assertOpen()
    return call(key)
  }
}

type Failure = 'fails the record' | 'is judged by the handler'

/**
 * A floating promise must not be forgotten by the settlement. A failed write fails the record even when nobody awaited
 * it; a failed `once` is the handler's to judge, since what failed is the handler's own call, unless it was a mistake.
 */
function trackPending(): {
  add<T>(work: Promise<T>, failure: Failure): Promise<T>
  settled(): Promise<void>
} {
  const running = new Set<Promise<unknown>>()
  const failures: unknown[] = []
  return {
    add(work, failure) {
      running.add(work)
      const ended = (): boolean => running.delete(work)
      if (failure === 'is judged by the handler') {
        work.catch((error: unknown) => {
          if (hasCode(error, 'CONFIG')) failures.push(error)
        })
        return work.finally(ended)
      }
      work.then(ended, (error: unknown) => {
        failures.push(error)
        ended()
      })
      return work
    },
    async settled() {
      while (running.size > 0) {
        const ended = await Promise.allSettled(running)
        for (const each of ended) if (each.status === 'rejected') failures.push(each.reason)
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}

/** What throws before its first await fails like what throws after it. */
async function begin<T>(work: () => Promise<T>): Promise<T> {
  return work()
}

/** Nobody may be waiting for it, and its failure must not end the process with the other records. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/** Retryable: it says of an outside call that it was not made, so that the next attempt may make it. */
function endedBefore(uniqueRequestId: string): RetryableError {
  return new RetryableError(
    `the attempt of ${uniqueRequestId} was over before this call's turn came; nothing was written or called. The record ` +
      `is tried again; heed ctx.signal, or give the function more time.`,
  )
}

function closed(uniqueRequestId: string): ConfigError {
  return new ConfigError(
    `ctx was used after the record ${uniqueRequestId} had settled: await every call before the handler returns`,
  )
}
