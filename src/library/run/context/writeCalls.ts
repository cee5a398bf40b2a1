import { type CheckedWrite, checkWrites } from './guard/checkWrite.ts'
import { compileWrite, whyRefused } from './guard/compileGuard.ts'
import type { Written } from './guard/write.ts'
import { superseded } from '../../protocol/claim/hold.ts'
import { hasNoAnswer, type RawWrite } from '../../protocol/store/store.ts'
import { tableOf } from '../../protocol/store/wire/transactItem.ts'
import type { EffectScope, OpenAttempt } from './effectScope.ts'
import { checkTarget } from './guard/checkValue.ts'
import type { RecordContext } from './context.ts'
import { uniqueNames } from './effectNames.ts'

type Writes = readonly (CheckedWrite | RawWrite)[]

/** The user's writes and the mark are one transaction: they are made once. */
export async function writeOnce(
  { store, hold, uniqueRequestId }: EffectScope,
  name: string,
  writes: Writes,
  now: number,
): Promise<Written> {
  const { effects } = hold
  const mark = effects.mark(name)
  if (mark === undefined)
    return {
      // @protects an effect that was made is not made again
      // @without false
      applied: true,
    }
  const by = { uniqueRequestId, now }
  const compiled = writes.map((write) => compileWrite(write, by))
  const outcome = await store.transact(mark, compiled)
  if (hasNoAnswer(outcome)) throw outcome.error
  if (outcome.kind === 'refused' && outcome.by === 'write') {
    const { index, item } = outcome
    const write = writes[index]
    if (write === undefined) throw new Error('the store refused a write that it was not given')
    return { applied: false, ...whyRefused(write, by, item), index, table: tableOf(write), item }
  }
  const isMade = outcome.kind === 'applied' || effects.judge(outcome.item, name) === 'set'
  // @protects a write of an attempt that has lost its claim is not taken for made
  if (!isMade) throw superseded(hold.attempt, uniqueRequestId)
  effects.marked(name)
  return { applied: true }
}

type WriteCalls = Pick<RecordContext, 'get' | 'write'>

/** Checks a write when it is called, before it waits for its turn. */
export function writeCalls({ scope, track, inOrder, assertOpen, now }: OpenAttempt): WriteCalls {
  const effects = uniqueNames('write')
  const inTurn = (write: () => Promise<Written>): Promise<Written> =>
    inOrder(async () => {
      // @protects a write that waited for its turn is not made after the end
      assertOpen()
      return write()
    })
  return {
    // The caller declares the type of its rows.
    get: <Row extends object>(target: unknown) =>
      track(() => scope.store.readUser(checkTarget('ctx.get', target)) as Promise<Row | undefined>),
    write: (name, given) =>
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
