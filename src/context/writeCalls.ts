import { checkTarget } from './guard/checkTarget.ts'
import { checkWrite, checkWrites } from './guard/checkWrite.ts'
import type { Written } from './guard/write.ts'
import type { RecordContext } from './context.ts'
import type { EffectScope } from './effectScope.ts'
import type { Serially } from './serially.ts'
import { uniqueNames } from './uniqueNames.ts'
import { writeFenced, writeOnce } from './writes.ts'

type WriteCalls = Pick<RecordContext, 'get' | 'put' | 'update' | 'delete' | 'applyOnce'>

interface WriteCallParts {
  readonly scope: EffectScope
  readonly serially: Serially
  track<T>(work: () => Promise<T>): Promise<T>
  assertOpen(): void
  now(): number
}

/** Checks a write when it is called, before it waits for its turn. */
export function writeCalls({
  scope,
  track,
  serially,
  assertOpen,
  now,
}: WriteCallParts): WriteCalls {
  const effects = uniqueNames('applyOnce')
  const inOrder = (write: () => Promise<Written>): Promise<Written> =>
    serially(async () => {
      assertOpen()
      return write()
    })
  const fenced = (form: 'put' | 'update' | 'delete', given: unknown): Promise<Written> =>
    track(async () => {
      const write = checkWrite(`ctx.${form}`, form, given)
      return inOrder(() => writeFenced(scope, write, now()))
    })
  return {
    // The caller declares the type of its rows.
    get: <Row extends object>(target: unknown) =>
      track(() => scope.store.readUser(checkTarget('ctx.get', target)) as Promise<Row | undefined>),
    put: (write) => fenced('put', write),
    update: (write) => fenced('update', write),
    delete: (write) => fenced('delete', write),
    applyOnce: (name, given) =>
      track(async () => {
        const call = effects.check(name)
        const writes = checkWrites(call, given)
        const begun = effects.begin(name)
        const written = await inOrder(() => writeOnce(scope, name, writes, now()))
        if (!written.applied) begun.undo()
        return written
      }),
  }
}
