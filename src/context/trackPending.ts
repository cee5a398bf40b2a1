import { hasCode } from '../errors.ts'

export type Failure = 'fails the record' | 'is judged by the handler'

/**
 * Lets a record settle only after the effects that were not awaited. A failed write fails the record even if the handler did not
 * await it. A failed `once` is left to the handler, because the handler's own call failed, unless the error is a mistake in the
 * program.
 */
export function trackPending(): {
  add<T>(work: Promise<T>, failure: Failure): Promise<T>
  settled(): Promise<void>
} {
  // Made at the first effect: many handlers have none.
  let running: Set<Promise<unknown>> | undefined
  const failures: unknown[] = []
  return {
    add(work, failure) {
      const begun = (running ??= new Set())
      begun.add(work)
      const ended = (): boolean => begun.delete(work)
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
      const begun = running ?? NONE
      while (begun.size > 0) {
        const ended = await Promise.allSettled(begun)
        for (const each of ended) if (each.status === 'rejected') failures.push(each.reason)
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}

const NONE: ReadonlySet<Promise<unknown>> = new Set()

/** An error that is thrown before the first await becomes a rejection, like errors after it. */
export async function callAsync<T>(work: () => Promise<T>): Promise<T> {
  return work()
}
