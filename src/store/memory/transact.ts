import type { Creation, TransactOutcome, Update, UserWrite, WriteOutcome } from '../store.ts'
import type { UserOutcome } from './applyUserWrite.ts'
import { copyUserItem } from './copy.ts'
import type { OwnItems } from './ownItems.ts'
import type { UserTables } from './userTables.ts'

/** Applies a claim and valid writes: all or none. */
export function transact(
  own: OwnItems,
  users: UserTables,
  claim: Update | Creation,
  writes: readonly UserWrite[],
): TransactOutcome {
  const written = writes.map(users.judge)
  const refusal = refusalOf(own.judge(claim), written)
  if (refusal !== undefined) return refusal
  own.write(claim)
  for (const [index, write] of writes.entries()) {
    const one = written[index]
    if (one?.kind === 'applied') users.keep(write, one.item)
  }
  return { kind: 'applied' }
}

/** A refused claim comes first: without the claim the refused writes do not matter. */
export function refusalOf(
  claimed: WriteOutcome,
  written: readonly UserOutcome[],
): Exclude<TransactOutcome, { kind: 'applied' }> | undefined {
  if (claimed.kind === 'failed') return claimed
  if (claimed.kind === 'refused') return { ...claimed, by: 'claim' }
  const failed = written.find(({ kind }) => kind === 'failed')
  if (failed?.kind === 'failed') return failed
  const index = written.findIndex(({ kind }) => kind === 'refused')
  const refused = written[index]
  if (refused?.kind !== 'refused') return undefined
  return { ...refused, by: 'write', index, item: refused.item && copyUserItem(refused.item) }
}
