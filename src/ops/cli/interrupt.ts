/** Ctrl-C ends the work at its next safe point. A second Ctrl-C ends the process at once. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupt = new AbortController()
  const stop = (): void => interrupt.abort()
  process.once('SIGINT', stop)
  try {
    return await work(interrupt.signal)
  } finally {
    process.off('SIGINT', stop)
  }
}
