import type { SQSRecord } from 'aws-lambda'
import { messageOf } from '../errors.ts'
import type { Invocation } from './invocation.ts'
import type { SerialQueues } from './serialization.ts'
import type { Claim } from './claimStrategy.ts'
import { hasForeignId } from '../record/message/message.ts'
import { asMessageOfRun, readRecord, type IncomingRecord } from './incomingRecord.ts'

/** One read of BatchGetItem for what was delivered before, four batches of statements side by side for what is new. */
const CLAIMS_PER_CHUNK = 100

/** A record on its way: read and claimed, or why not. */
export type PreparedRecord =
  | {
      readonly kind: 'claim'
      readonly record: SQSRecord
      readonly incoming: IncomingRecord
      readonly claim: Exclude<Claim, { kind: 'silent' }>
    }
  | { readonly kind: 'unreadable'; readonly record: SQSRecord; readonly error: Error }
  | { readonly kind: 'handedBack'; readonly record: SQSRecord }
  | SilentRecord

/** Its last attempt ended without a word: it is claimed when nothing else runs. */
export interface SilentRecord {
  readonly kind: 'silent'
  readonly record: SQSRecord
  readonly incoming: IncomingRecord
  readonly attempts: number
}

type ReadRecord = IncomingRecord | { readonly record: SQSRecord; readonly error: Error }

/** As it came, or read already. */
export type UnclaimedRecord = SQSRecord | ReadRecord

/** Claims the next chunk while this one runs: the handlers do not wait for the store. */
export async function* prefetchClaims(
  sources: readonly UnclaimedRecord[],
  invocation: Invocation,
  queues?: SerialQueues,
): AsyncGenerator<PreparedRecord> {
  const size = isOnlyAttempt(invocation) ? 1 : CLAIMS_PER_CHUNK
  const prepare = (start: number): Promise<readonly PreparedRecord[]> =>
    prepareChunk(sources.slice(start, start + size), invocation, queues)
  let ahead = prepare(0)
  for (let start = 0; start < sources.length; start += size) {
    const chunk = await ahead
    const next = start + size
    if (next < sources.length && size > 1) ahead = prepare(next)
    yield* chunk
    if (next < sources.length && size === 1) ahead = prepare(next)
  }
}

/** Its claim is the only one: it must not be spent on a record that another one of the batch keeps from its handler. */
function isOnlyAttempt({ consumer }: Invocation): boolean {
  return consumer.maxAttempts === 1
}

async function prepareChunk(
  chunk: readonly UnclaimedRecord[],
  invocation: Invocation,
  queues: SerialQueues | undefined,
): Promise<readonly PreparedRecord[]> {
  if (invocation.signal.aborted) {
    return chunk.map((source) => ({ kind: 'handedBack', record: recordOf(source) }))
  }
  const read = await Promise.all(chunk.map((source) => readOne(source, invocation)))
  // What was read already has waited for its turn.
  const isFirst = (incoming: IncomingRecord, index: number): boolean =>
    queues === undefined || incoming === chunk[index] || queues.enter(incoming)
  const going = read.filter((each, index) => !('message' in each) || isFirst(each, index))
  const claimable = going.filter((each) => 'message' in each)
  const claims = await claimRecords(claimable, invocation, true)
  const claimOf = new Map(claimable.map((incoming, index) => [incoming, claims[index]]))
  return going.map((each) => toPrepared(each, 'message' in each ? claimOf.get(each) : undefined))
}

/** Nothing else runs, and it runs at once. Without a claim when the time is shorter than a claim takes. */
export async function claimAlone(
  { record, incoming }: SilentRecord,
  invocation: Invocation,
): Promise<PreparedRecord> {
  if (invocation.remainingTime() <= invocation.slowestClaim) {
    invocation.consumer.logger.error(
      'not begun: the time that is left is shorter than a claim takes, so an attempt would be counted and not made',
      { consumer: invocation.consumer.name, messageId: record.messageId },
    )
    return { kind: 'handedBack', record }
  }
  const [claim] = await claimRecords([incoming], invocation, false)
  return toPrepared(incoming, claim)
}

function recordOf(source: UnclaimedRecord): SQSRecord {
  return 'record' in source ? source.record : source
}

function toPrepared(read: ReadRecord, claim: Claim | undefined): PreparedRecord {
  const { record } = read
  if ('error' in read) return { kind: 'unreadable', record, error: read.error }
  if (claim === undefined) throw new Error('fewer claims than records')
  if (claim.kind === 'silent')
    return { kind: 'silent', record, incoming: read, attempts: claim.attempts }
  const incoming = claim.flow === undefined ? read : asMessageOfRun(read, claim.flow)
  return { kind: 'claim', record, incoming, claim }
}

export async function readOne(
  source: UnclaimedRecord,
  invocation: Invocation,
): Promise<ReadRecord> {
  if ('record' in source) return source
  try {
    return await readRecord(source, invocation)
  } catch (error) {
    return { record: source, error: error instanceof Error ? error : new Error(messageOf(error)) }
  }
}

function refusedClaim({ message }: IncomingRecord): Claim {
  if (message.kind !== 'refused') throw new Error('fewer claims than records')
  return { kind: 'refuse', refusal: { ...message.refusal, death: message.envelope.carried.death } }
}

/** Never rejects: an error of our own must not take the batch with it. */
async function claimRecords(
  claimable: readonly IncomingRecord[],
  invocation: Invocation,
  ahead: boolean,
): Promise<readonly Claim[]> {
  if (claimable.length === 0) return []
  const { consumer, claimStrategy } = invocation
  const { clock } = consumer
  const claim = async (): Promise<readonly Claim[]> => {
    const begun = clock.now()
    const own = claimable.filter(
      (incoming) => !hasForeignId(incoming.message) || claimStrategy.identifies?.(incoming),
    )
    const claimed = own.length === 0 ? [] : await claimStrategy.claim(own, invocation, ahead)
    const claimOf = new Map(own.map((incoming, index) => [incoming, claimed[index]]))
    const claims = claimable.map((incoming) => claimOf.get(incoming) ?? refusedClaim(incoming))
    invocation.slowestClaim = Math.max(invocation.slowestClaim, clock.now() - begun)
    return claims
  }
  try {
    return await (isOnlyAttempt(invocation) ? invocation.oneClaimAtATime(claim) : claim())
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(messageOf(error))
    return claimable.map(() => ({ kind: 'failed', error: failure }))
  }
}
