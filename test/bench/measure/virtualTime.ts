import type { Clock } from '../../../src/library/base/clock.ts'

/** Time that passes only while all wait, so that an hour is simulated in a moment, and the same each time. */
export function virtualTime() {
  let now = 0
  const sleepers: { readonly until: number; readonly wake: () => void }[] = []
  const clock: Clock = {
    now: () => now,
    sleep: (milliseconds) =>
      new Promise((wake) => {
        const until = now + milliseconds
        const at = sleepers.findIndex((other) => other.until > until)
        sleepers.splice(at < 0 ? sleepers.length : at, 0, { until, wake })
      }),
  }
  const until = async (all: Promise<void>): Promise<void> => {
    let isOver = false
    void all.then(() => (isOver = true))
    for (;;) {
      await new Promise(setImmediate)
      if (isOver) return
      const next = sleepers.shift()
      if (next === undefined) throw new Error('all wait, and none of them for a time')
      now = next.until
      next.wake()
    }
  }
  /** Begins `one` at random moments, `rate` a second, for so many seconds, and waits for all. */
  const arrivals = async (
    { rate, seconds, random }: { rate: number; seconds: number; random: () => number },
    one: () => Promise<void>,
  ): Promise<void> => {
    const begun: Promise<void>[] = []
    while (clock.now() < seconds * 1_000) {
      begun.push(one())
      await clock.sleep((-Math.log(1 - random()) / rate) * 1_000)
    }
    await Promise.all(begun)
  }
  return { clock, until, arrivals }
}
