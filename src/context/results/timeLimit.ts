import type { Clock } from '../../base/clock.ts'
import { RetryableError } from '../../base/errors.ts'

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
