import { type Clock, systemClock } from '../clock.ts'
import { ConfigError } from '../errors.ts'

/** A clock that stands still until it is told otherwise. Epoch milliseconds; starts now, as the event builders do. */
export interface FakeClock extends Clock {
  set(now: number): void
  /** Moves time on, and wakes those whose sleep is over. */
  advance(milliseconds: number): void
}

export function fakeClock(start: number = systemClock.now()): FakeClock {
  assertTime(start)
  let now = start
  let sleepers: { readonly until: number; readonly wake: () => void }[] = []
  const moveTo = (time: number): void => {
    assertTime(time)
    now = time
    const due = sleepers.filter(({ until }) => until <= now)
    sleepers = sleepers.filter(({ until }) => until > now)
    for (const { wake } of due) wake()
  }
  return {
    now: () => now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (milliseconds <= 0 || signal?.aborted === true) return resolve()
        sleepers.push({ until: now + milliseconds, wake: resolve })
        signal?.addEventListener('abort', () => resolve(), { once: true })
      }),
    set: moveTo,
    advance: (milliseconds) => moveTo(now + milliseconds),
  }
}

/** A Date, or NaN, would make every comparison with it false in silence. */
function assertTime(time: unknown): void {
  if (typeof time === 'number' && Number.isFinite(time)) return
  const got = time instanceof Date ? 'a Date: use getTime()' : `a ${typeof time}`
  throw new ConfigError(`fakeClock: expected a time in epoch milliseconds, got ${got}`)
}
