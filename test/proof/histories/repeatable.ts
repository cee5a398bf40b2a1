import { loadAll } from '../../../src/testing/crashes/runtime/loadAll.ts'
import { replaceBuiltins } from '../../../src/testing/crashes/runtime/runtimeClockAndRandom.ts'
import { type Timer, withControlledTimers } from '../../../src/testing/crashes/runtime/timers.ts'
import { randomAt } from '../../../src/testing/local/faults/random.ts'
import type { Clock } from '../../../src/library/base/clock.ts'

/**
 * Runs `work` with the time, the timers and the random numbers of its seed. With those of the process an event would come sooner or
 * later from one run to the next, and the schedule would draw for another one.
 */
export async function repeatable<T>(
  seed: number,
  { now }: Clock,
  work: () => Promise<T>,
): Promise<T> {
  await loadAll()
  const restore = replaceBuiltins()
  let drawn = 0
  const random = (): number => randomAt(seed, 'process', (drawn += 1))
  try {
    return await withControlledTimers({ ...NO_TIMERS, clockAndRandom: { now, random } }, work)
  } finally {
    restore()
  }
}

/** Milliseconds. Longer timers are those of a deadline, and the clock of an invocation stands still. */
const LONG = 10_000

const NO_TIMERS = {
  setTimer({ milliseconds }: Timer): void {
    if (milliseconds < LONG) throw new Error(`no schedule fires a timer of ${milliseconds} ms`)
  },
  dropTimer(): void {},
}
