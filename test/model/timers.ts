export interface Timer {
  readonly milliseconds: number
  readonly fire: () => void
}

export interface Timers {
  set(timer: Timer): void
  drop(timer: Timer): void
}

/**
 * Puts the timers of the code under test into the hands of the explorer, for as long as `work` takes: a real millisecond
 * would cost more than a whole schedule. `setImmediate` only gathers calls there; a microtask does that too.
 */
export async function withTimers<T>(timers: Timers, work: () => Promise<T>): Promise<T> {
  const real = { setTimeout, clearTimeout, setImmediate }
  const fake = {
    setTimeout: (fire: () => void, milliseconds: number): object => {
      const timer = { milliseconds, fire, unref: (): object => timer }
      timers.set(timer)
      return timer
    },
    clearTimeout: (timer: Timer | undefined): void => {
      if (timer !== undefined) timers.drop(timer)
    },
    setImmediate: queueMicrotask,
  }
  Object.assign(globalThis, fake)
  try {
    return await work()
  } finally {
    Object.assign(globalThis, real)
  }
}

/** Everything that follows from what was answered has happened: the tick queue runs when no microtask is left. */
export async function drained(): Promise<void> {
  await new Promise<void>((resolve) => process.nextTick(resolve))
}
