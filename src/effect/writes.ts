import { compileWrite, whyRefused } from '../guard/compileGuard.ts'
import type { Write, Written } from '../guard/write.ts'
import { checkClaim, markApplied } from '../lock/settleWrites.ts'
import type { TransactOutcome, Update } from '../store/store.ts'
import { type Held, superseded } from './held.ts'

/** The user's write and the check of the claim in one transaction: a dead attempt cannot write. */
export async function writeOnce(
  held: Held,
  name: string,
  write: Write,
  now: number,
): Promise<Written> {
  if (held.token.applied.has(name)) return { applied: true }
  const outcome = await transact(held, markApplied(held.token, name), write, now)
  const written = judge(held, write, now, outcome, name)
  if (written.applied) {
    held.token = { ...held.token, applied: new Set([...held.token.applied, name]) }
  }
  return written
}

export async function writeFenced(held: Held, write: Write, now: number): Promise<Written> {
  return judge(held, write, now, await transact(held, checkClaim(held.token), write, now))
}

function transact(held: Held, claim: Update, write: Write, now: number): Promise<TransactOutcome> {
  return held.store.transact(claim, compileWrite(write, requester(held, now)))
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
  const { item } = outcome
  const mine = item?.['attemptId'] === held.token.attemptId && item['status'] === 'inProgress'
  const applied = item?.['applied']
  if (mine && name !== undefined && applied instanceof Set && applied.has(name)) {
    return { applied: true }
  }
  throw superseded(held)
}

function requester(held: Held, now: number): { uniqueRequestId: string; now: number } {
  return { uniqueRequestId: held.uniqueRequestId, now }
}
