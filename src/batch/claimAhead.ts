import type { SQSRecord } from 'aws-lambda'
import { messageOf } from '../errors.ts'
import type { Invocation } from './invocation.ts'
import type { Claim } from './protocol.ts'
import { inRun, readWork, type Work } from './work.ts'

/** One read of BatchGetItem for what was delivered before, four batches of statements side by side for what is new. */
const CHUNK = 100

/** A record on its way: read and claimed, or why not. */
export type Prepared =
  | {
      readonly kind: 'claim'
      readonly record: SQSRecord
      readonly work: Work
      readonly claim: Claim
    }
  | { readonly kind: 'unreadable'; readonly record: SQSRecord; readonly error: Error }
  | { readonly kind: 'handedBack'; readonly record: SQSRecord }
  /** Its line has another record in this batch: it is claimed when that one has ended. */
  | { readonly kind: 'repeat'; readonly record: SQSRecord }

/** Claims the next chunk while this one runs: the handlers do not wait for the store. */
export async function* claimAhead(
  records: readonly SQSRecord[],
  invocation: Invocation,
): AsyncGenerator<Prepared> {
  const seen = new Set<string>()
  const prepare = (start: number): Promise<readonly Prepared[]> =>
    prepareChunk(records, start, seen, invocation)
  let ahead = prepare(0)
  for (let start = 0; start < records.length; start += CHUNK) {
    const chunk = await ahead
    if (start + CHUNK < records.length) ahead = prepare(start + CHUNK)
    yield* chunk
  }
}

async function prepareChunk(
  records: readonly SQSRecord[],
  start: number,
  seen: Set<string>,
  invocation: Invocation,
): Promise<readonly Prepared[]> {
  const chunk = records.slice(start, start + CHUNK)
  if (invocation.signal.aborted) return chunk.map((record) => ({ kind: 'handedBack', record }))
  const read = await Promise.all(chunk.map((record) => readOne(record, invocation)))
  const works = read.filter((each) => 'message' in each)
  const first = works.filter((work) => {
    const line = invocation.protocol.lineOf(work)
    return !seen.has(line) && seen.add(line)
  })
  const claims = await claimWorks(first, invocation)
  const claimOf = new Map(first.map((work, index) => [work, claims[index]]))
  return read.map((each) => toPrepared(each, 'message' in each ? claimOf.get(each) : undefined))
}

type ReadRecord = Work | { readonly record: SQSRecord; readonly error: Error }

function toPrepared(read: ReadRecord, claim: Claim | undefined): Prepared {
  const { record } = read
  if ('error' in read) return { kind: 'unreadable', record, error: read.error }
  if (claim === undefined) return { kind: 'repeat', record }
  const work = claim.flow === undefined ? read : inRun(read, claim.flow)
  return { kind: 'claim', record, work, claim }
}

async function readOne(record: SQSRecord, invocation: Invocation): Promise<ReadRecord> {
  try {
    return await readWork(record, invocation)
  } catch (error) {
    return { record, error: error instanceof Error ? error : new Error(messageOf(error)) }
  }
}

/** Never rejects: an error of our own must not take the batch with it. */
async function claimWorks(
  works: readonly Work[],
  invocation: Invocation,
): Promise<readonly Claim[]> {
  if (works.length === 0) return []
  try {
    return await invocation.protocol.claim(works, invocation)
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(messageOf(error))
    return works.map(() => ({ kind: 'failed', error: failure }))
  }
}
