import type { Death, Left, Letter, Over } from '../claim/hold.ts'
import type { Closing } from '../claim/stage/endRun.ts'
import { holdStage, judgeStanding } from '../claim/stage/heldStage.ts'
import { buryStage, type Leaving, settleStage } from '../claim/stage/settleStage.ts'
import { die } from '../claim/stage/retryStage.ts'
import type { DeathReason } from '../claim/stage/stageEntry.ts'
import { readStageRecord } from '../claim/stage/stageRecord.ts'
import type { WriteOutcome } from '../store/store.ts'
import { carryOut } from './endRun.ts'
import { dyingIn, type Grip, lostBy, openIn, refresh, write } from './stageClaimState.ts'

export function settle(grip: Grip, ends: boolean, passedTo: readonly string[]): Promise<Left> {
  const decide = (closing: Closing): Leaving =>
    settleStage(openIn(grip), { ends, passedTo }, closing)
  return leave(grip, decide, 'duplicate')
}

/** A rival stage that settles between look and write costs a round. */
const ROUNDS = 8

/** The last one out ends the run; who that is may change until the write holds. */
async function leave(
  grip: Grip,
  decide: (closing: Closing) => Leaving,
  ended: Over,
): Promise<Left> {
  for (let round = 0; round < ROUNDS; round++) {
    const leaving = decide(grip.closing(grip.error))
    const outcome = await carry(grip, leaving)
    if (outcome.kind === 'failed') return outcome
    if (outcome.kind === 'applied') return { kind: 'written' }
    const update = leaving.kind === 'leave' ? leaving.update : leaving.ending.reset
    const standing = judgeStanding(grip.held, update, outcome.item)
    if (standing.kind === 'landed') return { kind: 'written' }
    if (standing.kind !== 'mine') {
      const left = lostBy(grip, { kind: 'found', item: outcome.item })
      // The answer to the very write was lost: the run has ended as it was to end.
      return left.kind === 'lost' && left.over === ended ? { kind: 'written' } : left
    }
    refresh(grip, standing.record)
  }
  return { kind: 'failed', error: new Error('other stages changed the record all the time') }
}

function carry(grip: Grip, leaving: Leaving): Promise<WriteOutcome> {
  return leaving.kind === 'leave'
    ? grip.commit(leaving.update)
    : carryOut({ ...grip.store, update: (update) => grip.commit(update) }, leaving.ending)
}

/** From `die` on no mark can be added: what the record shows now is what is parked, or a redrive would repeat an effect. */
export async function buryOf(grip: Grip): Promise<Left> {
  const { record, stage, entry } = grip.held
  const read = await grip.store.read(record.key)
  if (read.kind === 'failed') return read
  const now = read.item && readStageRecord(read.item)
  const held = now && holdStage(now, stage, entry.attemptId)
  if (held?.entry.status !== 'dying') return lostBy(grip, read)
  grip.held = { ...held, entry: held.entry }
  return leave(grip, (closing) => buryStage(dyingIn(grip), closing), 'dead')
}

const REASONS: Readonly<Record<string, DeathReason>> = {
  rejected: 'refused',
  'too old': 'expired',
  terminal: 'terminal',
  unknown: 'unknown',
}
const TOLD: Readonly<Record<DeathReason, string>> = {
  refused: 'rejected',
  expired: 'too old',
  terminal: 'terminal',
  unknown: 'unknown',
  exhausted: 'exhausted',
  abandoned: 'abandoned',
}

export async function dieOf(grip: Grip, death: Death): Promise<Left> {
  const held = openIn(grip)
  const reason = REASONS[death.reason] ?? 'exhausted'
  const left = await write(grip, die(held, reason))
  const { attemptId, attempt, leaseUntil } = held.entry
  grip.held = { ...held, entry: { status: 'dying', attemptId, attempt, leaseUntil, reason } }
  grip.error = death.error
  grip.reason = death.reason
  return left
}

export function letterOf(grip: Grip): Letter {
  const { record, entry } = dyingIn(grip)
  const refusal = entry.reason === 'refused' ? grip.refusal : undefined
  const error =
    grip.error ??
    refusal?.error ??
    `the last of ${entry.attempt} attempts ended without an answer (killed or timed out)`
  const reason = grip.reason ?? refusal?.reason ?? TOLD[entry.reason]
  return { reason, error, attempts: entry.attempt, death: record.epoch }
}
