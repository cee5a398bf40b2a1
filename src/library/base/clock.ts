// @acts, and reads the clock

/** The only source of time in the framework; tests pass their own, such as `fakeClock()`. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /**
   * Resolves after `milliseconds`, or at once when `signal` aborts.
   * @param inBackground the process may end before that.
   */
  sleep(milliseconds: number, signal?: AbortSignal, inBackground?: boolean): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal, inBackground = false) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const timer = setTimeout(done, milliseconds)
      if (inBackground) timer.unref()
      signal?.addEventListener('abort', done, { once: true })
      function done(): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
    }),
}

/** Node's timers, taken when this file is loaded, before a test replaces them. */
const real: Pick<typeof globalThis, 'setImmediate' | 'setTimeout' | 'clearTimeout'> = {
  setImmediate,
  setTimeout,
  clearTimeout,
}

/**
 * The timers that collect calls into batches. Fake timers of a test runner stand still, and every invocation would wait for them
 * without a word; so Node's timers are replaced only by those of the crash explorer, which marks them.
 */
export function eventLoop(): typeof real {
  return 'isSimulated' in globalThis.setImmediate ? globalThis : real
}
