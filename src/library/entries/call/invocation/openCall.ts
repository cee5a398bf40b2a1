import type { Context } from 'aws-lambda'
import { openDeadline } from '../../../run/deliver/deadline.ts'
import { timeLeft, LEASE_MARGIN_MS } from '../../../protocol/claim/lease.ts'
import { heldEffects } from '../../../protocol/claim/token/tokenHold.ts'
import { awaitEffects } from '../../../run/context/handlerResult.ts'
import type { InvocationContext } from '../../../run/context/context.ts'
import { type OpenContext, openContext } from '../../../run/context/openContext.ts'
import { superseded } from '../../../protocol/claim/hold.ts'
import type { InvocationHandlerOptions } from './options.ts'
import type { HeldCall, OpenCall } from '../contextSource.ts'
import type { Settlement } from '../../../protocol/claim/settlement.ts'
import { hasCode, toError } from '../../../base/errors.ts'
import { safeLogger, withFields } from '../../../base/logger.ts'
import type { Messenger } from '../../../protocol/send/messenger.ts'
import type { Envelope } from '../../../protocol/record/envelope/envelope.ts'
import { showAlive } from '../../../protocol/claim/token/endKey.ts'
import type { FencedCall } from '../../../protocol/claim/token/decideClaim.ts'
import { readHttpEvent } from '../http/httpEvent.ts'

interface CallSetting {
  readonly messenger: Messenger
  /** Milliseconds. */
  readonly timeoutMargin: number
  /** Epoch milliseconds, at most when the first attempt began. undefined: when it began. */
  readonly sentAt: number | undefined
  readonly adapters: {
    readonly [Name in 'delays' | 'offload' | 'sql' | 'tracing']:
      | InvocationHandlerOptions<unknown, unknown, unknown>[Name]
      | undefined
  }
}

/** The `ctx` of a call that holds its key. Its ids contain the key and the time of the first attempt. */
export function openCall(call: HeldCall, setting: CallSetting): OpenCall {
  const { config, held, lambda } = call
  const { attempt, since = config.clock.now() } = held.token
  const hold = heldEffects(held, { request: String(since), isSurelyFirst: call.isSurelyFirst })
  const keepFor = Math.min(config.retention, LONGEST_KEPT_MS)
  const left = timeLeft(lambda)
  const deadline = openDeadline(config.clock, left && Math.max(left, 0), setting.timeoutMargin)
  const lost = new AbortController()
  const stopSigns = showSignsOfLife(call, () => lost.abort(superseded(attempt, keyIn(held.token))))
  const signal = AbortSignal.any([deadline.signal, lost.signal])
  // @protects an overtaken attempt sends nothing, because its successor may have decided otherwise
  // @without deadline.over
  const over = AbortSignal.any([deadline.over, lost.signal])
  const uniqueRequestId = keyIn(held.token)
  const { offload, ...adapters } = setting.adapters
  const trace = setting.adapters.tracing?.call({ name: call.name, uniqueRequestId, attempt })
  const opened = openContext({
    scope: {
      store: config.store,
      consumer: `${held.token.pk}#${since}`,
      uniqueRequestId,
      hold,
      trace,
    },
    envelope: envelopeWith(trace?.traceparent),
    sentAt: Math.min(setting.sentAt ?? since, since),
    takenAt: since,
    signal,
    remainingTime: () => deadline.remainingTime(),
    logger: loggerOf(call),
    lambda: lambda as Context,
    now: () => config.clock.now(),
    count: (misuse) => config.count(call.name, misuse),
    ...adapters,
    payloads: offload,
    results: { store: config.results, clock: config.clock, keepFor },
  })
  const raiseFence = async (): Promise<void> =>
    setting.adapters.sql?.raise({
      fencing: hold.fencing,
      retention: keepFor,
      timeLeft: () => deadline.remainingTime(),
    })
  let sends = false
  let end: Settlement = { kind: 'notStarted' }
  const runWork = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    try {
      const result = await awaitEffects(work, opened.settled)
      opened.close()
      sends = true
      // @protects messages are sent when the function has succeeded
      await opened.outbox.flush(setting.messenger, over)
      end = { kind: 'completed' }
      return result
    } catch (error) {
      opened.close()
      end = { kind: 'failed', error: toError(error) }
      // A COMMIT whose answer was lost must not land after the key has ended.
      await raiseFence().catch(unlessSuperseded)
      throw error
    } finally {
      opened.close()
    }
  }
  return {
    ctx: contextFrom(opened, lambda),
    async begin() {
      // @protects a later attempt raises the fence in SQL before it begins
      if (!call.isSurelyFirst) await raiseFence()
    },
    run: (work) => (trace === undefined ? runWork(work) : trace.run(() => runWork(work))),
    hasKeptEffects() {
      const { applied, calls } = held.token
      // What was made in a SQL database is marked there.
      const mayHaveSql = setting.adapters.sql !== undefined
      // @protects a key with effects stays bound to its payload
      // @without false
      return mayHaveSql || sends || attempt > 1 || applied.size > 0 || calls.size > 0
    },
    ended() {
      trace?.settled(end)
      deadline.close()
      stopSigns()
    },
  }
}

/** Ignores the refusal by a later attempt: the fence that it has raised protects equally. */
function unlessSuperseded(error: unknown): void {
  if (!hasCode(error, 'SUPERSEDED')) throw error
}

/** A year. A result is needed until its call has ended, even if its key is remembered for ever. */
const LONGEST_KEPT_MS = 365 * 86_400_000

/** Name and tenant are escaped in a token's name, so that the first slash ends them. */
function keyIn({ pk }: HeldCall['held']['token']): string {
  return pk.slice(pk.indexOf('/') + 1)
}

function loggerOf({ config, name, held }: HeldCall): InvocationContext['logger'] {
  const { attempt, fence } = held.token
  const fields = { name, uniquerequestid: keyIn(held.token), attempt, fence }
  return withFields(safeLogger(config.logger), fields)
}

/** There is no message: without its fields, a function cannot take a call for a record. */
function contextFrom(
  { ctx }: OpenContext,
  lambda: Partial<Context> | undefined,
): InvocationContext {
  const { envelope: _none, ...own } = ctx
  return Object.freeze({ ...own, lambda: lambda as Context | undefined })
}

/** An envelope that only stamps outgoing messages. */
function envelopeWith(traceparent: string | undefined): Envelope {
  return traceparent === undefined
    ? NO_ENVELOPE
    : { ...NO_ENVELOPE, carried: { ...NO_ENVELOPE.carried, traceparent } }
}

const NO_ENVELOPE: Envelope = Object.freeze({
  source: 'sqs',
  body: '',
  attributes: {},
  carried: { resendNumber: 0, hops: 0 },
  ignored: [],
  enqueuedAt: undefined,
})

/**
 * Milliseconds for which a holder counts as alive after its claim and after each sign of life. With the margin for clock
 * differences it is less than the minute after which Lambda retries an asynchronous invocation.
 */
// @protects a retry of Lambda comes after the last sign of life
// @without 300_000
const ALIVE_MS = 30_000
/** Two signs of life may fail before the holder counts as dead. */
const BEAT_MS: number = ALIVE_MS / 3

/** An API never retries an invocation: its clients do, with requests of their own. */
export function fencedCall(
  { event, lambda }: Pick<HeldCall, 'event' | 'lambda'>,
  now: number,
): FencedCall {
  const canBeRetried = lambda?.awsRequestId !== undefined && readHttpEvent(event) === undefined
  return { aliveUntil: canBeRetried ? aliveFrom(now) : undefined }
}

function aliveFrom(now: number): number {
  return now + ALIVE_MS + LEASE_MARGIN_MS
}

/**
 * Tells a retry of the same Lambda request that this attempt still runs: one write for every ten seconds.
 * @param lost called when another attempt has the key
 * @returns stops it
 */
function showSignsOfLife({ config, held }: HeldCall, lost: () => void): () => void {
  const { store, clock } = config
  const over = new AbortController()
  const beat = async (): Promise<void> => {
    await clock.sleep(BEAT_MS, over.signal, true)
    if (over.signal.aborted) return
    const [outcome] = await store.update([showAlive(held.token, aliveFrom(clock.now()))])
    if (outcome?.kind !== 'refused') return beat()
    // @protects a holder notices that it was taken over
    if (!over.signal.aborted) lost()
  }
  if (held.token.aliveUntil !== undefined) beat().catch(() => {})
  return () => over.abort()
}
