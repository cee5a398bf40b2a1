import type { SQSRecord } from 'aws-lambda'
import { comesBackAt, isAcknowledged } from '../claim/settlement.ts'
import type { Batch } from './claimStrategy.ts'
import { readRecord, sqsRecordOf, type UnclaimedRecord } from './incomingRecord.ts'
import { claimAlone, prefetchClaims, type SilentRecord } from './prefetchClaims.ts'
import { cutChunk, withoutPayload } from './readAhead.ts'
import { runRecord } from './runRecord.ts'
import type { SettledRecord } from './invocation.ts'
import { openSerialQueues, type SerialQueues } from './serialization.ts'

/**
 * Runs the records of a standard queue: `concurrency` handlers at once, in any order; then the records that share a serialization
 * key with an earlier one; then, one by one, those whose last attempt ended silently, so that a record which kills its sandbox
 * takes no other record along.
 */
export async function runUnordered(
  records: readonly SQSRecord[],
  batch: Batch,
): Promise<SettledRecord[]> {
  const settled: SettledRecord[] = []
  const silent: SilentRecord[] = []
  const { consumer } = batch.invocation
  const queues = openSerialQueues(
    (incoming) => batch.strategy.serializationKey(incoming),
    (incoming) => withoutPayload(incoming, consumer),
  )
  let sources = await inOrderOfStrategy(records, batch)
  while (sources.length > 0) {
    settled.push(...(await runRound(sources, batch, queues, silent)))
    sources = queues.next()
  }
  for (const each of fewestAttemptsFirst(silent)) {
    const end = await runRecord(await claimAlone(each, batch), batch.invocation)
    settled.push(await end.settled)
  }
  return settled
}

async function inOrderOfStrategy(
  records: readonly SQSRecord[],
  { invocation, strategy: { compare } }: Batch,
): Promise<readonly UnclaimedRecord[]> {
  const { consumer } = invocation
  if (compare === undefined || records.length < 2) return records
  // Payloads outside the messages are not read for the order, which only saves claims.
  if (cutChunk(records, consumer)) return records
  const read = await Promise.all(records.map((record) => readRecord(record, invocation)))
  const readable = read.filter((each) => 'message' in each)
  const others = read.filter((each) => !('message' in each))
  return [...others, ...readable.toSorted(compare)]
}

async function runRound(
  sources: readonly UnclaimedRecord[],
  batch: Batch,
  queues: SerialQueues,
  silent: SilentRecord[],
): Promise<SettledRecord[]> {
  const ends: Promise<SettledRecord>[] = []
  const next = prefetchClaims(sources, batch, queues)
  // A function of its own: the loop would keep its last record while it waits for the next one.
  const runNext = async (): Promise<boolean> => {
    const prepared = await next()
    if (prepared?.kind === 'silent') silent.push(prepared)
    else if (prepared) ends.push((await runRecord(prepared, batch.invocation)).settled)
    return prepared !== undefined
  }
  await runWorkers(batch, sources.length, async () => {
    while (await runNext());
  })
  return Promise.all(ends)
}

/** @param most the most workers that can find something to do */
async function runWorkers(
  { invocation }: Batch,
  most: number,
  worker: () => Promise<void>,
): Promise<void> {
  const workers = Math.min(invocation.consumer.concurrency, most)
  await Promise.all(Array.from({ length: workers }, worker))
}

/** A record that has ended silently more often runs later. */
function fewestAttemptsFirst<Each extends { readonly attempts: number }>(
  given: readonly Each[],
): Each[] {
  return given.toSorted((one, other) => one.attempts - other.attempts)
}

/**
 * Runs the records of a FIFO queue: groups concurrently, each in order. If a record stays on the queue, the later records of its
 * group stay as well.
 */
export async function runOrdered(
  records: readonly SQSRecord[],
  batch: Batch,
): Promise<SettledRecord[]> {
  const groups = Map.groupBy(records, (record) => record.attributes?.MessageGroupId ?? '')
  const waiting = [...groups.values()]
  const settled: SettledRecord[] = []
  const silent: SilentGroup[] = []
  await runWorkers(batch, waiting.length, async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      settled.push(...(await runGroup(group, batch, (rest) => silent.push(rest))))
    }
  })
  for (const { sources } of fewestAttemptsFirst(silent)) {
    settled.push(...(await runGroup(sources, batch)))
  }
  return settled
}

/** The rest of a group, from a record on whose last attempt ended silently. */
interface SilentGroup {
  readonly sources: readonly UnclaimedRecord[]
  readonly attempts: number
}

/** @param postpone takes the rest of the group when its next record has to run alone. undefined: it runs alone now. */
async function runGroup(
  sources: readonly UnclaimedRecord[],
  batch: Batch,
  postpone?: (rest: SilentGroup) => void,
): Promise<SettledRecord[]> {
  const settled: SettledRecord[] = []
  for (const [index, source] of sources.entries()) {
    const prepared = await prefetchClaims([source], batch)()
    if (prepared !== undefined) {
      if (prepared.kind === 'silent' && postpone !== undefined) {
        postpone({ ...prepared, sources: [prepared.source, ...sources.slice(index + 1)] })
        return settled
      }
      const claimed = prepared.kind === 'silent' ? await claimAlone(prepared, batch) : prepared
      const end = await runRecord(claimed, batch.invocation)
      settled.push(await end.settled)
    }
    const last = settled.at(-1)
    if (last !== undefined && isAcknowledged(last.settlement)) continue
    return [...settled, ...(await leaveBehind(sources.slice(index + 1), last, batch))]
  }
  return settled
}

/** SQS locks a group while one of its messages is hidden, so all records that stay come back together with the first. */
async function leaveBehind(
  rest: readonly UnclaimedRecord[],
  first: SettledRecord | undefined,
  { invocation }: Batch,
): Promise<SettledRecord[]> {
  const until = first && comesBackAt(first.settlement)
  return Promise.all(
    rest.map(async (source) => {
      const prepared = { kind: 'notStarted', record: sqsRecordOf(source), until } as const
      return (await runRecord(prepared, invocation)).settled
    }),
  )
}
