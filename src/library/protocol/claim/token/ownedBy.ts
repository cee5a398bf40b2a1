import type { Condition, Update } from '../../store/store.ts'
import { runningStatus, tokenKeyOf } from './claimWrites.ts'
import type { Token } from './token.ts'

/**
 * The condition of every write after the claim: this attempt still has it. Each claim writes another `attemptId`. The number
 * `fence`, which grows with each claim, is for the user's own systems and for SQL, which see no `attemptId`. A token that was parked because its lease was over,
 * and that no other caller may take over, still belongs to its holder: what the holder says of its work ends the doubt.
 */
export function ownedBy(
  token: Token,
  status: 'inProgress' | 'ending' | 'dying' = runningStatus(token),
): Condition[] {
  return [
    // @protects every write of an attempt requires that it still has the claim
    { field: 'attemptId', is: '=', value: token.attemptId },
    // @protects no write of an attempt after its end
    hasNotEnded(token, status),
  ]
}

/** A write of the attempt that has the claim. */
export function byHolder(token: Token, change: Pick<Update, 'set' | 'remove'>): Update {
  return { needsNoItem: true, key: tokenKeyOf(token), where: ownedBy(token), ...change }
}

function hasNotEnded({ parksAfterLease }: Token, status: string): Condition {
  const held: Condition = { field: 'status', is: '=', value: status }
  return parksAfterLease ? { any: [held, { field: 'status', is: '=', value: 'unknown' }] } : held
}
