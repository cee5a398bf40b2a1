import type { Clock } from '../../../base/clock.ts'

/** Waits as long as this number of dead letters takes at the rate of that moment. */
type RateLimit = (deadLetters: number) => Promise<void>

/** @param rate dead letters a second */
export function limitRate(
  rate: () => number,
  clock: Clock,
  signal: AbortSignal | undefined,
): RateLimit {
  let free = clock.now()
  return async (deadLetters) => {
    const now = clock.now()
    free = Math.max(free, now - 1_000) + (deadLetters / rate()) * 1_000
    if (free > now) await clock.sleep(free - now, signal)
  }
}
