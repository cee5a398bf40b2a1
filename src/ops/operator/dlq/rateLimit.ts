import type { Clock } from '../../../clock.ts'

/** Waits after so many letters for as long as they may take at `rate` a second. */
export type Pace = (letters: number) => Promise<void>

export function paceAt(rate: number, clock: Clock, signal: AbortSignal | undefined): Pace {
  let free = clock.now()
  return async (letters) => {
    const now = clock.now()
    free = Math.max(free, now - 1_000) + (letters / rate) * 1_000
    if (free > now) await clock.sleep(free - now, signal)
  }
}
