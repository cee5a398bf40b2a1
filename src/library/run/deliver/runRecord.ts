import { messageOf, RejectedError, toError } from '../../base/errors.ts'
import { callSafely } from '../../base/logger.ts'
import { isoTime } from '../../base/time.ts'
import type { Hold } from '../../protocol/claim/hold.ts'
import type { Settlement } from '../../protocol/claim/settlement.ts'
import { awaitEffects, refuseResult } from '../context/handlerResult.ts'
import type { ContextParts } from '../context/openContext.ts'
import type { Trace } from '../context/trace.ts'
import type { Message } from '../../protocol/record/message/message.ts'
import type { ReadyRecord } from './claimAhead.ts'
import type { ClaimedRecord } from './claimStrategy.ts'
import { type Attempt, openAttempt, raiseFence } from './delivery.ts'
import type { IncomingRecord } from './readRecord.ts'
import type { Invocation, SettledRecord } from './invocation.ts'
import { loadContext, loadUncommon, notLoaded, settleBy } from './lazy.ts'
import { settleAttempt } from './settleAttempt.ts'

type ClaimedOrLeft = Extract<ReadyRecord, { kind: 'claim' }>

/** The handler has ended, and its end is being stored. Its worker is free for the next record. */
interface Settling<End> {
  readonly settled: Promise<End>
}

/** @returns once the handler has ended; `settled` resolves when its end is stored */
export async function runRecord(
  given: ReadyRecord,
  invocation: Invocation,
): Promise<Settling<SettledRecord>> {
  const trace = invocation.consumer.features.delivery?.(given)
  const prepared = trace === undefined ? given : carrying(given, trace)
  const { settled } = await (trace === undefined
    ? start(prepared, invocation)
    : trace.run(() => start(prepared, invocation)))
  return { settled: asSettled(keptOf(prepared, invocation), settled, invocation, trace) }
}

/**
 * Gives a message without trace context the context of this span. Its copies and the messages sent for it carry it, so that
 * retries stay in one trace even if the sender set no context.
 */
function carrying(prepared: ReadyRecord, trace: Trace): ReadyRecord {
  if (prepared.kind !== 'claim') return prepared
  const { incoming } = prepared
  return {
    ...prepared,
    incoming: { ...incoming, message: trace.carry(incoming.message), trace },
  }
}

async function start(prepared: ReadyRecord, invocation: Invocation): Promise<Settling<Settlement>> {
  if (prepared.kind !== 'claim') return { settled: Promise.resolve(prepared.settlement) }
  const { incoming, claim, probe } = prepared
  const { features } = invocation.consumer
  const { logger, signal } = invocation
  if (claim.kind !== 'claimed') {
    if (probe !== undefined) features.unused?.(probe)
    return { settled: settleBy((by) => by.settleWithoutRun(incoming, claim, invocation), logger) }
  }
  const context = await loadContext().catch(toError)
  if (
    context instanceof Error ||
    // @protects no handler starts when the time is up
    signal.aborted
  ) {
    if (probe !== undefined) features.unused?.(probe)
    const why: Settlement =
      context instanceof Error ? notLoaded(context, logger) : { kind: 'notStarted' }
    return { settled: returnUnstarted(claim.hold, why) }
  }
  const until = probe === undefined ? features.heldUntil?.() : undefined
  if (until === undefined) {
    const runs = await whatRuns(incoming, claim, invocation)
    return runs instanceof Error
      ? { settled: returnUnstarted(claim.hold, notLoaded(runs, logger)) }
      : runAttempt({ incoming, claim: runs, invocation, probe, ...context })
  }
  return { settled: returnUnstarted(claim.hold, { kind: 'notStarted', until, circuitOpen: true }) }
}

/** The handler, or after a death `onFailure`. */
async function whatRuns(
  incoming: IncomingRecord,
  claim: ClaimedRecord,
  { consumer }: Invocation,
): Promise<ClaimedRecord | Error> {
  const { afterDeath } = claim
  if (afterDeath === undefined) return claim
  const uncommon = await loadUncommon().catch(toError)
  return uncommon instanceof Error ? uncommon : uncommon.actOf(incoming, afterDeath, consumer)
}

/**
 * Claimed, but `ctx` cannot be loaded, no time is left to run it, or the circuit has opened meanwhile. If this write is lost, the lease expires and the attempt
 * counts.
 */
async function returnUnstarted(hold: Hold, settlement: Settlement): Promise<Settlement> {
  await hold.release()
  return settlement
}

/**
 * What is kept of a record while its end is being stored. It has no payload, so that the payloads of records that have run can be
 * collected.
 */
interface KeptRecord extends Omit<SettledRecord, 'settlement'> {
  readonly takenAt: number | undefined
  /** For `onSettled` only. */
  readonly message: Message<unknown> | undefined
}

function keptOf(prepared: ReadyRecord, { consumer }: Invocation): KeptRecord {
  const { record } = prepared
  const message = prepared.kind === 'claim' ? prepared.incoming.message : undefined
  return {
    record,
    held: prepared.kind === 'claim' && prepared.claim.kind === 'held',
    takenAt: message?.takenAt,
    message: consumer.onSettled && message,
  }
}

async function asSettled(
  { record, held, takenAt, message }: KeptRecord,
  settled: Promise<Settlement>,
  { consumer, watch, logger, settled: known }: Invocation,
  trace: Trace | undefined,
): Promise<SettledRecord> {
  // An internal error fails this delivery, and no other record.
  const settlement = await settled.catch((error: unknown): Settlement => ({
    kind: 'failed',
    error: toError(error),
  }))
  trace?.settled(settlement)
  watch?.settled?.(settlement, takenAt === undefined ? undefined : consumer.clock.now() - takenAt)
  // The record has settled already.
  callSafely(
    () => consumer.onSettled?.(settlement, message),
    (error) => logger.error('onSettled threw', { error: messageOf(error) }),
  )
  const end = { record, settlement, held }
  known.push(end)
  return end
}

interface Run {
  readonly incoming: IncomingRecord
  readonly claim: ClaimedRecord
  readonly invocation: Invocation
  readonly probe: ClaimedOrLeft['probe']
  readonly openContext: Awaited<ReturnType<typeof loadContext>>['openContext']
}

/** One execution: the handler, then the messages it sends, then the settlement. Never rejects. */
async function runAttempt(run: Run): Promise<Settling<Settlement>> {
  const { incoming, claim, invocation, probe } = run
  const attempt = openAttempt(incoming, invocation, claim.hold)
  const { hold, logger } = attempt
  const { clock, features } = invocation.consumer
  // Without this line nothing but the table shows an attempt that was killed.
  logger.debug('started')
  const begun = clock.now()
  invocation.runningHandlers += 1
  const end = await runHandler(attempt, run)
  invocation.runningHandlers -= 1
  invocation.watch?.ran?.(hold.attempt, clock.now() - begun, logger)
  switch (end.kind) {
    case 'completed':
      await features.succeeded?.(probe)
      return { settled: settleAttempt(attempt, 'completed', end.sent) }
    case 'timedOut':
      // A call that may be repeated stores nothing before it ends: only this line says where the handler hangs.
      logger.warn(
        'timed out: the handler still ran when the time was up; the record comes back',
        ...(end.openCalls.length === 0 ? [] : [{ openCalls: end.openCalls }]),
      )
      return { settled: Promise.resolve({ kind: 'timedOut', until: invocation.leaseUntil }) }
    case 'threw':
      incoming.trace?.threw(end.error)
      return { settled: settleFailure(withoutPayload(attempt), end.error) }
  }
}

function openSince([name, began]: readonly [string, number]): string {
  return `${name}: began at ${isoTime(began)}, no end yet`
}

/** Its copy is made from the record: what the handler got would wait in memory until a queue has answered. */
function withoutPayload(attempt: Attempt): Attempt {
  const { incoming } = attempt
  const { message } = incoming
  if (message.kind !== 'readable') return attempt
  return { ...attempt, incoming: { ...incoming, message: { ...message, payload: undefined } } }
}

function settleFailure(attempt: Attempt, error: unknown): Promise<Settlement> {
  const fields = { thrown: messageOf(error) }
  return settleBy((by) => by.handleFailure(attempt, error), attempt.logger, fields)
}

type HandlerEnd =
  | { readonly kind: 'completed'; readonly sent: string | undefined }
  | { readonly kind: 'timedOut'; readonly openCalls: readonly string[] }
  | { readonly kind: 'threw'; readonly error: unknown }

async function runHandler(attempt: Attempt, { claim, openContext }: Run): Promise<HandlerEnd> {
  const { message } = attempt.incoming
  const { consumer, over, unlessOver } = attempt.invocation
  const opened = openContext(contextParts(attempt, claim))
  try {
    const payload = payloadOf(message, claim)
    const run = async (): Promise<HandlerEnd> => {
      // @protects a later attempt raises the fence in SQL before it begins
      if (!attempt.hold.fencing.isSurelyFirst) await raiseFence(attempt)
      refuseResult(
        // @protects what the handler has begun ends before its record settles
        // @without await claim.run(payload, opened)
        await awaitEffects(() => claim.run(payload, opened), opened.settled),
      )
      opened.close()
      // A handler that was given up may be frozen with its sandbox and continue after a thaw, when another attempt may have ended
      // already: the messenger sends nothing once `over` has aborted.
      await opened.outbox.flush(
        consumer.messenger,
        // @protects a handler that was given up stores no delayed message
        over,
      )
      return { kind: 'completed', sent: opened.outbox.sent() }
    }
    return (
      // @protects a handler that ignores its end does not take the batch along
      // @without await run()
      (await unlessOver(run())) ?? {
        kind: 'timedOut',
        openCalls: [...opened.openCalls].map(openSince),
      }
    )
  } catch (error) {
    return { kind: 'threw', error }
  } finally {
    opened.close()
  }
}

/** What runs anyway gets undefined. Another refused record was claimed only to die. */
function payloadOf(message: Message<unknown>, { runsUnread }: ClaimedRecord): unknown {
  if (message.kind === 'readable') return message.payload
  if (runsUnread) return 'payload' in message ? message.payload : undefined
  throw message.kind === 'unread' ? message.error : new RejectedError(message.refusal.error)
}

function contextParts(
  { incoming, invocation, hold, logger }: Attempt,
  { scope, uniqueRequestId, sentAt }: ClaimedRecord,
): ContextParts {
  const { consumer, signal, lambda, remainingTime, watch } = invocation
  const { store, clock, delays, offload, retention, sql } = consumer
  const { message, trace } = incoming
  return {
    scope: { store, consumer: scope, uniqueRequestId, hold, trace },
    envelope: message.envelope,
    sentAt: sentAt ?? message.sentAt,
    takenAt: message.takenAt,
    signal,
    remainingTime,
    logger,
    lambda,
    now: () => clock.now(),
    count: (misuse) => watch?.noticed?.(misuse, 1),
    delays,
    results: { store: offload, clock, keepFor: retention },
    sql,
    payloads: offload,
  }
}
