import { hasCode } from '../errors.ts'

export type Failure = 'fails the record' | 'is judged by the handler'

/**
 * A record does not settle before effects that were not awaited. A failed write fails the record even when the handler did not await
 * it; a failed `once` is the handler's to judge, since what failed is the handler's own call, unless it was a mistake.
 */
export function trackPending(): {
  add<T>(work: Promise<T>, failure: Failure): Promise<T>
  settled(): Promise<void>
} {
  const running = new Set<Promise<unknown>>()
  const failures: unknown[] = []
  return {
    add(work, failure) {
      running.add(work)
      const ended = (): boolean => running.delete(work)
      if (failure === 'is judged by the handler') {
        work.catch((error: unknown) => {
          if (hasCode(error, 'CONFIG')) failures.push(error)
        })
        return work.finally(ended)
      }
      work.then(ended, (error: unknown) => {
        failures.push(error)
        ended()
      })
      return work
    },
    async settled() {
      while (running.size > 0) {
        const ended = await Promise.allSettled(running)
        for (const each of ended) if (each.status === 'rejected') failures.push(each.reason)
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}

/** What throws before its first await fails like what throws after it. */
export async function callAsync<T>(work: () => Promise<T>): Promise<T> {
  return work()
}
