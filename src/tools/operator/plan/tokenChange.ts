import { STARTED } from '../../../claim/hold.ts'
import { sortableId } from '../../../base/sortableId.ts'
import { undoableAfter } from '../../../claim/token/deadRecord.ts'
import { tokenKeyOf } from '../../../claim/token/claimWrites.ts'
import { DEFAULT_RETENTION_MS } from '../../../base/limits/lifetime.ts'
import { CALL_PREFIX, type Token } from '../../../claim/token/token.ts'
import type { Condition, Update } from '../../../store/store.ts'
import { displayId } from '../../../sweeper/address.ts'
import { describeToken } from '../explain/describeFlow.ts'
import { tokenState, unknownCalls } from '../explain/tokenState.ts'
import { type ChangePlan, is, type OperatorAction, planned, type PlanHead } from './applyPlan.ts'

/** A key has its own retention, and `'forever'` is kept. */
export function retentionOf({ retention = DEFAULT_RETENTION_MS }: Token): number {
  return retention
}

export function isUndone({ status }: Token): boolean {
  return status === 'undoing' || status === 'undone'
}

export const UNDONE =
  'its effects are undone, or are being undone, which is final. If the undo was dead-lettered, redrive that'

export function isFree(token: Token): boolean {
  return token.status === 'inProgress' && token.leaseUntil === 0 && token.attempt === 0
}

/** What a claim leaves of its retries. */
export const RETRY_FIELDS: readonly string[] = ['notBefore', 'ticket', 'confirmed']

export function stepsOf(names: readonly string[]): readonly string[] {
  return names.map((name) => CALL_PREFIX + name)
}

export function noSuchCall(name: string, doubtful: readonly string[]): string {
  const known = doubtful.length === 0 ? 'none has' : `unknown: ${doubtful.join(', ')}`
  return `no call '${name}' has an unknown outcome (${known})`
}

/** A new attempt id and a higher fence: writes of earlier attempts that are still on their way are refused. */
export function newFence(
  token: Token,
  now: number,
): { readonly attemptId: string; readonly fence: number; readonly undoable?: number } {
  return {
    attemptId: `operator-${sortableId(now)}`,
    fence: token.fence + 1,
    ...undoableAfter(token),
  }
}

export function headOf(action: OperatorAction, token: Token, now: number): PlanHead {
  return { action, id: displayId(token.pk), standing: describeToken(tokenState(token, now), now) }
}

export function plannedChange(
  about: PlanHead,
  token: Token,
  now: number,
  { changes, ...write }: Pick<Update, 'set' | 'remove'> & { readonly changes: readonly string[] },
): ChangePlan {
  const update = { key: tokenKeyOf(token), where: asShown(token), ...write }
  const liveLease = token.leaseUntil > now ? token.leaseUntil : undefined
  return planned(about, changes, { kind: 'update', update }, liveLease)
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
