/**
 * Ctrl-C, or SIGTERM, ends the work at its next safe point. A second one ends the process at once.
 * @param given ends it instead
 * @param hangUp also when its terminal is closed. Work without a terminal (`nohup`) must not ask for that: it would end it
 */
export async function untilInterrupted<T>(
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  { hangUp = false }: { readonly hangUp?: boolean } = {},
): Promise<T> {
  if (given !== undefined) return work(given)
  const interrupt = new AbortController()
  const stop = (): void => interrupt.abort()
  const signals = [...ENDING, ...(hangUp ? (['SIGHUP'] as const) : [])]
  for (const each of signals) process.once(each, stop)
  try {
    return await work(interrupt.signal)
  } finally {
    for (const each of signals) process.off(each, stop)
  }
}

const ENDING = ['SIGINT', 'SIGTERM'] as const
