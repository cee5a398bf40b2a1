// @acts

import { randomInt } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Failed } from './store.ts'

/** The entry itself may be valid: it is sent again, and fails with `error` when the tries are exhausted. */
export interface Retryable {
  readonly kind: 'retryable'
  readonly error: Error
  /** The number of tries, including the first. */
  readonly tries: number
}

export interface Backoff {
  readonly clock: Clock
  /** 0 to 1: varies the pauses of callers that were refused at the same time. */
  readonly random: () => number
}

/** The default of `random`. */
export function chance(): number {
  return randomInt(1_000) / 1_000
}

/** About a second in all. More would use up the time of the records that wait behind this one. */
export const FEW_TRIES = 6
/**
 * About three seconds in all. A conflict lasts milliseconds, but many writers of one item queue up, and the SDK does not retry
 * a conflict.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 */
export const MANY_TRIES = 12
const SHORTEST = 20
const LONGEST = 400

/** Sends an entry until there is an answer, with backoff. */
export async function sendUntilSettled<A extends { readonly kind: string }>(
  pace: Backoff,
  send: () => Promise<A | Retryable>,
): Promise<A | Failed> {
  let answer: A | Retryable | Failed = await send()
  for (let tries = 1; isRetryable(answer); tries++) {
    // @protects retries end
    // @without tries >= 1_000
    if (tries >= answer.tries) return failed(answer)
    await pace.clock.sleep(pauseOf(tries, pace.random()))
    answer = await send()
  }
  return answer
}

/** As `sendUntilSettled`, for many entries in one call. Only those without an answer are sent again. */
export async function sendAllUntilSettled<E, A extends { readonly kind: string }>(
  pace: Backoff,
  entries: readonly E[],
  send: (entries: readonly E[]) => Promise<readonly (A | Retryable)[]>,
): Promise<readonly (A | Failed)[]> {
  let answers: readonly (A | Retryable)[] = await send(entries)
  for (let tries = 1; answers.some((one) => isRetryable(one) && tries < one.tries); tries++) {
    await pace.clock.sleep(pauseOf(tries, pace.random()))
    answers = await replaceAnswers(entries, answers, 'retryable', send)
  }
  return answers.map((one) => (isRetryable(one) ? failed(one) : one))
}

/** Sends the entries with answers of this kind again, and replaces those answers with the new ones. */
export async function replaceAnswers<
  E,
  A extends { readonly kind: string },
  K extends A['kind'],
  B,
>(
  entries: readonly E[],
  answers: readonly A[],
  kind: K,
  send: (entries: readonly E[], open: readonly Extract<A, { kind: K }>[]) => Promise<readonly B[]>,
): Promise<readonly (Exclude<A, { kind: K }> | B)[]> {
  const isOpen = (answer: A): answer is Extract<A, { kind: K }> => answer.kind === kind
  const isClosed = (answer: A): answer is Exclude<A, { kind: K }> => answer.kind !== kind
  if (answers.every(isClosed)) return answers
  const open = entries.filter((_, at) => answers[at]?.kind === kind)
  const later = await send(open, answers.filter(isOpen))
  let used = 0
  const next = (): readonly B[] => later.slice(used, ++used)
  return answers.flatMap<B | Exclude<A, { kind: K }>>((answer) =>
    isClosed(answer) ? [answer] : next(),
  )
}

/** Runs `send` on chunks of `size`, at most `atOnce` of them in parallel, and keeps the order of the answers. */
export async function sendInChunks<E, A>(
  entries: readonly E[],
  size: number,
  atOnce: number,
  send: (chunk: readonly E[]) => Promise<readonly A[]>,
): Promise<readonly A[]> {
  const chunks: (readonly E[])[] = []
  for (let at = 0; at < entries.length; at += size) chunks.push(entries.slice(at, at + size))
  return (await sendEach(chunks, atOnce, send)).flat()
}

/** Runs `send` on each entry, at most `atOnce` of them in parallel, and keeps the order of the answers. */
export async function sendEach<E, A>(
  entries: readonly E[],
  atOnce: number,
  send: (entry: E) => Promise<A>,
): Promise<A[]> {
  const answers: A[] = []
  const next = entries.entries()
  const worker = async (): Promise<void> => {
    for (const [nth, entry] of next) answers[nth] = await send(entry)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, entries.length) }, worker))
  return answers
}

function failed({ error }: Retryable): Failed {
  return { kind: 'failed', error }
}

function isRetryable(answer: { readonly kind: string }): answer is Retryable {
  return answer.kind === 'retryable'
}

/** Milliseconds. Half of the pause is random, so that callers that collided do not collide again. */
function pauseOf(tries: number, random: number): number {
  return Math.min(LONGEST, SHORTEST * 2 ** tries) * (0.5 + random / 2)
}
