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
