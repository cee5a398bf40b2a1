import type { Update } from '../../store/store.ts'
import { type Held, whileHeld } from './heldStage.ts'
import {
  type OpenEntry,
  type RetryEntry,
  type DeathReason,
  type StageEntry,
  writeEntry,
} from './stageEntry.ts'
import { STAGE } from './stageRecord.ts'

/**
 * Before the copy is sent: from here on nobody runs until `notBefore`, whichever copy wakes first.
 * @param attempt how many count by then
 */
export function writeTicket(
  held: Held,
  ticket: number,
  notBefore: number,
  attempt: number = held.entry.attempt,
): Update {
  return change(held, { ...waiting(held.entry, notBefore), attempt, ticket, sent: false })
}

/**
 * The queue holds the copy: older ones may be acknowledged. Only while nobody has taken over: the text of an open entry is
 * its holder's fence.
 */
export function confirmTicket(
  held: Held,
  ticket: number,
  notBefore: number,
  attempt: number = held.entry.attempt,
): Update {
  const unsent: RetryEntry = { ...waiting(held.entry, notBefore), attempt, ticket, sent: false }
  return change({ ...held, entry: unsent }, { ...unsent, sent: true })
}

/** The same copy comes back by visibility. */
export function waitUntil(
  held: Held,
  notBefore: number,
  attempt: number = held.entry.attempt,
): Update {
  return change(held, { ...waiting(held.entry, notBefore), attempt })
}

/** Handed back before its handler began: the attempt does not count. */
export function release(held: Held): Update {
  const entry = waiting(held.entry, 0)
  return change(held, { ...entry, attempt: entry.attempt - 1 })
}

/** The dead letter follows, then buryStage. `unknown`: nobody knows whether an outside call happened. */
export function die(held: Held, reason: DeathReason): Update {
  const { attemptId, attempt, leaseUntil } = held.entry
  return change(held, { status: 'dying', attemptId, attempt, leaseUntil, reason })
}

function waiting({ attemptId, attempt, ticket }: OpenEntry, notBefore: number): RetryEntry {
  return { status: 'retry', attemptId, attempt, notBefore, ticket, sent: false }
}

function change(held: Held<StageEntry>, entry: StageEntry): Update {
  const set = { [STAGE + held.stage]: writeEntry(entry) }
  return { key: held.record.key, where: whileHeld(held), set }
}
