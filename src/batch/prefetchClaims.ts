import type { SQSRecord } from 'aws-lambda'
import { messageOf } from '../errors.ts'
import type { Invocation } from './invocation.ts'
import type { Lines } from './serialization.ts'
import type { Claim } from './claimStrategy.ts'
import { isForeign } from '../record/message/message.ts'
import { inRun, readWork, type Work } from './incomingRecord.ts'

/** One read of BatchGetItem for what was delivered before, four batches of statements side by side for what is new. */
const CHUNK = 100

/** A record on its way: read and claimed, or why not. */
export type Prepared =
  | {
      readonly kind: 'claim'
      readonly record: SQSRecord
      readonly work: Work
      readonly claim: Exclude<Claim, { kind: 'silent' }>
    }
  | { readonly kind: 'unreadable'; readonly record: SQSRecord; readonly error: Error }
  | { readonly kind: 'handedBack'; readonly record: SQSRecord }
  | Silent

/** Its last attempt ended without a word: it is claimed when nothing else runs. */
export interface Silent {
  readonly kind: 'silent'
  readonly record: SQSRecord
  readonly work: Work
  readonly attempts: number
}

export type ReadRecord = Work | { readonly record: SQSRecord; readonly error: Error }

/** As it came, or read already. */
export type Source = SQSRecord | ReadRecord

/** Claims the next chunk while this one runs: the handlers do not wait for the store. */
export async function* claimAhead(
  sources: readonly Source[],
  invocation: Invocation,
  lines?: Lines,
): AsyncGenerator<Prepared> {
  const size = isOnlyAttempt(invocation) ? 1 : CHUNK
  const prepare = (start: number): Promise<readonly Prepared[]> =>
    prepareChunk(sources.slice(start, start + size), invocation, lines)
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
  chunk: readonly Source[],
  invocation: Invocation,
  lines: Lines | undefined,
): Promise<readonly Prepared[]> {
  if (invocation.signal.aborted) {
    return chunk.map((source) => ({ kind: 'handedBack', record: recordOf(source) }))
  }
  const read = await Promise.all(chunk.map((source) => readOne(source, invocation)))
  // What was read already has waited for its turn.
  const isFirst = (work: Work, index: number): boolean =>
    lines === undefined || work === chunk[index] || lines.enter(work)
  const going = read.filter((each, index) => !('message' in each) || isFirst(each, index))
  const works = going.filter((each) => 'message' in each)
  const claims = await claimWorks(works, invocation, true)
  const claimOf = new Map(works.map((work, index) => [work, claims[index]]))
  return going.map((each) => toPrepared(each, 'message' in each ? claimOf.get(each) : undefined))
}

/** Nothing else runs, and it runs at once. Without a claim when the time is shorter than a claim takes. */
export async function claimAlone(
  { record, work }: Silent,
  invocation: Invocation,
): Promise<Prepared> {
  if (invocation.remainingTime() <= invocation.slowestClaim) {
    invocation.consumer.logger.error(
      'not begun: the time that is left is shorter than a claim takes, so an attempt would be counted and not made',
      { consumer: invocation.consumer.name, messageId: record.messageId },
    )
    return { kind: 'handedBack', record }
  }
  const [claim] = await claimWorks([work], invocation, false)
  return toPrepared(work, claim)
}

function recordOf(source: Source): SQSRecord {
  return 'record' in source ? source.record : source
}

function toPrepared(read: ReadRecord, claim: Claim | undefined): Prepared {
  const { record } = read
  if ('error' in read) return { kind: 'unreadable', record, error: read.error }
  if (claim === undefined) throw new Error('fewer claims than records')
  if (claim.kind === 'silent')
    return { kind: 'silent', record, work: read, attempts: claim.attempts }
  const work = claim.flow === undefined ? read : inRun(read, claim.flow)
  return { kind: 'claim', record, work, claim }
}

export async function readOne(source: Source, invocation: Invocation): Promise<ReadRecord> {
  if ('record' in source) return source
  try {
    return await readWork(source, invocation)
  } catch (error) {
    return { record: source, error: error instanceof Error ? error : new Error(messageOf(error)) }
  }
}

function refusalOf({ message }: Work): Claim {
  if (message.kind !== 'refused') throw new Error('fewer claims than records')
  return { kind: 'refuse', refusal: { ...message.refusal, death: message.envelope.carried.death } }
}

/** Never rejects: an error of our own must not take the batch with it. */
async function claimWorks(
  works: readonly Work[],
  invocation: Invocation,
  ahead: boolean,
): Promise<readonly Claim[]> {
  if (works.length === 0) return []
  const { consumer, protocol } = invocation
  const { clock } = consumer
  const claim = async (): Promise<readonly Claim[]> => {
    const begun = clock.now()
    const own = works.filter((work) => !isForeign(work.message) || protocol.identifies?.(work))
    const claimed = own.length === 0 ? [] : await protocol.claim(own, invocation, ahead)
    const claimOf = new Map(own.map((work, index) => [work, claimed[index]]))
    const claims = works.map((work) => claimOf.get(work) ?? refusalOf(work))
    invocation.slowestClaim = Math.max(invocation.slowestClaim, clock.now() - begun)
    return claims
  }
  try {
    return await (isOnlyAttempt(invocation) ? invocation.afterTheLast(claim) : claim())
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(messageOf(error))
    return works.map(() => ({ kind: 'failed', error: failure }))
  }
}
