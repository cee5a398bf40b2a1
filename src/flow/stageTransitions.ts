import type { Death, WriteResult, DeathReport } from '../claim/hold.ts'
import type { EndReason } from '../claim/settlement.ts'
import type { EndOptions } from '../claim/stage/endRun.ts'
import { holdStage, explainRefusedWrite } from '../claim/stage/heldStage.ts'
import {
  finishDeadLettering as writeDead,
  type StageEnding,
  settleStage,
} from '../claim/stage/settleStage.ts'
import { startDeadLettering as writeDying } from '../claim/stage/retryStage.ts'
import type { StageDeathReason } from '../claim/stage/stageEntry.ts'
import { readStageRecord } from '../claim/stage/stageRecord.ts'
import type { WriteOutcome } from '../store/store.ts'
import { writeEnding } from './endRun.ts'
import {
  dyingIn,
  type StageClaimState,
  explainLoss,
  openIn,
  refresh,
  write,
} from './stageClaimState.ts'

export function settle(
  claimState: StageClaimState,
  ends: boolean,
  sentTo: readonly string[],
): Promise<WriteResult> {
  const decide = (closing: EndOptions): StageEnding =>
    settleStage(openIn(claimState), { ends, sentTo }, closing)
  return writeEndOfStage(claimState, decide, 'duplicate')
}

/** A rival stage that settles between look and write costs a round. */
const ROUNDS = 8

/** The last one out ends the run; who that is may change until the write holds. */
async function writeEndOfStage(
  claimState: StageClaimState,
  decide: (closing: EndOptions) => StageEnding,
  ended: EndReason,
): Promise<WriteResult> {
  for (let round = 0; round < ROUNDS; round++) {
    const leaving = decide(claimState.closing(claimState.error))
    const outcome = await writeOnce(claimState, leaving)
    if (outcome.kind === 'failed') return outcome
    if (outcome.kind === 'applied') return { kind: 'written' }
    const update = leaving.kind === 'leave' ? leaving.update : leaving.ending.reset
    const standing = explainRefusedWrite(claimState.held, update, outcome.item)
    if (standing.kind === 'written') return { kind: 'written' }
    if (standing.kind !== 'mine') {
      const left = explainLoss(claimState, { kind: 'found', item: outcome.item })
      // The answer to the very write was lost: the run has ended as it was to end.
      return left.kind === 'lost' && left.over === ended ? { kind: 'written' } : left
    }
    refresh(claimState, standing.record)
  }
  return { kind: 'failed', error: new Error('other stages changed the record all the time') }
}

function writeOnce(claimState: StageClaimState, leaving: StageEnding): Promise<WriteOutcome> {
  return leaving.kind === 'leave'
    ? claimState.commit(leaving.update)
    : writeEnding(
        { ...claimState.store, update: (update) => claimState.commit(update) },
        leaving.ending,
      )
}

/** From `die` on no mark can be added: what the record shows now is what is parked, or a redrive would repeat an effect. */
export async function finishDeadLettering(claimState: StageClaimState): Promise<WriteResult> {
  const { record, stage, entry } = claimState.held
  const read = await claimState.store.read(record.key)
  if (read.kind === 'failed') return read
  const now = read.item && readStageRecord(read.item)
  const held = now && holdStage(now, stage, entry.attemptId)
  if (held?.entry.status !== 'dying') return explainLoss(claimState, read)
  claimState.held = { ...held, entry: held.entry }
  return writeEndOfStage(
    claimState,
    (closing) => writeDead(dyingIn(claimState), closing),
    'alreadyDeadLettered',
  )
}

const REASONS: Readonly<Record<string, StageDeathReason>> = {
  rejected: 'refused',
  'too old': 'expired',
  terminal: 'terminal',
  unknown: 'unknown',
}
const TOLD: Readonly<Record<StageDeathReason, string>> = {
  refused: 'rejected',
  expired: 'too old',
  terminal: 'terminal',
  unknown: 'unknown',
  exhausted: 'exhausted',
  abandoned: 'abandoned',
}

export async function startDeadLettering(
  claimState: StageClaimState,
  death: Death,
): Promise<WriteResult> {
  const held = openIn(claimState)
  const reason = REASONS[death.reason] ?? 'exhausted'
  const left = await write(claimState, writeDying(held, reason))
  const { attemptId, attempt, leaseUntil } = held.entry
  claimState.held = { ...held, entry: { status: 'dying', attemptId, attempt, leaseUntil, reason } }
  claimState.error = death.error
  claimState.reason = death.reason
  return left
}

export function deathReport(claimState: StageClaimState): DeathReport {
  const { record, entry } = dyingIn(claimState)
  const refusal = entry.reason === 'refused' ? claimState.refusal : undefined
  const error =
    claimState.error ??
    refusal?.error ??
    `the last of ${entry.attempt} attempts ended without an answer (killed or timed out)`
  const reason = claimState.reason ?? refusal?.reason ?? TOLD[entry.reason]
  return { reason, error, attempts: entry.attempt, death: record.epoch }
}
