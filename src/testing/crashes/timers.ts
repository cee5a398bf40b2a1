import { type ClockAndRandom, replaceClockAndRandom } from './runtimeClockAndRandom.ts'

export interface Timer {
  readonly milliseconds: number
  readonly fire: () => void
}

/** What the code under test would take from the process. */
export interface TimerControl {
  setTimer(timer: Timer): void
  dropTimer(timer: Timer): void
  /** Time and chance of the process; without them both stay real. */
  readonly clockAndRandom?: ClockAndRandom
}

/**
 * Puts the timers into the hands of the explorer for as long as `work` takes: a real millisecond would cost more than a
 * whole schedule. `setImmediate` only gathers calls there; a microtask does that too.
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
    setImmediate: (run: (...args: readonly unknown[]) => void, ...args: readonly unknown[]) =>
      queueMicrotask(() => run(...args)),
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

/** As Node takes it: whole, and 1 for what it cannot count. https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
function lengthOf(milliseconds: number): number {
  const isCounted = milliseconds >= 1 && milliseconds <= LONGEST_MS
  return isCounted ? Math.trunc(milliseconds) : 1
}

/** Everything that follows from what was answered has happened: the tick queue runs when no microtask is left. */
export async function microtasksDrained(): Promise<void> {
  await new Promise<void>((resolve) => process.nextTick(resolve))
}
