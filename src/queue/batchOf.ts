import type { SendOutcome } from './messenger.ts'
import { EntryRefusedError, isTooLongTogether } from './refusal.ts'

/** What SQS and SNS answer to a batch, under HTTP 200 also when entries failed. */
interface BatchAnswer {
  readonly Successful?: readonly { readonly Id?: string | undefined }[] | undefined
  readonly Failed?:
    | readonly {
        readonly Id?: string | undefined
        readonly Code?: string | undefined
        readonly Message?: string | undefined
      }[]
    | undefined
}

/** What one call takes. */
export interface BatchLimits {
  readonly batchEntries: number
  /** All entries together, attributes counted. */
  readonly batchBytes: number
}

type Call<Entry> = (entries: readonly (Entry & { readonly Id: string })[]) => Promise<BatchAnswer>

/** Chunks that one batch call takes. An entry that is too long by itself goes alone: its target may take more than most. */
export function chunksOf<Entry>(
  entries: readonly Entry[],
  sizeOf: (entry: Entry) => number,
  { batchEntries, batchBytes }: BatchLimits,
): Entry[][] {
  const chunks: Entry[][] = []
  let room = 0
  for (const entry of entries) {
    const size = sizeOf(entry)
    const last = chunks.at(-1)
    if (last === undefined || last.length === batchEntries || size > room) {
      chunks.push([entry])
      room = batchBytes - size
    } else {
      last.push(entry)
      room -= size
    }
  }
  return chunks
}

/** One outcome an entry: refused by name, not answered at all, or accepted. */
export async function inBatches<Entry>(
  entries: readonly Entry[],
  sizeOf: (entry: Entry) => number,
  limits: BatchLimits,
  call: Call<Entry>,
): Promise<SendOutcome[]> {
  const chunks = chunksOf(entries, sizeOf, limits)
  const outcomes = await Promise.all(chunks.map((chunk) => callOnce(chunk, call)))
  return outcomes.flat()
}

async function callOnce<Entry>(
  entries: readonly Entry[],
  call: Call<Entry>,
): Promise<SendOutcome[]> {
  const numbered = entries.map((entry, index) => ({ ...entry, Id: String(index) }))
  try {
    const answer = await call(numbered)
    return numbered.map(({ Id }) => outcomeOf(Id, answer))
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error))
    if (isTooLongTogether(failure) && entries.length > 1) return inHalves(entries, call)
    return entries.map(() => failure)
  }
}

/** A queue or topic may be set to take less than the most that AWS allows. */
async function inHalves<Entry>(
  entries: readonly Entry[],
  call: Call<Entry>,
): Promise<SendOutcome[]> {
  const middle = Math.ceil(entries.length / 2)
  const first = await callOnce(entries.slice(0, middle), call)
  return [...first, ...(await callOnce(entries.slice(middle), call))]
}

function outcomeOf(id: string, answer: BatchAnswer): SendOutcome {
  if (answer.Successful?.some(({ Id }) => Id === id) === true) return undefined
  const failed = answer.Failed?.find(({ Id }) => Id === id)
  return failed === undefined
    ? new EntryRefusedError(undefined, 'the entry was not answered')
    : new EntryRefusedError(failed.Code, `${failed.Code}: ${failed.Message}`)
}
