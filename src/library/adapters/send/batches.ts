import { toError } from '../../base/errors.ts'
import type { SendAnswer, SendOutcome } from '../../protocol/send/messenger.ts'
import { EntryRefusedError, isTooLongTogether, NotSentError } from '../../protocol/send/refusal.ts'

/** The answer of SQS and SNS to a batch. Its HTTP status is 200 even if entries failed. */
export interface BatchAnswer {
  readonly Successful?:
    | readonly { readonly Id?: string | undefined; readonly MessageId?: string | undefined }[]
    | undefined
  readonly Failed?:
    | readonly {
        readonly Id?: string | undefined
        readonly Code?: string | undefined
        readonly Message?: string | undefined
      }[]
    | undefined
}

/** Limits of one call. */
export interface BatchLimits {
  readonly batchEntries: number
  /** Bytes of all entries together, including attributes. */
  readonly batchBytes: number
}

/** An entry with its number in the call, by which the answer names it. */
export type Numbered<Entry> = Entry & { readonly Id: string }
type Call<Entry> = (entries: readonly Numbered<Entry>[]) => Promise<BatchAnswer>

/**
 * Chunks that fit into one batch call. An entry that is too large for a batch goes alone, because its target may have a higher
 * limit.
 */
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
    if (
      last === undefined ||
      // @protects a call holds no more entries than SQS takes
      last.length === batchEntries ||
      size > room
    ) {
      chunks.push([entry])
      room = batchBytes - size
    } else {
      last.push(entry)
      room -= size
    }
  }
  return chunks
}

/** One outcome for each entry: accepted, refused with a code, or not answered. */
export async function inBatches<Entry>(
  entries: readonly Entry[],
  sizeOf: (entry: Entry) => number,
  limits: BatchLimits,
  call: Call<Entry>,
): Promise<SendOutcome[]> {
  return outcomesOf(await answersOf(entries, sizeOf, limits, call))
}

export function outcomesOf(answers: readonly SendAnswer[]): SendOutcome[] {
  return answers.map((answer) => (answer instanceof Error ? answer : undefined))
}

/**
 * As `inBatches`, with the message ids of accepted entries.
 * @param inOrder makes one call after the other, and none after a call that did not accept all entries
 */
export async function answersOf<Entry>(
  entries: readonly Entry[],
  sizeOf: (entry: Entry) => number,
  limits: BatchLimits,
  call: Call<Entry>,
  inOrder: boolean = false,
): Promise<SendAnswer[]> {
  const chunks = chunksOf(entries, sizeOf, limits)
  if (!inOrder) return (await Promise.all(chunks.map((chunk) => callOnce(chunk, call)))).flat()
  const answers: SendAnswer[] = []
  for (const chunk of chunks) {
    // @protects nothing overtakes a message on a FIFO queue
    // @without false
    const behind = answers.some((answer) => answer instanceof Error)
    answers.push(...(behind ? chunk.map(notSent) : await callOnce(chunk, call)))
  }
  return answers
}

function notSent(): NotSentError {
  return new NotSentError('not sent, since one before it was not accepted')
}

async function callOnce<Entry>(
  entries: readonly Entry[],
  call: Call<Entry>,
): Promise<SendAnswer[]> {
  const numbered = entries.map((entry, index) => ({ ...entry, Id: String(index) }))
  try {
    const answer = await call(numbered)
    return numbered.map(({ Id }) => answerTo(Id, answer))
  } catch (error) {
    const failure = toError(error)
    // @protects entries that are too long together are sent in parts
    if (isTooLongTogether(failure) && entries.length > 1) return inHalves(entries, call)
    return entries.map(() => failure)
  }
}

/** Tries the batch again in halves: a queue or topic may have a lower limit than AWS allows. */
async function inHalves<Entry>(
  entries: readonly Entry[],
  call: Call<Entry>,
): Promise<SendAnswer[]> {
  const middle = Math.ceil(entries.length / 2)
  const first = await callOnce(entries.slice(0, middle), call)
  return [...first, ...(await callOnce(entries.slice(middle), call))]
}

function answerTo(id: string, answer: BatchAnswer): SendAnswer {
  const accepted = answer.Successful?.find(({ Id }) => Id === id)
  if (accepted !== undefined) return { messageId: accepted.MessageId }
  const failed = answer.Failed?.find(({ Id }) => Id === id)
  return failed === undefined
    ? // @protects an entry that was not answered counts as not sent
      // @without { messageId: undefined }
      new EntryRefusedError(undefined, 'the entry was not answered')
    : new EntryRefusedError(failed.Code, `${failed.Code}: ${failed.Message}`)
}
