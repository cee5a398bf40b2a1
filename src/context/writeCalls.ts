import { checkTarget } from './guard/checkTarget.ts'
import { checkWrite, checkWrites } from './guard/checkWrite.ts'
import type { Written } from './guard/write.ts'
import type { RecordContext } from './context.ts'
import type { Held } from './effectHold.ts'
import type { InTurn } from './inTurn.ts'
import { uniqueNames } from './uniqueNames.ts'
import { writeFenced, writeOnce } from './writes.ts'

type WriteCalls = Pick<RecordContext, 'get' | 'put' | 'update' | 'delete' | 'applyOnce'>

export interface WriteCallParts {
  readonly held: Held
  readonly inTurn: InTurn
  during<T>(work: () => Promise<T>): Promise<T>
  assertOpen(): void
  now(): number
}

/** What is wrong with a write is found out at the call, before it waits for its turn. */
export function writeCalls({ held, during, inTurn, assertOpen, now }: WriteCallParts): WriteCalls {
  const effects = uniqueNames('applyOnce')
  const inOrder = (write: () => Promise<Written>): Promise<Written> =>
    inTurn(async () => {
      assertOpen()
      return write()
    })
  const fenced = (form: 'put' | 'update' | 'delete', given: unknown): Promise<Written> =>
    during(async () => {
      const write = checkWrite(`ctx.${form}`, form, given)
      return inOrder(() => writeFenced(held, write, now()))
    })
  return {
    // The caller says what its rows are.
    get: <Row extends object>(target: unknown) =>
      during(() => held.store.readUser(checkTarget('ctx.get', target)) as Promise<Row | undefined>),
    put: (write) => fenced('put', write),
    update: (write) => fenced('update', write),
    delete: (write) => fenced('delete', write),
    applyOnce: (name, given) =>
      during(async () => {
        const call = effects.check(name)
        const writes = checkWrites(call, given)
        const begun = effects.begin(name)
        const written = await inOrder(() => writeOnce(held, name, writes, now()))
        if (!written.applied) begun.undo()
        return written
      }),
  }
}
