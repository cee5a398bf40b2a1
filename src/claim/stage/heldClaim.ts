import type { Item } from '../../store/store.ts'
import { AFTER_LOST, type AfterLost } from '../afterLost.ts'
import { holdStage } from './heldStage.ts'
import type { StageClaim, StageClaimRequest } from './stageClaim.ts'
import { readStageRecord, type StageRecord } from './stageRecord.ts'
import type { ClaimVerdict } from './verdict.ts'

/** The number of executions that have begun, if the last one ended silently: the message may be what killed it. */
export function silentAttempts(
  { run }: StageRecord,
  { request, ahead }: StageClaimRequest,
): number | undefined {
  const entry = run?.stages.get(request.stage)
  return ahead && entry?.status === 'open' ? entry.attempt : undefined
}

/**
 * Whether no earlier attempt of the key can be late: each run before has ended with all its stages settled. The run of a later
 * stage may hold attempts of the stages before it, so only a start counts.
 */
export function isSurelyFirst(verdict: ClaimVerdict): boolean {
  if (verdict.kind !== 'start') return false
  const { record } = verdict
  return record === undefined || (record.run === undefined && record.last?.as === 'completed')
}

/** A stage that is still open when its message takes over, or gives up, was left open by a lost attempt. */
export function afterLost(
  verdict: ClaimVerdict,
  { request }: StageClaimRequest,
): AfterLost | undefined {
  if (verdict.kind !== 'takeOver' && verdict.kind !== 'deadLetter') return undefined
  const entry = verdict.record.run?.stages.get(request.stage)
  return entry?.status === 'open' ? AFTER_LOST : undefined
}

type HowClaimed = Pick<Extract<StageClaim, { kind: 'claimed' }>, 'first' | 'isSurelyFirst'> &
  AfterLost

export function heldClaimIn(item: Item, claimant: StageClaimRequest, as: HowClaimed): StageClaim {
  const record = readStageRecord(item)
  return record === undefined ? { kind: 'unreadable' } : heldClaim(record, claimant, as)
}

export function heldClaim(
  record: StageRecord,
  { request, refusal }: StageClaimRequest,
  as: HowClaimed,
): StageClaim {
  const held = holdStage(record, request.stage, request.attemptId)
  if (held === undefined) return { kind: 'unreadable' }
  const { entry } = held
  return entry.status === 'open'
    ? { kind: 'claimed', held: { ...held, entry }, ...as, refusal }
    : { kind: 'deadLettering', held: { ...held, entry }, refusal, ...(as.afterLost && AFTER_LOST) }
}
