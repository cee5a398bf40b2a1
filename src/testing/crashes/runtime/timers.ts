import { type ClockAndRandom, replaceClockAndRandom } from './runtimeClockAndRandom.ts'

export interface Timer {
  readonly milliseconds: number
  readonly fire: () => void
}

/** Where the timers of the code under test go. */
export interface TimerControl {
  setTimer(timer: Timer): void
  dropTimer(timer: Timer): void
  /** Replaces the clock and the random numbers of the process; by default both stay real. */
  readonly clockAndRandom?: ClockAndRandom
}

/**
 * Gives the explorer control of all timers while `work` runs: a real millisecond would cost more than a whole schedule.
 * `setImmediate` becomes a microtask, because the code under test only uses it to collect calls into a batch.
 */
export async function withControlledTimers<T>(
  { setTimer, dropTimer, clockAndRandom }: TimerControl,
  work: () => Promise<T>,
): Promise<T> {
  const real = { setTimeout, clearTimeout, setImmediate }
  const fake = {
    setTimeout: (
      fire: (...args: readonly unknown[]) => void,
      milliseconds = 0,
      ...args: readonly unknown[]
    ): object => {
      const itself = (): object => timer
      const timer = {
        milliseconds: lengthOf(milliseconds),
        fire: () => fire(...args),
        unref: itself,
        ref: itself,
      }
      setTimer(timer)
      return timer
    },
    clearTimeout: (timer: Timer | undefined): void => {
      if (timer !== undefined) dropTimer(timer)
    },
    setImmediate: Object.assign(
      (run: (...args: readonly unknown[]) => void, ...args: readonly unknown[]) =>
        queueMicrotask(() => run(...args)),
      // See eventLoop.
      { isSimulated: true },
    ),
  }
  Object.assign(globalThis, fake)
  const restore = clockAndRandom === undefined ? () => {} : replaceClockAndRandom(clockAndRandom)
  try {
    return await work()
  } finally {
    restore()
    Object.assign(globalThis, real)
  }
}

const LONGEST_MS = 2 ** 31 - 1

/** As Node does: whole milliseconds, and 1 for anything out of range. https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
function lengthOf(milliseconds: number): number {
  const isCounted = milliseconds >= 1 && milliseconds <= LONGEST_MS
  return isCounted ? Math.trunc(milliseconds) : 1
}

/** Resolves when the code has done all it can without another answer: the tick queue runs when no microtask is left. */
export async function microtasksDrained(): Promise<void> {
  await new Promise<void>((resolve) => process.nextTick(resolve))
}
