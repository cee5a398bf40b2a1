import type { SQSRecord } from 'aws-lambda'
import { toError } from '../base/errors.ts'
import * as DYNAMODB from '../base/limits/dynamodb.ts'
import { hasForeignId } from '../record/message/message.ts'
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
} from './incomingRecord.ts'
import type { Invocation } from './invocation.ts'
import { loadContext, loadUncommon } from './lazy.ts'
import { cutChunk, withoutPayload } from './readAhead.ts'
import type { Feature } from './feature.ts'
import type { SerialQueues } from './serialization.ts'

/** One BatchGetItem for records that were delivered before; four concurrent batches of statements for new ones. */
const CLAIMS_PER_CHUNK = 100
/** New records in one batch of statements: the first handlers start when it is answered, and do not wait for the other three. */
const FIRST_CLAIMS = DYNAMODB.batchStatements

/** A record that is read and claimed, or why it is not. */
export type PreparedRecord =
  | {
      readonly kind: 'claim'
      readonly record: SQSRecord
      readonly incoming: IncomingRecord
      readonly claim: Exclude<Claim, { kind: 'silent' }>
      /** Of the brake: with it the record may start although the brake is on. */
      readonly probe?: string | undefined
    }
  | { readonly kind: 'unreadable'; readonly record: SQSRecord; readonly error: Error }
  /** `until`: when the record should come back, epoch milliseconds. */
  | {
      readonly kind: 'notStarted'
      readonly record: SQSRecord
      readonly until?: number | undefined
      readonly braked?: true
    }
  | SilentRecord

/** A record whose last attempt ended silently. It may be what kills its sandbox, so it is claimed when nothing else runs. */
export interface SilentRecord {
  readonly kind: 'silent'
  readonly record: SQSRecord
  /** Without its payload, if that is not in the message. */
  readonly source: UnclaimedRecord
  readonly attempts: number
}

/**
 * Hands out the records one by one, undefined after the last. What was handed out is not kept here: else the payloads of a chunk
 * would stay in memory until the claims of the next one are answered.
 */
export function prefetchClaims(
  sources: readonly UnclaimedRecord[],
  batch: Batch,
  queues?: SerialQueues,
): () => Promise<PreparedRecord | undefined> {
  const chunks = prepareChunks(sources, batch, queues)
  let ready: PreparedRecord[] | undefined = []
  let loading: Promise<void> | undefined
  const load = async (): Promise<void> => {
    ready = (await chunks.next()).value
    loading = undefined
  }
  const next = async (): Promise<PreparedRecord | undefined> => {
    if (ready?.length !== 0) return ready?.shift()
    await (loading ??= load())
    return next()
  }
  return next
}

/**
 * Claims the next chunk while this one runs, so that handlers do not wait for the store. A chunk with payloads that have to be read
 * waits until all records of this one have begun: else those of three chunks could be in memory.
 */
async function* prepareChunks(
  sources: readonly UnclaimedRecord[],
  batch: Batch,
  queues: SerialQueues | undefined,
): AsyncGenerator<PreparedRecord[], undefined> {
  const isAlone = isOnlyAttempt(batch.invocation)
  let begun = Promise.resolve<Begun>({ prepared: Promise.resolve([]) })
  for (let start = 0; start < sources.length;) {
    const most = isAlone ? 1 : mostAt(start, sources, batch)
    const part = sources.slice(start, start + most)
    const together = cutChunk(part.map(sqsRecordOf), batch.invocation.consumer)
    const chunk = part.slice(0, together?.size)
    start += chunk.length
    const waits = isAlone || together !== undefined
    const current = begun
    if (waits) yield await preparedIn(current)
    begun = current.then(() => beginChunk(chunk, batch, queues))
    if (!waits) yield await preparedIn(current)
  }
  yield await preparedIn(begun)
  return undefined
}

/** A chunk whose claims are on their way: its records have entered their queues, so those of the next chunk may. */
interface Begun {
  readonly prepared: Promise<PreparedRecord[]>
}

async function preparedIn(begun: Promise<Begun>): Promise<PreparedRecord[]> {
  return (await begun).prepared
}

/** What is read before it is claimed is read in one call, so a chunk with such a record is not divided. */
function mostAt(start: number, sources: readonly UnclaimedRecord[], { strategy }: Batch): number {
  const isDivided =
    start === 0 &&
    strategy.claimsUnread === true &&
    sources.slice(0, CLAIMS_PER_CHUNK).every((source) => receiptsOf(sqsRecordOf(source)) === 1)
  return isDivided ? FIRST_CLAIMS : CLAIMS_PER_CHUNK
}

/**
 * A record with a single attempt is not claimed ahead: if another record then kept its handler from starting, the claim would
 * have used up the attempt.
 */
function isOnlyAttempt({ consumer }: Invocation): boolean {
  return consumer.maxAttempts === 1
}

async function beginChunk(
  chunk: readonly UnclaimedRecord[],
  batch: Batch,
  queues: SerialQueues | undefined,
): Promise<Begun> {
  const { consumer, signal } = batch.invocation
  if (signal.aborted) {
    const left = chunk.map((source) => notStarted(sqsRecordOf(source)))
    return { prepared: Promise.resolve(left) }
  }
  const { features } = consumer
  if (features.admit === undefined) return beginAdmitted(chunk, batch, queues)
  const { admitted, probe, until } = await features.admit(chunk.length)
  const { prepared } = await beginAdmitted(chunk.slice(0, admitted), batch, queues)
  const held = chunk.slice(admitted).map((source) => heldBack(sqsRecordOf(source), until))
  return { prepared: withHeldBack(prepared, held, probe, features) }
}

async function withHeldBack(
  claiming: Promise<PreparedRecord[]>,
  held: readonly PreparedRecord[],
  probe: string | undefined,
  features: Feature,
): Promise<PreparedRecord[]> {
  const prepared = await claiming
  if (probe === undefined) return [...prepared, ...held]
  // It is claimed later, or cannot be read: another one may be the probe.
  if (!prepared.some(({ kind }) => kind === 'claim')) features.unused?.(probe)
  return [...prepared.map((each) => (each.kind === 'claim' ? { ...each, probe } : each)), ...held]
}

function notStarted(record: SQSRecord): PreparedRecord {
  return { kind: 'notStarted', record }
}

function heldBack(record: SQSRecord, until: number): PreparedRecord {
  return { kind: 'notStarted', record, until, braked: true }
}

async function beginAdmitted(
  chunk: readonly UnclaimedRecord[],
  batch: Batch,
  queues: SerialQueues | undefined,
): Promise<Begun> {
  if (chunk.length === 0) return { prepared: Promise.resolve([]) }
  const read = await Promise.all(chunk.map((source) => readRecord(source, batch.invocation)))
  // A record that was read before this chunk comes from the queue of records with the same key.
  const isFirst = (incoming: IncomingRecord, index: number): boolean =>
    queues === undefined || incoming === chunk[index] || queues.enter(incoming)
  const going = read.filter((each, index) => !('message' in each) || isFirst(each, index))
  return { prepared: claimReadable(going, batch) }
}

async function claimReadable(
  going: readonly ReadRecord[],
  batch: Batch,
): Promise<PreparedRecord[]> {
  const { consumer } = batch.invocation
  const claimable = going.filter((each) => 'message' in each)
  const claims = await claimRecords(claimable, batch, true)
  const claimOf = new Map(claimable.map((incoming, index) => [incoming, claims[index]]))
  return going.map((each) =>
    toPrepared(each, 'message' in each ? claimOf.get(each) : undefined, consumer),
  )
}

/** Claims a record while nothing else runs, unless less time is left than a claim takes. */
export async function claimAlone(
  { record, source }: SilentRecord,
  batch: Batch,
): Promise<PreparedRecord> {
  const { consumer, slowestClaim, logger } = batch.invocation
  if (batch.invocation.remainingTime() <= slowestClaim) {
    logger.error('not started: less time is left than a claim takes', {
      messageId: record.messageId,
    })
    return notStarted(record)
  }
  const admission = await consumer.features.admit?.(1)
  if (admission?.admitted === 0) return heldBack(record, admission.until)
  const read = await readRecord(source, batch.invocation)
  const [claim] = 'error' in read ? [] : await claimRecords([read], batch, false)
  const prepared = toPrepared(read, claim, consumer)
  return prepared.kind === 'claim' ? { ...prepared, probe: admission?.probe } : prepared
}

function toPrepared(
  read: ReadRecord,
  claim: Claim | undefined,
  consumer: Consumer,
): PreparedRecord {
  const { record } = read
  if ('error' in read) return { kind: 'unreadable', record, error: read.error }
  if (claim === undefined) throw new Error('fewer claims than records')
  if (claim.kind === 'silent') {
    const source = withoutPayload(read, consumer)
    return { kind: 'silent', record, source, attempts: claim.attempts }
  }
  const { flow, tenant } = claim
  const incoming = flow || tenant ? asMessageOfRun(read, flow, tenant) : read
  return { kind: 'claim', record, incoming, claim }
}

/** Never rejects: an error of our own must not fail the other records of the batch. */
async function claimRecords(
  claimable: readonly IncomingRecord[],
  { invocation, strategy }: Batch,
  ahead: boolean,
): Promise<readonly Claim[]> {
  if (claimable.length === 0) return []
  const { clock } = invocation.consumer
  const claim = async (): Promise<readonly Claim[]> => {
    const begun = clock.now()
    const own = claimable.filter(
      (incoming) =>
        incoming.message.envelope.divided === undefined &&
        (!hasForeignId(incoming.message) || strategy.identifies?.(incoming)),
    )
    const claiming = own.length === 0 ? [] : strategy.claim(own, invocation, ahead)
    // It may fail: then no handler starts.
    void loadContext()
    const claimed = await claiming
    const claimOf = new Map(own.map((incoming, index) => [incoming, claimed[index]]))
    const claims = await Promise.all(
      claimable.map(async (each) => claimOf.get(each) ?? unclaimed(each, invocation)),
    )
    invocation.slowestClaim = Math.max(invocation.slowestClaim, clock.now() - begun)
    return claims
  }
  try {
    const claims = await (isOnlyAttempt(invocation) ? invocation.oneClaimAtATime(claim) : claim())
    const lost = claims.filter((each) => 'afterLost' in each).length
    // At once: what has killed the attempt before may kill this invocation, too.
    if (lost > 0) invocation.watch?.noticed?.('lostAttempts', lost)
    return claims
  } catch (error) {
    return claimable.map(() => ({ kind: 'failed', error: toError(error) }))
  }
}

/** The verdict on a record that the strategy is not asked about. */
async function unclaimed(incoming: IncomingRecord, invocation: Invocation): Promise<Claim> {
  const { message } = incoming
  const { carried, divided } = message.envelope
  if (message.kind === 'refused') {
    return { kind: 'refuse', refusal: { ...message.refusal, death: carried.death } }
  }
  if (divided === undefined) throw new Error('fewer claims than records')
  const { divide } = await loadUncommon()
  return divide(divided, incoming, invocation)
}
