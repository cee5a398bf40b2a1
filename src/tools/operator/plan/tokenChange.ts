import { STARTED } from '../../../library/protocol/claim/hold.ts'
import { sortableId } from '../../../library/base/sortableId.ts'
import { CALL_PREFIX, type Token } from '../../../library/protocol/claim/token/token.ts'
import type { Condition } from '../../../library/protocol/store/store.ts'
import { displayId } from '../text/itemId.ts'
import { describeToken } from '../explain/describeFlow.ts'
import { tokenState, unknownCalls } from '../explain/tokenState.ts'
import { is, type OperatorAction, type PlanHead } from './applyPlan.ts'

/** A new attempt id and a higher fence: writes of earlier attempts that are still on their way are refused. */
export function newFence(
  token: Token,
  now: number,
): { readonly attemptId: string; readonly fence: number } {
  return {
    attemptId: `operator-${sortableId(now)}`,
    fence: token.fence + 1,
  }
}

export function tokenHeadOf(action: OperatorAction, token: Token, now: number): PlanHead {
  return { action, id: displayId(token.pk), standing: describeToken(tokenState(token, now), now) }
}

/** Everything that the plan depends on: claims change the first three attributes, retries and releases change the lease. */
export function asShown(token: Token): readonly Condition[] {
  const { attemptId, fence, attempt, leaseUntil, status } = token
  return [
    is('attemptId', attemptId),
    is('fence', fence),
    is('attempt', attempt),
    status === 'complete' ? { absent: 'status' } : is('status', status),
    leaseUntil === 0
      ? { any: [is('leaseUntil', 0), { absent: 'leaseUntil' }] }
      : is('leaseUntil', leaseUntil),
    ...unknownCalls(token).map((name) => is(CALL_PREFIX + name, STARTED)),
  ]
}
