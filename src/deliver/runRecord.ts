import type { Hold } from '../claim/hold.ts'
import type { Settlement } from '../claim/settlement.ts'
import { messageOf, toError } from '../base/errors.ts'
import { callSafely } from '../base/logger.ts'
import type { Invocation } from './invocation.ts'
import { loadContext, notLoaded, settleBy } from './lazy.ts'
import type { PreparedRecord } from './prefetchClaims.ts'
import { runAttempt, type Settling } from './runAttempt.ts'
import type { SettledRecord } from './invocation.ts'
import type { Message } from '../record/message/message.ts'
import type { Trace } from '../context/trace.ts'

/** @returns once the handler has ended; `settled` resolves when its end is stored */
export async function runRecord(
  given: PreparedRecord,
  invocation: Invocation,
): Promise<{ readonly settled: Promise<SettledRecord> }> {
  const { prepared, trace } = traceDelivery(given, invocation)
  const { settled } = await (trace === undefined
    ? startRecord(prepared, invocation)
    : trace.run(async () => startRecord(prepared, invocation)))
  return { settled: asSettled(keptOf(prepared, invocation), settled, invocation, trace) }
}

function startRecord(
  prepared: PreparedRecord,
  invocation: Invocation,
): Settling | Promise<Settling> {
  switch (prepared.kind) {
    case 'silent':
      return { settled: Promise.resolve({ kind: 'notStarted' }) }
    case 'notStarted': {
      const { until, braked } = prepared
      const settlement = {
        kind: 'notStarted',
        ...(until === undefined ? {} : { until }),
        ...(braked && { braked }),
      } as const
      return { settled: Promise.resolve(settlement) }
    }
    case 'unreadable':
      invocation.logger.error('left on the queue: the record cannot be read', {
        messageId: prepared.record?.messageId,
        error: prepared.error.message,
      })
      return { settled: Promise.resolve({ kind: 'failed', error: prepared.error }) }
    case 'claim':
      return startClaimed(prepared, invocation)
  }
}

async function startClaimed(
  { incoming, claim, probe }: Extract<PreparedRecord, { kind: 'claim' }>,
  invocation: Invocation,
): Promise<Settling> {
  const { features } = invocation.consumer
  const { logger, signal } = invocation
  if (claim.kind !== 'claimed') {
    if (probe !== undefined) features.unused?.(probe)
    return { settled: settleBy((by) => by.settleWithoutRun(incoming, claim, invocation), logger) }
  }
  const context = await loadContext().catch(toError)
  if (context instanceof Error || signal.aborted) {
    if (probe !== undefined) features.unused?.(probe)
    const why = context instanceof Error ? notLoaded(context, logger) : NOT_STARTED
    return { settled: returnUnstarted(claim.hold, why) }
  }
  const until = probe === undefined ? features.heldUntil?.() : undefined
  if (until !== undefined) {
    return { settled: returnUnstarted(claim.hold, { ...NOT_STARTED, until, braked: true }) }
  }
  return runAttempt({ incoming, claim, invocation, probe, openContext: context.openContext })
}

const NOT_STARTED = { kind: 'notStarted' } as const

/**
 * Claimed, but no time is left to run it, the brake was put on meanwhile, or `ctx` cannot be loaded. If this write is lost, the lease
 * expires and the attempt counts.
 */
async function returnUnstarted(hold: Hold, settlement: Settlement): Promise<Settlement> {
  await hold.release()
  return settlement
}

/** What is kept of a record while its end is being stored. */
interface KeptRecord extends Omit<SettledRecord, 'settlement'> {
  readonly takenAt: number | undefined
  /** For `onSettled` only: without it the payloads of records that have run can be collected. */
  readonly message: Message<unknown> | undefined
}

function keptOf(prepared: PreparedRecord, { consumer }: Invocation): KeptRecord {
  const { record } = prepared
  if (prepared.kind !== 'claim') {
    return { record, held: false, takenAt: undefined, message: undefined }
  }
  const { message } = prepared.incoming
  return {
    record,
    held: prepared.claim.kind === 'held',
    takenAt: message.takenAt,
    message: consumer.onSettled && message,
  }
}

async function asSettled(
  { record, held, takenAt, message }: KeptRecord,
  settled: Promise<Settlement>,
  { consumer, watch, logger, settled: known }: Invocation,
  trace: Trace | undefined,
): Promise<SettledRecord> {
  const settlement = await settled.catch(failedBy)
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

/** An internal error fails this delivery, and no other record. */
function failedBy(error: unknown): Settlement {
  return { kind: 'failed', error: toError(error) }
}

/**
 * Opens the span of a delivery, unless it is not started. A message that came without trace context gets one here, and its copies
 * and the messages sent for it carry it on: so retries stay in one trace, also when the sender set no context.
 */
function traceDelivery(
  prepared: PreparedRecord,
  { consumer: { features } }: Invocation,
): { readonly prepared: PreparedRecord; readonly trace?: Trace | undefined } {
  const trace = features.delivery?.(prepared)
  if (trace === undefined || prepared.kind !== 'claim') return { prepared, trace }
  const { incoming } = prepared
  const traced = { ...incoming, message: trace.carry(incoming.message), trace }
  return { prepared: { ...prepared, incoming: traced }, trace }
}
