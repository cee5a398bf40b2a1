import type { Update } from '../../store/store.ts'
import { type EndOptions, type RunEnding, endRun } from './endRun.ts'
import { type HeldStage, stageOwnedBy } from './stageOwnedBy.ts'
import { judgeRunProgress } from './runProgress.ts'
import {
  type DyingEntry,
  type SettledEntry,
  type StageEntry,
  writeEntry,
  type OpenEntry,
  type RetryEntry,
  type StageDeathReason,
} from './stageEntry.ts'
import { STAGE } from './stageRecord.ts'

/** The last stage to end also ends the run. Every other stage ends without ending it. */
export type StageEnding =
  | { readonly kind: 'leave'; readonly update: Update }
  | { readonly kind: 'end'; readonly ending: RunEnding }

/** Called after the last effect, and after all messages are sent. */
export function settleStage(
  held: HeldStage,
  settled: Omit<SettledEntry, 'status'>,
  closing: EndOptions,
): StageEnding {
  return endStage(held, { status: 'settled', ...settled }, closing)
}

/** Called after the queue has accepted the dead letter. */
export function deadEntry(held: HeldStage<DyingEntry>, closing: EndOptions): StageEnding {
  const { record, entry } = held
  return endStage(held, { status: 'dead', epoch: record.epoch, reason: entry.reason }, closing)
}

/**
 * A stage that ends without ending the run makes this conditional on the run still being open: otherwise two stages that end at
 * the same time would each leave the end of the run to the other.
 */
function endStage(held: HeldStage<StageEntry>, end: StageEntry, closing: EndOptions): StageEnding {
  const { record, run, stage } = held
  const stages = new Map(run.stages).set(stage, end)
  const join = judgeRunProgress(record, stages)
  if (join.kind === 'open') {
    // @protects two stages that settle at once do not both leave the end to the other
    // @without stageOwnedBy(held)
    const where = [...stageOwnedBy(held), join.because]
    const set = { [STAGE + stage]: writeEntry(end) }
    return { kind: 'leave', update: { key: record.key, where, set, needsNoItem: true } }
  }
  const as = join.kind === 'dead' ? 'dead' : 'completed'
  return {
    kind: 'end',
    ending: endRun(
      record,
      run,
      { as, stages },
      closing,
      // @protects only the holder of a stage ends the run with it
      stageOwnedBy(held),
    ),
  }
}

/**
 * Written before the copy is sent: from now on no attempt starts before `notBefore`, whichever copy arrives first.
 * @param attempt the number of attempts that count so far
 */
export function resendingEntry(
  held: HeldStage,
  resendNumber: number,
  notBefore: number,
  attempt: number = held.entry.attempt,
): Update {
  return change(held, { ...waiting(held.entry, notBefore), attempt, resendNumber, sent: false })
}

/**
 * Records that the queue holds the copy, so older copies may be acknowledged. Holds only while no other attempt has taken over:
 * the text of an open entry is the fence of the attempt that wrote it.
 */
export function resentEntry(
  held: HeldStage,
  resendNumber: number,
  notBefore: number,
  attempt: number = held.entry.attempt,
): Update {
  const unsent: RetryEntry = {
    ...waiting(held.entry, notBefore),
    attempt,
    resendNumber,
    sent: false,
  }
  return change({ ...held, entry: unsent }, { ...unsent, sent: true })
}

/** Entry of a stage whose same message SQS delivers again at `notBefore`, epoch milliseconds. */
export function waitingEntry(
  held: HeldStage,
  notBefore: number,
  attempt: number = held.entry.attempt,
): Update {
  return change(held, { ...waiting(held.entry, notBefore), attempt })
}

/** Gives the claim back because the handler was not started: the attempt does not count. */
export function releasedEntry(held: HeldStage): Update {
  const entry = waiting(held.entry, 0)
  return change(held, {
    ...entry,
    // @protects an attempt of a stage that was not started does not count
    // @without its left
    attempt: entry.attempt - 1,
  })
}

/** Written before the dead letter is sent; deadEntry follows. `unknown`: the outcome of an outside call is unknown. */
export function dyingEntry(held: HeldStage, reason: StageDeathReason): Update {
  const { attemptId, attempt, leaseUntil } = held.entry
  return change(held, { status: 'dying', attemptId, attempt, leaseUntil, reason })
}

function waiting({ attemptId, attempt, resendNumber }: OpenEntry, notBefore: number): RetryEntry {
  return { status: 'retry', attemptId, attempt, notBefore, resendNumber, sent: false }
}

function change(held: HeldStage<StageEntry>, entry: StageEntry): Update {
  const set = { [STAGE + held.stage]: writeEntry(entry) }
  return {
    key: held.record.key,
    // @protects a retry is written by the holder of the stage
    // @without []
    where: stageOwnedBy(held),
    set,
    needsNoItem: true,
  }
}
