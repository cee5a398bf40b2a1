import type { Clock } from '../../../clock.ts'

/** Waits as long as this number of dead letters takes at `rate` a second. */
type RateLimit = (deadLetters: number) => Promise<void>

export function limitRate(rate: number, clock: Clock, signal: AbortSignal | undefined): RateLimit {
  let free = clock.now()
  return async (deadLetters) => {
    const now = clock.now()
    free = Math.max(free, now - 1_000) + (deadLetters / rate) * 1_000
    if (free > now) await clock.sleep(free - now, signal)
  }
}
