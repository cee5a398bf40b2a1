import { toError } from '../../base/errors.ts'
import type { SendAnswer, SendOutcome } from '../../protocol/send/messenger.ts'
import {
  EntryRefusedError,
  isCertain,
  isPermanent,
  isTooLongTogether,
  mayBeOfOneEntry,
  NotSentError,
} from '../../protocol/send/refusal.ts'

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
  return inParts(chunksOf(entries, sizeOf, limits), call, inOrder, notSent)
}

async function inParts<Entry>(
  parts: readonly (readonly Entry[])[],
  call: Call<Entry>,
  inOrder: boolean,
  behind: () => Error,
): Promise<SendAnswer[]> {
  if (!inOrder)
    return (await Promise.all(parts.map((part) => callOnce(part, call, inOrder)))).flat()
  const answers: SendAnswer[] = []
  for (const part of parts) {
    // @protects nothing overtakes a message on a FIFO queue
    // @without false
    const isBehind = answers.some((answer) => answer instanceof Error)
    answers.push(...(isBehind ? part.map(behind) : await callOnce(part, call, inOrder)))
  }
  return answers
}

function notSent(): NotSentError {
  return new NotSentError('not sent, since one before it was not accepted')
}

async function callOnce<Entry>(
  entries: readonly Entry[],
  call: Call<Entry>,
  inOrder: boolean,
): Promise<SendAnswer[]> {
  const numbered = entries.map((entry, index) => ({ ...entry, Id: String(index) }))
  try {
    const answer = await call(numbered)
    return numbered.map(({ Id }) => answerTo(Id, answer))
  } catch (error) {
    const failure = toError(error)
    if (entries.length === 1) return [failure]
    // @protects entries that are too long together are sent in parts
    if (isTooLongTogether(failure)) return inParts(halvesOf(entries), call, inOrder, notSent)
    // @protects one message that breaks a call holds up no other
    if (mayBeOfOneEntry(failure)) return eachAlone(entries, failure, call, inOrder)
    return entries.map(() => failure)
  }
}

/** A queue or topic may have a lower limit than AWS allows. */
function halvesOf<Entry>(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const middle = Math.ceil(entries.length / 2)
  return [entries.slice(0, middle), entries.slice(middle)]
}

/** An entry that is refused for the moment may have been accepted with its batch, if that was not answered. */
async function eachAlone<Entry>(
  entries: readonly Entry[],
  failure: Error,
  call: Call<Entry>,
  inOrder: boolean,
): Promise<SendAnswer[]> {
  const alone = entries.map((entry) => [entry])
  const answers = await inParts(alone, call, inOrder, () => failure)
  if (isCertain(failure)) return answers
  return answers.map((answer) =>
    // @protects a message that may have been sent with its batch is not called unsent
    // @without false
    answer instanceof Error && !isPermanent(answer) ? failure : answer,
  )
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
