import type { SQSRecord } from 'aws-lambda'
import { messageOf } from '../errors.ts'
import { runAttempt, type Settling } from './attempt.ts'
import {
  prefetchClaims,
  claimAlone,
  type PreparedRecord,
  readOne,
  type SilentRecord,
  type UnclaimedRecord,
} from './prefetchClaims.ts'
import type { Invocation } from './invocation.ts'
import { type SerialQueues, openSerialQueues } from './serialization.ts'
import { returnUnstarted } from './returnUnstarted.ts'
import { comesBackAt, isAcknowledged, type Settlement } from '../claim/settlement.ts'
import { settleWithoutRun } from './settleWithoutRun.ts'

export interface SettledRecord {
  readonly record: SQSRecord
  readonly settlement: Settlement
  /** Another attempt runs, perhaps of the same message: SQS may bring it twice, and then the other one's mapping deletes it. */
  readonly held: boolean
}

/**
 * Standard queue: `concurrency` handlers at once, in any order; then the records that repeat a line of this batch; then, one
 * by one, those whose last attempt ended without a word: the one among them that takes its sandbox down takes no other along.
 */
export async function runUnordered(
  records: readonly SQSRecord[],
  invocation: Invocation,
): Promise<SettledRecord[]> {
  const settled: SettledRecord[] = []
  const silent: SilentRecord[] = []
  const queues = openSerialQueues((incoming) => invocation.claimStrategy.serializationKey(incoming))
  let sources = await inOrderOfStrategy(records, invocation)
  while (sources.length > 0) {
    settled.push(...(await runRound(sources, invocation, queues, silent)))
    sources = queues.next()
  }
  for (const each of fewestAttemptsFirst(silent)) {
    const prepared = await claimAlone(each, invocation)
    const { settled: end } = await runPrepared(prepared, invocation)
    settled.push(await asSettled(prepared, end, invocation))
  }
  return settled
}

async function inOrderOfStrategy(
  records: readonly SQSRecord[],
  invocation: Invocation,
): Promise<readonly UnclaimedRecord[]> {
  const { compare } = invocation.claimStrategy
  if (compare === undefined || records.length < 2) return records
  const read = await Promise.all(records.map((record) => readOne(record, invocation)))
  const readable = read.filter((each) => 'message' in each)
  const others = read.filter((each) => !('message' in each))
  return [...others, ...readable.toSorted(compare)]
}

async function runRound(
  sources: readonly UnclaimedRecord[],
  invocation: Invocation,
  queues: SerialQueues,
  silent: SilentRecord[],
): Promise<SettledRecord[]> {
  const ends: Promise<SettledRecord>[] = []
  const claims = prefetchClaims(sources, invocation, queues)
  const worker = async (): Promise<void> => {
    for (;;) {
      const next = await claims.next()
      if (next.done === true) return
      const prepared = next.value
      if (prepared.kind === 'silent') silent.push(prepared)
      else {
        const { settled } = await runPrepared(prepared, invocation)
        ends.push(asSettled(prepared, settled, invocation))
      }
    }
  }
  const workers = Math.min(invocation.consumer.concurrency, sources.length)
  await Promise.all(Array.from({ length: workers }, worker))
  return Promise.all(ends)
}

/** Those that never began stand behind none that did. */
function fewestAttemptsFirst<Each extends { readonly attempts: number }>(
  given: readonly Each[],
): Each[] {
  return given.toSorted((one, other) => one.attempts - other.attempts)
}

/** FIFO: groups side by side, each in order; what comes after a record that stays on the queue stays as well. */
export async function runOrdered(
  records: readonly SQSRecord[],
  invocation: Invocation,
): Promise<SettledRecord[]> {
  const groups = Map.groupBy(records, (record) => record.attributes?.MessageGroupId ?? '')
  const waiting = [...groups.values()]
  const settled: SettledRecord[] = []
  const silent: SilentGroup[] = []
  const worker = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      settled.push(...(await runGroup(group, invocation, (rest) => silent.push(rest))))
    }
  }
  const workers = Math.min(invocation.consumer.concurrency, waiting.length)
  await Promise.all(Array.from({ length: workers }, worker))
  for (const { sources } of fewestAttemptsFirst(silent)) {
    settled.push(...(await runGroup(sources, invocation)))
  }
  return settled
}

/** A group from the record on whose last attempt ended without a word. */
interface SilentGroup {
  readonly sources: readonly UnclaimedRecord[]
  readonly attempts: number
}

/** @param postpone what becomes of the group when its next record is to be run alone. Undefined: it runs alone now. */
async function runGroup(
  sources: readonly UnclaimedRecord[],
  invocation: Invocation,
  postpone?: (rest: SilentGroup) => void,
): Promise<SettledRecord[]> {
  const settled: SettledRecord[] = []
  for (const [index, source] of sources.entries()) {
    for await (const prepared of prefetchClaims([source], invocation)) {
      if (prepared.kind === 'silent' && postpone !== undefined) {
        postpone({ ...prepared, sources: [prepared.incoming, ...sources.slice(index + 1)] })
        return settled
      }
      const claimed = prepared.kind === 'silent' ? await claimAlone(prepared, invocation) : prepared
      const { settled: end } = await runPrepared(claimed, invocation)
      settled.push(await asSettled(claimed, end, invocation))
    }
    const last = settled.at(-1)
    if (last !== undefined && isAcknowledged(last.settlement)) continue
    const rest = sources.slice(index + 1)
    return [
      ...settled,
      ...(await Promise.all(rest.map((each) => leaveBehind(each, last, invocation)))),
    ]
  }
  return settled
}

/** SQS locks a group while any of its messages is hidden: all that stay come back with the first of them. */
function leaveBehind(
  source: UnclaimedRecord,
  first: SettledRecord | undefined,
  invocation: Invocation,
): Promise<SettledRecord> {
  const record = 'record' in source ? source.record : source
  const until = first && comesBackAt(first.settlement)
  const settlement = { kind: 'handedBack', ...(until === undefined ? {} : { until }) } as const
  return asSettled({ kind: 'handedBack', record }, Promise.resolve(settlement), invocation)
}

async function runPrepared(prepared: PreparedRecord, invocation: Invocation): Promise<Settling> {
  switch (prepared.kind) {
    case 'silent':
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
  { incoming, claim }: Extract<PreparedRecord, { kind: 'claim' }>,
  invocation: Invocation,
): Promise<Settling> {
  if (claim.kind !== 'claimed') return { settled: settleWithoutRun(incoming, claim, invocation) }
  if (invocation.signal.aborted) return { settled: returnUnstarted(claim.hold) }
  return runAttempt(incoming, claim, invocation)
}

/** Keeps the record and its end only: the payloads of a batch of 10,000 need not wait for each other. */
async function asSettled(
  prepared: PreparedRecord,
  end: Promise<Settlement>,
  { consumer, tally }: Invocation,
): Promise<SettledRecord> {
  const settlement = await settlementOf(end)
  const message = prepared.kind === 'claim' ? prepared.incoming.message : undefined
  tally?.settled(settlement, message && consumer.clock.now() - message.takenAt)
  consumer.onSettled?.(settlement, message)
  const held = prepared.kind === 'claim' && prepared.claim.kind === 'held'
  return { record: prepared.record, settlement, held }
}

/** An error of our own costs this record its delivery, and no other. */
async function settlementOf(end: Promise<Settlement>): Promise<Settlement> {
  try {
    return await end
  } catch (error) {
    return { kind: 'failed', error: error instanceof Error ? error : new Error(messageOf(error)) }
  }
}
