import type { SQSRecord } from 'aws-lambda'
import * as DYNAMODB from '../../base/limits/dynamodb.ts'
import { toError } from '../../base/errors.ts'
import type { Settlement } from '../../protocol/claim/settlement.ts'
import { readEnvelope } from '../../protocol/record/envelope/readEnvelope.ts'
import { isCompressed } from '../../protocol/record/envelope/wrapper.ts'
import { hasForeignId } from '../../protocol/record/message/message.ts'
import type { Batch, Claim } from './claimStrategy.ts'
import type { Consumer } from './consumer.ts'
import {
  asMessageOfRun,
  type IncomingRecord,
  type ReadRecord,
  readRecord,
  receiptsOf,
  sqsRecordOf,
  type UnclaimedRecord,
} from './readRecord.ts'
import type { Invocation } from './invocation.ts'
import { loadContext } from './lazy.ts'

/** A record that is read and claimed, or the settlement of one that is not. */
export type PreparedRecord = ReadyRecord | SilentRecord

export type ReadyRecord =
  | {
      readonly kind: 'claim'
      readonly record: SQSRecord
      readonly incoming: IncomingRecord
      readonly claim: Exclude<Claim, { kind: 'silent' }>
      /** Probe id of the circuit breaker: it lets this record start although the circuit is open. */
      readonly probe?: string | undefined
    }
  | {
      readonly kind: 'unreadable' | 'notStarted'
      readonly record: SQSRecord
      readonly settlement: Settlement
    }

/** A record whose last attempt ended silently. It may be what kills its sandbox, so it is claimed when nothing else runs. */
export interface SilentRecord {
  readonly kind: 'silent'
  /** The record; a payload that `offload` keeps outside the message is not loaded. */
  readonly source: UnclaimedRecord
  readonly attempts: number
}

/** Records that are read and claimed together. */
interface Chunk {
  readonly sources: readonly UnclaimedRecord[]
  /** Whether it waits until all records of the chunk before have begun: else the payloads of three chunks could be in memory. */
  readonly waits: boolean
}

/**
 * A chunk whose claims are on their way: its records have entered their lanes, so the records of the next chunk may enter theirs.
 */
interface BegunChunk {
  readonly prepared: Promise<PreparedRecord[]>
}

/**
 * Hands out the records one by one, undefined after the last. The next chunk is claimed while this one runs, so that handlers do not
 * wait for the store. What was handed out is not kept here: else the payloads of a chunk would stay in memory until the claims of the
 * next one are answered.
 * @param enter false: the record waits in its lane
 */
export function claimAhead(
  sources: readonly UnclaimedRecord[],
  batch: Batch,
  enter: (incoming: IncomingRecord) => boolean = () => true,
): () => Promise<PreparedRecord | undefined> {
  const chunks = chunksOf(sources, batch)
  let coming: Promise<BegunChunk> | undefined
  let ready: PreparedRecord[] = []
  let loading: Promise<void> | undefined
  const begin = (after?: Promise<unknown>): Promise<BegunChunk> | undefined => {
    const chunk = chunks.shift()
    return chunk && Promise.resolve(after).then(() => beginChunk(chunk.sources, batch, enter))
  }
  const load = async (): Promise<void> => {
    const current = coming ?? begin()
    coming = chunks[0]?.waits === false ? begin(current) : undefined
    ready = (await (await current)?.prepared) ?? []
    loading = undefined
  }
  const next = async (): Promise<PreparedRecord | undefined> => {
    if (ready.length > 0 || !(coming ?? chunks[0] ?? loading)) return ready.shift()
    await (loading ??= load())
    return next()
  }
  return next
}

/** One BatchGetItem for records that were delivered before; four concurrent batches of statements for new ones. */
const CLAIMS_PER_CHUNK = 100
/** New records in one batch of statements: the first handlers start when it is answered, and do not wait for the other three. */
const FIRST_CLAIMS = DYNAMODB.batchStatements
/** Bytes that are opened together, beyond what is in the event itself. A record that needs more is opened alone. */
const MOST_AHEAD = 32 * 1_048_576
/**
 * What a compressed record counts for. It holds up to 1 MiB, and who fills it with `[{},{},…` gets twenty times as much memory: so few
 * of them are opened together, right before their claim.
 */
const COMPRESSED_BYTES = 8 * 1_048_576

function chunksOf(sources: readonly UnclaimedRecord[], batch: Batch): Chunk[] {
  const { consumer } = batch.invocation
  const chunks: Chunk[] = []
  let first = 0
  while (first < sources.length) {
    const most = mostClaims(sources, first, batch)
    let [size, sum] = [0, 0]
    for (const source of sources.slice(first, first + most)) {
      const bytes = bytesToOpen(sqsRecordOf(source), consumer)
      // @protects what is opened together fits into memory
      // @tests test/features/payloads/readAhead
      if (size > 0 && sum + bytes > MOST_AHEAD) break
      size += 1
      sum += bytes
    }
    const chunk = sources.slice(first, first + size)
    chunks.push({
      sources: chunk,
      waits:
        // @protects what is opened for one chunk has left memory before the next one is opened
        // @tests test/features/payloads/readAhead
        sum > 0 || isOnlyAttempt(consumer),
    })
    first += size
  }
  return chunks
}

/** What is read before it is claimed is read in one call, so a chunk with such a record is not divided. */
function mostClaims(
  sources: readonly UnclaimedRecord[],
  first: number,
  { invocation: { consumer }, strategy }: Batch,
): number {
  if (isOnlyAttempt(consumer)) return 1
  const areNew = sources
    .slice(0, CLAIMS_PER_CHUNK)
    .every((source) => receiptsOf(sqsRecordOf(source)) === 1)
  return first === 0 && strategy.claimsUnread === true && areNew ? FIRST_CLAIMS : CLAIMS_PER_CHUNK
}

/**
 * A record with a single attempt is not claimed ahead: if another record then kept its handler from starting, the claim would
 * have used up the attempt.
 */
function isOnlyAttempt({ maxAttempts }: Consumer): boolean {
  // @protects a record with a single attempt is not claimed ahead
  // @without false
  return maxAttempts === 1
}

function bytesToOpen(record: SQSRecord, consumer: Consumer): number {
  // @protects few compressed records are opened together
  // @without its else @tests test/features/payloads/readAhead
  const compressed = isCompressed(record.body) ? COMPRESSED_BYTES : 0
  const { bytesToOpen: outside } = consumer.features
  if (outside === undefined) return compressed
  try {
    const { carried } = readEnvelope(record, { ...consumer, now: consumer.clock.now() })
    return compressed + (carried.payload === undefined ? 0 : outside(carried.payload))
  } catch {
    return compressed
  }
}

/** What of a record waits in memory: what was opened for it is opened again. */
export function withoutPayload(read: ReadRecord, { consumer }: Invocation): UnclaimedRecord {
  return bytesToOpen(read.record, consumer) > 0 ? read.record : read
}

/** Whether all records can be read before their claims. */
export function fitsInMemory(records: readonly SQSRecord[], { consumer }: Invocation): boolean {
  return records.every((record) => bytesToOpen(record, consumer) === 0)
}

async function beginChunk(
  sources: readonly UnclaimedRecord[],
  batch: Batch,
  enter: (incoming: IncomingRecord) => boolean,
): Promise<BegunChunk> {
  const { consumer, signal } = batch.invocation
  // @protects no claim begins when the time is up
  if (signal.aborted) return { prepared: Promise.resolve(sources.map((each) => notStarted(each))) }
  const admission = await consumer.features.admit?.(sources.length)
  const admitted = sources.slice(0, admission?.admitted)
  const read = await Promise.all(admitted.map((source) => readRecord(source, batch.invocation)))
  const going = read.filter((each) => 'error' in each || enter(each))
  const claimed = claimRead(going, batch, true, admission?.probe)
  const held = sources.slice(admitted.length)
  if (held.length === 0) return { prepared: claimed }
  const heldBack = { until: admission?.until ?? 0, circuitOpen: true } as const
  return {
    prepared: claimed.then((prepared) => [
      ...prepared,
      ...held.map((each) => notStarted(each, heldBack)),
    ]),
  }
}

export function notStarted(
  source: UnclaimedRecord,
  why: { readonly until?: number; readonly circuitOpen?: true } = {},
): ReadyRecord {
  const settlement = { kind: 'notStarted', ...why } as const
  return { kind: 'notStarted', record: sqsRecordOf(source), settlement }
}

async function claimRead(
  read: readonly ReadRecord[],
  batch: Batch,
  ahead: boolean,
  probe: string | undefined,
): Promise<PreparedRecord[]> {
  const { invocation } = batch
  const claims = await claimTogether(
    read.filter((each) => 'message' in each),
    batch,
    ahead,
  )
  const prepared = read.map((each) =>
    'error' in each ? unreadable(each, invocation) : toPrepared(each, claims, invocation, probe),
  )
  // Claimed later, or unreadable: another record may be the probe.
  if (probe !== undefined && !prepared.some(({ kind }) => kind === 'claim')) {
    invocation.consumer.features.unused?.(probe)
  }
  return prepared
}

function unreadable(
  { record, error }: Extract<ReadRecord, { error: Error }>,
  { logger }: Invocation,
): PreparedRecord {
  logger.error('left on the queue: the record cannot be read', {
    messageId: record?.messageId,
    error: error.message,
  })
  return { kind: 'unreadable', record, settlement: { kind: 'failed', error } }
}

function toPrepared(
  read: IncomingRecord,
  claims: ReadonlyMap<IncomingRecord, Claim>,
  invocation: Invocation,
  probe: string | undefined,
): PreparedRecord {
  const claim = claims.get(read)
  if (claim === undefined) throw new Error('fewer claims than records')
  if (claim.kind === 'silent') {
    const source = withoutPayload(read, invocation)
    return { kind: 'silent', source, attempts: claim.attempts }
  }
  const { flow, tenant } = claim
  const incoming = flow || tenant ? asMessageOfRun(read, flow, tenant) : read
  return { kind: 'claim', record: read.record, incoming, claim, probe }
}

/** Never rejects: an error of our own must not fail the other records of the batch. */
async function claimTogether(
  claimable: readonly IncomingRecord[],
  { invocation, strategy }: Batch,
  ahead: boolean,
): Promise<ReadonlyMap<IncomingRecord, Claim>> {
  const isForStrategy = (incoming: IncomingRecord): boolean =>
    incoming.message.envelope.testEvent === undefined &&
    (!hasForeignId(incoming.message) || strategy.identifies?.(incoming) === true)
  const own = claimable.filter(isForStrategy)
  const others = claimable.filter((each) => !isForStrategy(each))
  const claims = new Map<IncomingRecord, Claim>()
  const claimAll = async (): Promise<void> => {
    const claiming = own.length === 0 ? [] : strategy.claim(own, invocation, ahead)
    // It may fail: then no handler starts.
    void loadContext()
    const claimed = await claiming
    for (const [index, claim] of claimed.entries()) claims.set(own[index] as IncomingRecord, claim)
    for (const each of others) claims.set(each, unclaimed(each))
  }
  const begun = invocation.consumer.clock.now()
  try {
    await (isOnlyAttempt(invocation.consumer) ? invocation.oneAtATime(claimAll) : claimAll())
  } catch (error) {
    for (const each of claimable) claims.set(each, { kind: 'failed', error: toError(error) })
  }
  const took = invocation.consumer.clock.now() - begun
  invocation.slowestClaim = Math.max(invocation.slowestClaim, took)
  const lost = [...claims.values()].filter((each) => 'afterLost' in each).length
  // Reported at once: whatever killed the attempt before may kill this invocation, too.
  if (lost > 0) invocation.watch?.noticed?.('lostAttempts', lost)
  return claims
}

/** The verdict on a record that the strategy is not asked about. */
function unclaimed({ message }: IncomingRecord): Claim {
  if (message.kind === 'refused') {
    return {
      kind: 'refuse',
      refusal: { ...message.refusal, death: message.envelope.carried.death },
    }
  }
  const { testEvent } = message.envelope
  if (testEvent === undefined) throw new Error('a message with a request')
  return { kind: 'accepted', as: testEvent }
}

/** Claims a record while nothing else runs, unless less time is left than a claim takes. */
export async function claimAlone(source: UnclaimedRecord, batch: Batch): Promise<ReadyRecord> {
  const { consumer, slowestClaim, logger } = batch.invocation
  if (batch.invocation.remainingTime() <= slowestClaim) {
    logger.error('not started: less time is left than a claim takes', {
      messageId: sqsRecordOf(source).messageId,
    })
    return notStarted(source)
  }
  const admission = await consumer.features.admit?.(1)
  if (admission?.admitted === 0)
    return notStarted(source, { until: admission.until, circuitOpen: true })
  const read = await readRecord(source, batch.invocation)
  const [prepared] = await claimRead([read], batch, false, admission?.probe)
  return prepared === undefined || prepared.kind === 'silent' ? notStarted(source) : prepared
}
