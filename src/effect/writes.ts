import { compileWrite, whyRefused } from '../guard/compileGuard.ts'
import type { Write, Written } from '../guard/write.ts'
import { superseded } from '../hold/superseded.ts'
import type { TransactOutcome, Update } from '../store/store.ts'
import type { Held } from './held.ts'

/** The user's write and the check of the claim in one transaction: a dead attempt cannot write. */
export async function writeOnce(
  held: Held,
  name: string,
  write: Write,
  now: number,
): Promise<Written> {
  const { marks } = held.hold
  const mark = marks.mark(name)
  if (mark === undefined) return { applied: true }
  const written = judge(held, write, now, await transact(held, mark, write, now), name)
  if (written.applied) marks.marked(name)
  return written
}

export async function writeFenced(held: Held, write: Write, now: number): Promise<Written> {
  return judge(held, write, now, await transact(held, held.hold.marks.check(), write, now))
}

function transact(held: Held, claim: Update, write: Write, now: number): Promise<TransactOutcome> {
  return held.store.transact(claim, [compileWrite(write, requester(held, now))])
}

function judge(
  held: Held,
  write: Write,
  now: number,
  outcome: TransactOutcome,
  name?: string,
): Written {
  if (outcome.kind === 'applied') return { applied: true }
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.by === 'write') {
    return { applied: false, reason: whyRefused(write, requester(held, now), outcome.item) }
  }
  if (held.hold.marks.judge(outcome.item, name) === 'set') return { applied: true }
  throw superseded(held.hold.attempt, held.uniqueRequestId)
}

function requester(held: Held, now: number): { uniqueRequestId: string; now: number } {
  return { uniqueRequestId: held.uniqueRequestId, now }
}
