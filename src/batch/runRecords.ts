import type { SQSRecord } from 'aws-lambda'
import { messageOf } from '../errors.ts'
import { attempt, type Ended } from './attempt.ts'
import { claimAhead, type Prepared } from './claimAhead.ts'
import type { Invocation } from './invocation.ts'
import { handBack } from './release.ts'
import { isAcknowledged, type Settlement } from './settlement.ts'
import { settleUnclaimed } from './unclaimed.ts'

export interface Settled {
  readonly record: SQSRecord
  readonly settlement: Settlement
}

/** Standard queue: `concurrency` handlers at once, in any order; then the records that repeat a request of this batch. */
export async function runUnordered(
  records: readonly SQSRecord[],
  invocation: Invocation,
): Promise<Settled[]> {
  const ends: Promise<Settled>[] = []
  const repeats: SQSRecord[] = []
  const source = claimAhead(records, invocation)
  const lane = async (): Promise<void> => {
    for (;;) {
      const next = await source.next()
      if (next.done === true) return
      const prepared = next.value
      if (prepared.kind === 'repeat') repeats.push(prepared.record)
      else {
        const { settled } = await run(prepared, invocation)
        ends.push(asSettled(prepared, settled, invocation))
      }
    }
  }
  const lanes = Math.min(invocation.consumer.concurrency, records.length)
  await Promise.all(Array.from({ length: lanes }, lane))
  const settled = await Promise.all(ends)
  if (repeats.length === 0) return settled
  return [...settled, ...(await runUnordered(repeats, invocation))]
}

/** FIFO: groups side by side, each in order; what comes after a record that stays on the queue stays as well. */
export async function runOrdered(
  records: readonly SQSRecord[],
  invocation: Invocation,
): Promise<Settled[]> {
  const groups = Map.groupBy(records, (record) => record.attributes?.MessageGroupId ?? '')
  const waiting = [...groups.values()]
  const settled: Settled[] = []
  const lane = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      settled.push(...(await runGroup(group, invocation)))
    }
  }
  const lanes = Math.min(invocation.consumer.concurrency, waiting.length)
  await Promise.all(Array.from({ length: lanes }, lane))
  return settled
}

async function runGroup(records: readonly SQSRecord[], invocation: Invocation): Promise<Settled[]> {
  const settled: Settled[] = []
  for (const [index, record] of records.entries()) {
    for await (const prepared of claimAhead([record], invocation)) {
      const { settled: end } = await run(prepared, invocation)
      settled.push(await asSettled(prepared, end, invocation))
    }
    const last = settled.at(-1)
    if (last !== undefined && isAcknowledged(last.settlement)) continue
    const rest = records
      .slice(index + 1)
      .map((each) => ({ kind: 'handedBack', record: each }) as const)
    const unstarted = rest.map((each) => asSettled(each, Promise.resolve(each), invocation))
    return [...settled, ...(await Promise.all(unstarted))]
  }
  return settled
}

async function run(prepared: Prepared, invocation: Invocation): Promise<Ended> {
  switch (prepared.kind) {
    case 'repeat':
    case 'handedBack':
      return { settled: Promise.resolve({ kind: 'handedBack' }) }
    case 'unreadable':
      invocation.consumer.logger.error('left on the queue: the record cannot be read', {
        consumer: invocation.consumer.name,
        messageId: prepared.record?.messageId,
        error: prepared.error.message,
      })
      return { settled: Promise.resolve({ kind: 'failed', error: prepared.error }) }
    case 'claim':
      return runClaim(prepared, invocation)
  }
}

async function runClaim(
  { work, claim }: Extract<Prepared, { kind: 'claim' }>,
  invocation: Invocation,
): Promise<Ended> {
  if (claim.kind !== 'claimed') return { settled: settleUnclaimed(work, claim, invocation) }
  if (invocation.signal.aborted) return { settled: handBack(claim.hold) }
  return attempt(work, claim, invocation)
}

/** Keeps the record and its end only: the payloads of a batch of 10,000 need not wait for each other. */
async function asSettled(
  prepared: Prepared,
  end: Promise<Settlement>,
  { consumer, tally }: Invocation,
): Promise<Settled> {
  const settlement = await settlementOf(end)
  const message = prepared.kind === 'claim' ? prepared.work.message : undefined
  tally?.settled(settlement, message && consumer.clock.now() - message.sentAt)
  try {
    consumer.onSettled?.(settlement, message)
  } catch (error) {
    consumer.logger.error('onSettled threw', { consumer: consumer.name, error: messageOf(error) })
  }
  return { record: prepared.record, settlement }
}

/** An error of our own costs this record its delivery, and no other. */
async function settlementOf(end: Promise<Settlement>): Promise<Settlement> {
  try {
    return await end
  } catch (error) {
    return { kind: 'failed', error: error instanceof Error ? error : new Error(messageOf(error)) }
  }
}
