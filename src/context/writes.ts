import type { CheckedWrite } from './guard/checkedWrite.ts'
import { compileWrite, whyRefused } from './guard/compileGuard.ts'
import type { NotApplied, Written } from './guard/write.ts'
import { superseded } from '../claim/superseded.ts'
import type { RawWrite, TransactOutcome, Update, UserItem } from '../store/store.ts'
import { tableOf } from '../store/userWrite.ts'
import type { Held } from './effectHold.ts'

type Writes = readonly (CheckedWrite | RawWrite)[]

/** The user's writes and the check of the claim in one transaction: a dead attempt cannot write. */
export async function writeOnce(
  held: Held,
  name: string,
  writes: Writes,
  now: number,
): Promise<Written> {
  const { marks } = held.hold
  const mark = marks.mark(name)
  if (mark === undefined) return { applied: true }
  const written = judge(held, writes, now, await transact(held, mark, writes, now), name)
  if (written.applied) marks.marked(name)
  return written
}

export async function writeFenced(held: Held, write: CheckedWrite, now: number): Promise<Written> {
  const outcome = await transact(held, held.hold.marks.check(), [write], now)
  return judge(held, [write], now, outcome)
}

function transact(
  held: Held,
  claim: Update,
  writes: Writes,
  now: number,
): Promise<TransactOutcome> {
  const by = requester(held, now)
  return held.store.transact(
    claim,
    writes.map((write) => compileWrite(write, by)),
  )
}

function judge(
  held: Held,
  writes: Writes,
  now: number,
  outcome: TransactOutcome,
  name?: string,
): Written {
  if (outcome.kind === 'applied') return { applied: true }
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.by === 'write') return notApplied(held, writes, now, outcome.index, outcome.item)
  if (held.hold.marks.judge(outcome.item, name) === 'set') return { applied: true }
  throw superseded(held.hold.attempt, held.uniqueRequestId)
}

function notApplied(
  held: Held,
  writes: Writes,
  now: number,
  index: number,
  item: UserItem | undefined,
): NotApplied {
  const write = writes[index]
  if (write === undefined) throw new Error('the store refused a write that it was not given')
  const why = whyRefused(write, requester(held, now), item)
  return { applied: false, ...why, index, table: tableOf(write), item }
}

function requester(held: Held, now: number): { uniqueRequestId: string; now: number } {
  return { uniqueRequestId: held.uniqueRequestId, now }
}
