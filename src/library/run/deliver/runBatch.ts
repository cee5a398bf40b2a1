import type { SQSRecord } from 'aws-lambda'
import { comesBackAt, isAcknowledged } from '../../protocol/claim/settlement.ts'
import {
  claimAhead,
  claimAlone,
  fitsInMemory,
  notStarted,
  type PreparedRecord,
  type SilentRecord,
  withoutPayload,
} from './claimAhead.ts'
import type { Batch } from './claimStrategy.ts'
import { type IncomingRecord, readRecord, type UnclaimedRecord } from './readRecord.ts'
import type { SettledRecord } from './invocation.ts'
import { runRecord } from './runRecord.ts'

/** Records that run one after the other, from one on whose last attempt ended silently. */
interface SilentLane {
  readonly sources: readonly UnclaimedRecord[]
  readonly attempts: number
}

/**
 * Runs `concurrency` handlers at once; then, one by one, the records whose last attempt ended silently, so that a record which kills
 * its sandbox takes no other record along. One that has ended silently more often runs later.
 */
export async function runBatch(
  records: readonly SQSRecord[],
  batch: Batch,
): Promise<SettledRecord[]> {
  const silent: SilentLane[] = []
  const run = batch.invocation.fifo ? runGroups : runRounds
  const settled = await run(records, batch, (lane) => silent.push(lane))
  for (const { sources } of silent.toSorted((one, other) => one.attempts - other.attempts)) {
    settled.push(...(await runLane(sources, batch)))
  }
  return settled
}

/** A standard queue: records in any order, but those that share a serialization key one after the other. */
async function runRounds(
  records: readonly SQSRecord[],
  batch: Batch,
  postpone: (lane: SilentLane) => void,
): Promise<SettledRecord[]> {
  const lanes = new Map<string, UnclaimedRecord[]>()
  const enter = (incoming: IncomingRecord): boolean => {
    const key = batch.strategy.serializationKey(incoming)
    const lane = lanes.get(key)
    if (lane === undefined) lanes.set(key, [])
    else lane.push(withoutPayload(incoming, batch.invocation))
    // @protects records with one key run one after the other
    // @without true
    return lane === undefined
  }
  const settled: Promise<SettledRecord>[] = []
  const runRound = async (next: ReturnType<typeof claimAhead>, most: number): Promise<void> => {
    // A function of its own: the loop would keep its last record while it waits for the next one.
    const runNext = async (): Promise<boolean> => {
      const prepared = await next()
      if (prepared?.kind === 'silent') postpone(asLane(prepared))
      else if (prepared) settled.push((await runRecord(prepared, batch.invocation)).settled)
      return prepared !== undefined
    }
    await runWorkers(batch, most, async () => {
      while (await runNext());
    })
  }
  const first = await inOrderOfStrategy(records, batch)
  await runRound(claimAhead(first, batch, enter), records.length)
  for (let heads = headsOf(lanes); heads.length > 0; heads = headsOf(lanes)) {
    await Promise.all(settled)
    await runRound(claimAhead(heads, batch), heads.length)
  }
  return Promise.all(settled)
}

function headsOf(lanes: ReadonlyMap<string, UnclaimedRecord[]>): readonly UnclaimedRecord[] {
  return [...lanes.values()].flatMap((lane) => lane.shift() ?? [])
}

async function inOrderOfStrategy(
  records: readonly SQSRecord[],
  { invocation, strategy: { compare } }: Batch,
): Promise<readonly UnclaimedRecord[]> {
  // Payloads outside the messages are not read for the order, which only saves claims.
  if (compare === undefined || records.length < 2 || !fitsInMemory(records, invocation)) {
    return records
  }
  const read = await Promise.all(records.map((record) => readRecord(record, invocation)))
  const readable = read.filter((each) => 'message' in each)
  return [...read.filter((each) => 'error' in each), ...readable.toSorted(compare)]
}

/** A FIFO queue: groups side by side, the records of each in their order. */
async function runGroups(
  records: readonly SQSRecord[],
  batch: Batch,
  postpone: (lane: SilentLane) => void,
): Promise<SettledRecord[]> {
  const groups = Map.groupBy(records, (record) => record.attributes?.MessageGroupId ?? '')
  const waiting = [...groups.values()]
  const settled: SettledRecord[] = []
  await runWorkers(batch, waiting.length, async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      settled.push(...(await runLane(group, batch, postpone)))
    }
  })
  return settled
}

/**
 * If a record stays on its queue, so do the later ones: SQS locks a group while one of its messages is hidden, so that it
 * delivers them again together with the first.
 * @param postpone takes the rest of the lane when its next record has to run alone. undefined: nothing else runs now
 */
async function runLane(
  sources: readonly UnclaimedRecord[],
  batch: Batch,
  postpone?: (lane: SilentLane) => void,
): Promise<SettledRecord[]> {
  const settled: SettledRecord[] = []
  let until: number | undefined
  let stays = false
  for (const [index, source] of sources.entries()) {
    const prepared: PreparedRecord | undefined = stays
      ? notStarted(source, until === undefined ? {} : { until })
      : await (postpone ? claimAhead([source], batch)() : claimAlone(source, batch))
    if (prepared === undefined) throw new Error('a record was not handed out')
    if (prepared.kind === 'silent') {
      postpone?.(asLane(prepared, sources.slice(index + 1)))
      return settled
    }
    const end: SettledRecord = await (await runRecord(prepared, batch.invocation)).settled
    settled.push(end)
    if (!stays) until = comesBackAt(end.settlement)
    // @protects records behind one that stays on a FIFO queue stay too
    stays ||= !isAcknowledged(end.settlement)
  }
  return settled
}

function asLane(
  { source, attempts }: SilentRecord,
  rest: readonly UnclaimedRecord[] = [],
): SilentLane {
  return { sources: [source, ...rest], attempts }
}

/** @param most the most workers that can find something to do */
async function runWorkers(
  { invocation: { consumer } }: Batch,
  most: number,
  worker: () => Promise<void>,
): Promise<void> {
  await Promise.all(Array.from({ length: Math.min(consumer.concurrency, most) }, worker))
}
