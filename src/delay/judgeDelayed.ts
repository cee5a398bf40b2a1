import { readDeadRun } from '../claim/stage/deadRun.ts'
import { type EndKind, readStageRecord } from '../claim/stage/stageRecord.ts'
import { digestOf } from '../claim/stage/version.ts'
import type { Item } from '../store/store.ts'
import type { Delayed } from './delayedRow.ts'

/** What the sweeper does with a row whose time has come. */
export type DelayedVerdict =
  | { readonly kind: 'send' }
  /** Its run was taken back, and the message with it. */
  | { readonly kind: 'void' }
  /** Its run is dead and may be redriven, or its end is being written. Epoch milliseconds. */
  | { readonly kind: 'wait'; readonly until: number }
  /** The run was written by a newer version, or by hand: the row is left alone. */
  | { readonly kind: 'unreadable' }

/** The run of a row: its record, and its parked item. The record is read first: a run is parked before it loses its key. */
interface RunSeen {
  readonly record: Item | undefined
  readonly parked: Item | undefined
}

const WHILE_DEAD_MS = 3_600_000
const WHILE_ENDING_MS = 60_000
const SEND: DelayedVerdict = { kind: 'send' }
const VOID: DelayedVerdict = { kind: 'void' }
const UNREADABLE: DelayedVerdict = { kind: 'unreadable' }
const TAKEN_BACK: readonly unknown[] = ['superseded', 'reset']

/** The run that sent a row, and how it stands. */
type Sender = Pick<Delayed, 'recordPk' | 'uniqueRequestId'>

/** Whether the run still has its key, so that it cannot be parked yet. */
export function isRunning({ uniqueRequestId }: Sender, record: Item | undefined): boolean {
  return record !== undefined && readStageRecord(record)?.run?.uniqueRequestId === uniqueRequestId
}

/**
 * A run that goes on or has completed sends its messages, one that was taken back does not, and what a dead one has sent waits
 * for its redrive. A message of a single record is a fact once its row stands.
 */
export function judgeDelayed(
  sender: Sender,
  { record, parked }: RunSeen,
  now: number,
): DelayedVerdict {
  if (sender.recordPk === undefined) return SEND
  const seen = record === undefined ? undefined : readStageRecord(record)
  if (record !== undefined && seen === undefined) return UNREADABLE
  if (isRunning(sender, record)) {
    return seen?.run?.ending === undefined ? SEND : { kind: 'wait', until: now + WHILE_ENDING_MS }
  }
  const { last } = seen ?? {}
  const end = last?.digest === digestOf(sender.uniqueRequestId) ? last.as : undefined
  if (end === 'undone') return VOID
  return parked === undefined ? SEND : judgeParked(end, parked, now)
}

/** @param end how the run ended, if its record still says so */
function judgeParked(end: EndKind | undefined, parked: Item, now: number): DelayedVerdict {
  const dead = readDeadRun(parked)
  if (dead === undefined) return UNREADABLE
  if (dead.undo !== undefined || TAKEN_BACK.includes(dead.ending)) return VOID
  const hasEnded = end !== undefined && end !== 'dead'
  // Not listed: it was redriven and has ended, or an operator does not expect a redrive any more.
  if (hasEnded || parked['statusShard'] === undefined) return SEND
  return { kind: 'wait', until: now + WHILE_DEAD_MS }
}
