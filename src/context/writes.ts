import { type CheckedWrite, checkWrite, checkWrites } from './guard/checkWrite.ts'
import { compileWrite, whyRefused } from './guard/compileGuard.ts'
import type { Written } from './guard/write.ts'
import { superseded } from '../claim/hold.ts'
import type { Creation, RawWrite, Update } from '../store/store.ts'
import { tableOf } from '../store/wire/transactItem.ts'
import type { EffectScope, OpenAttempt } from './effectScope.ts'
import { checkTarget } from './guard/checkValue.ts'
import type { RecordContext } from './context.ts'
import { uniqueNames } from './effectNames.ts'

type Writes = readonly (CheckedWrite | RawWrite)[]

/** The user's writes and the mark are one transaction: they are made once. */
export async function writeOnce(
  scope: EffectScope,
  name: string,
  writes: Writes,
  now: number,
): Promise<Written> {
  const { effects } = scope.hold
  const mark = effects.mark(name)
  if (mark === undefined)
    return {
      // @protects an effect that was made is not made again
      // @without false
      applied: true,
    }
  const written = await transact(scope, mark, writes, now, name)
  if (written.applied) effects.marked(name)
  return written
}

/** The user's write and the check of the claim are one transaction, so an attempt that has lost its claim cannot write. */
function writeFenced(scope: EffectScope, write: CheckedWrite, now: number): Promise<Written> {
  return transact(scope, scope.hold.effects.check(), [write], now)
}

async function transact(
  { store, hold, uniqueRequestId }: EffectScope,
  claim: Update | Creation,
  writes: Writes,
  now: number,
  name?: string,
): Promise<Written> {
  const by = { uniqueRequestId, now }
  const compiled = writes.map((write) => compileWrite(write, by))
  const outcome = await store.transact(claim, compiled)
  if (outcome.kind === 'applied') return { applied: true }
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.by === 'write') {
    const { index, item } = outcome
    const write = writes[index]
    if (write === undefined) throw new Error('the store refused a write that it was not given')
    return { applied: false, ...whyRefused(write, by, item), index, table: tableOf(write), item }
  }
  if (hold.effects.judge(outcome.item, name) === 'set') return { applied: true }
  // @protects a write of an attempt that has lost its claim is not taken for made
  // @without return { applied: true }
  throw superseded(hold.attempt, uniqueRequestId)
}

type WriteCalls = Pick<RecordContext, 'get' | 'put' | 'update' | 'delete' | 'applyOnce'>

/** Checks a write when it is called, before it waits for its turn. */
export function writeCalls({ scope, track, inOrder, assertOpen, now }: OpenAttempt): WriteCalls {
  const effects = uniqueNames('applyOnce')
  const inTurn = (write: () => Promise<Written>): Promise<Written> =>
    inOrder(async () => {
      // @protects a write that waited for its turn is not made after the end
      assertOpen()
      return write()
    })
  const fenced = (form: 'put' | 'update' | 'delete', given: unknown): Promise<Written> =>
    track(async () => {
      const write = checkWrite(`ctx.${form}`, form, given)
      return inTurn(() => writeFenced(scope, write, now()))
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
        const written = await inTurn(() => writeOnce(scope, name, writes, now()))
        if (!written.applied) begun.undo()
        return written
      }),
  }
}
