import type { Clock } from '../../../base/clock.ts'
import { RetryableError } from '../../../base/errors.ts'
import type { LargePayloads } from '../../../protocol/record/envelope/envelope.ts'

/**
 * Where is kept what fits neither into a message nor into the table: `s3Objects({ bucket })`, or `memoryObjects()` in a test.
 * @example const offload: Offload = s3Objects({ bucket: process.env['BUCKET'] ?? '' })
 */
export interface Offload extends LargePayloads, ResultStore {}

/**
 * Where results are stored that are too large for the table. An adapter may throw: if `put` fails, the work counts as done without
 * a result; if `get` fails, the caller fails and may try again.
 */
export interface ResultStore {
  /** @param expiresAt epoch milliseconds after which the text is not read any more. undefined: never. */
  put(key: string, text: string, expiresAt: number | undefined): Promise<void>
  /** @returns undefined when there is no such text, or it has expired */
  get(key: string): Promise<string | undefined>
}

/** Fails after `milliseconds` without an answer. The work is not cancelled and may still happen. */
export async function withTimeLimit<T>(
  clock: Clock,
  milliseconds: number,
  what: string,
  work: Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const late = async (): Promise<never> => {
    await clock.sleep(milliseconds, over.signal)
    throw new RetryableError(`${what} gave no answer within ${milliseconds} ms`)
  }
  try {
    return await Promise.race([work, late()])
  } finally {
    over.abort()
  }
}
