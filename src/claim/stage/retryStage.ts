import type { Update } from '../../store/store.ts'
import { type HeldStage, stageOwnedBy } from './heldStage.ts'
import {
  type OpenEntry,
  type RetryEntry,
  type StageDeathReason,
  type StageEntry,
  writeEntry,
} from './stageEntry.ts'
import { STAGE } from './stageRecord.ts'

/**
 * Written before the copy is sent: from now on no attempt starts before `notBefore`, whichever copy arrives first.
 * @param attempt the number of attempts that count so far
 */
export function scheduleResend(
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
export function confirmResend(
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

/** The same message comes back after its visibility timeout. */
export function waitUntil(
  held: HeldStage,
  notBefore: number,
  attempt: number = held.entry.attempt,
): Update {
  return change(held, { ...waiting(held.entry, notBefore), attempt })
}

/** Gives the claim back because the handler was not started: the attempt does not count. */
export function release(held: HeldStage): Update {
  const entry = waiting(held.entry, 0)
  return change(held, { ...entry, attempt: entry.attempt - 1 })
}

/** Written before the dead letter is sent; finishDeadLettering follows. `unknown`: the outcome of an outside call is unknown. */
export function startDeadLettering(held: HeldStage, reason: StageDeathReason): Update {
  const { attemptId, attempt, leaseUntil } = held.entry
  return change(held, { status: 'dying', attemptId, attempt, leaseUntil, reason })
}

function waiting({ attemptId, attempt, resendNumber }: OpenEntry, notBefore: number): RetryEntry {
  return { status: 'retry', attemptId, attempt, notBefore, resendNumber, sent: false }
}

function change(held: HeldStage<StageEntry>, entry: StageEntry): Update {
  const set = { [STAGE + held.stage]: writeEntry(entry) }
  return { key: held.record.key, where: stageOwnedBy(held), set, needsNoItem: true }
}
