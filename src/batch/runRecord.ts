import type { SQSRecord } from 'aws-lambda'
import type { Hold } from '../claim/hold.ts'
import type { Settlement } from '../claim/settlement.ts'
import { messageOf, toError } from '../errors.ts'
import { callSafely } from '../logger.ts'
import type { Invocation } from './invocation.ts'
import type { PreparedRecord } from './prefetchClaims.ts'
import { runAttempt, type Settling } from './runAttempt.ts'
import { settleWithoutRun } from './settleWithoutRun.ts'
import { traceDelivery } from './traceDelivery.ts'
import type { Trace } from '../tracing/tracing.ts'

export interface SettledRecord {
  readonly record: SQSRecord
  readonly settlement: Settlement
  /**
   * Another attempt runs, perhaps of the same message: SQS may deliver a message twice, and the mapping of the other delivery
   * then deletes it.
   */
  readonly held: boolean
}

/** @returns once the handler has ended; `settled` resolves when its end is stored */
export async function runRecord(
  given: PreparedRecord,
  invocation: Invocation,
): Promise<{ readonly settled: Promise<SettledRecord> }> {
  const { prepared, trace } = traceDelivery(given, invocation)
  const start = (): Promise<Settling> => startRecord(prepared, invocation)
  const { settled } = await (trace === undefined ? start() : trace.run(start))
  return { settled: asSettled(prepared, settled, invocation, trace) }
}

async function startRecord(prepared: PreparedRecord, invocation: Invocation): Promise<Settling> {
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
  const { brake } = invocation.consumer
  if (claim.kind !== 'claimed' || invocation.signal.aborted) {
    if (probe !== undefined) brake?.unused(probe)
    if (claim.kind !== 'claimed') return { settled: settleWithoutRun(incoming, claim, invocation) }
    return { settled: returnUnstarted(claim.hold) }
  }
  const until = probe === undefined ? brake?.heldUntil() : undefined
  if (until !== undefined) return { settled: returnUnstarted(claim.hold, { until, braked: true }) }
  return runAttempt(incoming, claim, invocation, probe)
}

/** Claimed, but no time is left to run it, or the brake was put on meanwhile. If this write is lost, the lease expires and the attempt counts. */
async function returnUnstarted(
  hold: Hold,
  why: { readonly until?: number; readonly braked?: true } = {},
): Promise<Settlement> {
  await hold.release()
  return { kind: 'notStarted', ...why }
}

/** Keeps only the record and its settlement, so that the payloads of a batch of 10,000 can be collected. */
async function asSettled(
  prepared: PreparedRecord,
  settled: Promise<Settlement>,
  { consumer, tally, logger }: Invocation,
  trace: Trace | undefined,
): Promise<SettledRecord> {
  const settlement = await settlementOf(settled)
  trace?.settled(settlement)
  const message = prepared.kind === 'claim' ? prepared.incoming.message : undefined
  tally?.settled(settlement, message && consumer.clock.now() - message.takenAt)
  // The record has settled already.
  callSafely(
    () => consumer.onSettled?.(settlement, message),
    (error) => logger.error('onSettled threw', { error: messageOf(error) }),
  )
  const held = prepared.kind === 'claim' && prepared.claim.kind === 'held'
  return { record: prepared.record, settlement, held }
}

/** An internal error fails this delivery, and no other record. */
async function settlementOf(settled: Promise<Settlement>): Promise<Settlement> {
  try {
    return await settled
  } catch (error) {
    return { kind: 'failed', error: toError(error) }
  }
}
