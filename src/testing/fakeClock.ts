import { type Clock, systemClock } from '../library/base/clock.ts'
import { ConfigError } from '../library/base/errors.ts'

/** A clock for tests: time stands still until `set` or `advance` moves it. */
export interface FakeClock extends Clock {
  /** Sets the time, epoch milliseconds, and ends every sleep that is over by then. */
  set(now: number): void
  /** Advances the time and ends every sleep that is over by then. */
  advance(milliseconds: number): void
}

/**
 * A clock that stands still. Leases, delays and `ctx.clock` follow it when store and handler get the same one.
 * @param start epoch milliseconds; by default the present time, as in the event builders
 * @example
 * const clock = fakeClock()
 * const store = memoryStore({ clock })
 * const handler = recordHandler({ name: 'orders', store, clock }, work)
 * clock.advance(60_000)
 */
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
        const sleeper = { until: now + milliseconds, wake: resolve }
        sleepers.push(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers = sleepers.filter((one) => one !== sleeper)
          resolve()
        })
      }),
    set: moveTo,
    advance: (milliseconds) => moveTo(now + milliseconds),
  }
}

/** With a Date or NaN every comparison would silently be false. */
function assertTime(time: unknown): void {
  if (typeof time === 'number' && Number.isFinite(time)) return
  const got = time instanceof Date ? 'a Date: use getTime()' : `a ${typeof time}`
  throw new ConfigError(`fakeClock: expected a time in epoch milliseconds, got ${got}`)
}
