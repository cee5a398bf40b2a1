/**
 * Ctrl-C ends the work at its next safe point. A second Ctrl-C ends the process at once.
 * @param given ends it instead of Ctrl-C
 */
export async function untilInterrupted<T>(
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (given !== undefined) return work(given)
  const interrupt = new AbortController()
  const stop = (): void => interrupt.abort()
  process.once('SIGINT', stop)
  try {
    return await work(interrupt.signal)
  } finally {
    process.off('SIGINT', stop)
  }
}
