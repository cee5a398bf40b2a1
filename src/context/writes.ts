import { type CheckedWrite, checkWrite, checkWrites } from './guard/checkWrite.ts'
import { compileWrite, whyRefused } from './guard/compileGuard.ts'
import type { NotApplied, Written } from './guard/write.ts'
import { superseded } from '../claim/hold.ts'
import type { Creation, RawWrite, TransactOutcome, Update, UserItem } from '../store/store.ts'
import { tableOf } from '../store/wire/transactItem.ts'
import type { EffectScope, Serially } from './effectScope.ts'
import { checkTarget } from './guard/checkValue.ts'
import type { RecordContext } from './context.ts'
import { uniqueNames } from './effectNames.ts'

type Writes = readonly (CheckedWrite | RawWrite)[]

/** The user's writes and the check of the claim are one transaction, so an attempt that has lost its claim cannot write. */
export async function writeOnce(
  scope: EffectScope,
  name: string,
  writes: Writes,
  now: number,
): Promise<Written> {
  const { effects } = scope.hold
  const mark = effects.mark(name)
  if (mark === undefined) return { applied: true }
  const written = readOutcome(scope, writes, now, await transact(scope, mark, writes, now), name)
  if (written.applied) effects.marked(name)
  return written
}

async function writeFenced(scope: EffectScope, write: CheckedWrite, now: number): Promise<Written> {
  const outcome = await transact(scope, scope.hold.effects.check(), [write], now)
  return readOutcome(scope, [write], now, outcome)
}

function transact(
  scope: EffectScope,
  claim: Update | Creation,
  writes: Writes,
  now: number,
): Promise<TransactOutcome> {
  const by = requester(scope, now)
  return scope.store.transact(
    claim,
    writes.map((write) => compileWrite(write, by)),
  )
}

function readOutcome(
  scope: EffectScope,
  writes: Writes,
  now: number,
  outcome: TransactOutcome,
  name?: string,
): Written {
  if (outcome.kind === 'applied') return { applied: true }
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.by === 'write') return notApplied(scope, writes, now, outcome.index, outcome.item)
  if (scope.hold.effects.judge(outcome.item, name) === 'set') return { applied: true }
  throw superseded(scope.hold.attempt, scope.uniqueRequestId)
}

function notApplied(
  scope: EffectScope,
  writes: Writes,
  now: number,
  index: number,
  item: UserItem | undefined,
): NotApplied {
  const write = writes[index]
  if (write === undefined) throw new Error('the store refused a write that it was not given')
  const why = whyRefused(write, requester(scope, now), item)
  return { applied: false, ...why, index, table: tableOf(write), item }
}

function requester(scope: EffectScope, now: number): { uniqueRequestId: string; now: number } {
  return { uniqueRequestId: scope.uniqueRequestId, now }
}

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
