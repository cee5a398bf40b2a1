import type { SendOutcome } from './messenger.ts'

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

const MOST_ENTRIES = 10
const MOST_BYTES = 1_048_576

/** Chunks that one batch call takes: at most 10 entries, and 1 MiB in all (Amazon SQS quotas). */
export function chunksOf<Entry>(
  entries: readonly Entry[],
  sizeOf: (entry: Entry) => number,
): Entry[][] {
  const chunks: Entry[][] = []
  let room = 0
  for (const entry of entries) {
    const size = sizeOf(entry)
    const last = chunks.at(-1)
    if (last === undefined || last.length === MOST_ENTRIES || size > room) {
      chunks.push([entry])
      room = MOST_BYTES - size
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
  call: (entries: readonly (Entry & { readonly Id: string })[]) => Promise<BatchAnswer>,
): Promise<SendOutcome[]> {
  const chunks = chunksOf(entries, sizeOf)
  const outcomes = await Promise.all(
    chunks.map((chunk) =>
      callOnce(
        chunk.map((entry, index) => ({ ...entry, Id: String(index) })),
        call,
      ),
    ),
  )
  return outcomes.flat()
}

async function callOnce<Entry extends { readonly Id: string }>(
  entries: readonly Entry[],
  call: (entries: readonly Entry[]) => Promise<BatchAnswer>,
): Promise<SendOutcome[]> {
  try {
    const answer = await call(entries)
    return entries.map(({ Id }) => outcomeOf(Id, answer))
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error))
    return entries.map(() => failure)
  }
}

function outcomeOf(id: string, answer: BatchAnswer): SendOutcome {
  if (answer.Successful?.some(({ Id }) => Id === id) === true) return undefined
  const failed = answer.Failed?.find(({ Id }) => Id === id)
  return new Error(
    failed === undefined ? 'the entry was not answered' : `${failed.Code}: ${failed.Message}`,
  )
}
