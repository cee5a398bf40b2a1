import { hasCode } from '../../base/errors.ts'

export type Failure = 'fails the record' | 'is judged by the handler'

/**
 * Lets a record settle only after the effects that were not awaited. A failed write fails the record even if the handler did not
 * await it. A failed `call` is left to the handler that awaits it, because the handler's own call failed, unless the error is a
 * mistake in the program. One that is not awaited fails the record; unhandled, its rejection would end the process, with the other
 * records.
 */
export function trackPending(): {
  add<T>(work: Promise<T>, failure: Failure): Promise<T>
  settled(): Promise<void>
} {
  // Made at the first effect: many handlers have none.
  let running: Set<Promise<unknown>> | undefined
  const failures: { readonly error: unknown; readonly judged: Judged<unknown> | undefined }[] = []
  return {
    add<T>(work: Promise<T>, failure: Failure): Promise<T> {
      const begun = (running ??= new Set())
      begun.add(work)
      const judged =
        failure === 'fails the record' ? undefined : new Judged<T>((resolve) => resolve(work))
      const ended = (): boolean => begun.delete(work)
      work.then(ended, (error: unknown) => {
        failures.push({ error, judged: hasCode(error, 'CONFIG') ? undefined : judged })
        ended()
      })
      return judged ?? work
    },
    async settled() {
      const begun = running ?? NONE
      // @protects a record waits for effects that were not awaited
      // @without false
      while (begun.size > 0) {
        const ended = await Promise.allSettled(begun)
        for (const each of ended)
          if (each.status === 'rejected') failures.push({ error: each.reason, judged: undefined })
      }
      const failed = failures.find(({ judged }) => judged?.isAwaited !== true)
      // @protects a failed write fails the record, also when it is not awaited
      if (failed !== undefined) throw failed.error
    },
  }
}

/** A promise that knows whether its failure is handled by the handler. */
class Judged<T> extends Promise<T> {
  isAwaited = false

  constructor(executor: (resolve: (value: T | PromiseLike<T>) => void) => void) {
    super(executor)
    super.then(undefined, () => {})
  }

  // eslint-disable-next-line unicorn/no-thenable -- `await` calls it
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isAwaited = true
    return super.then(onFulfilled, onRejected)
  }

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }
}

const NONE: ReadonlySet<Promise<unknown>> = new Set()

/** An error that is thrown before the first await becomes a rejection, like errors after it. */
export async function callAsync<T>(work: () => Promise<T>): Promise<T> {
  return work()
}
