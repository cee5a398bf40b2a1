import { readDeadRun } from '../claim/stage/deadRun.ts'
import { readStageRecord } from '../claim/stage/stageRecord.ts'
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
  if (record !== undefined && readStageRecord(record) === undefined) return UNREADABLE
  if (isRunning(sender, record)) {
    return record?.['ending'] === undefined ? SEND : { kind: 'wait', until: now + WHILE_ENDING_MS }
  }
  return judgeParked(sender, { record, parked }, now)
}

function judgeParked(
  { uniqueRequestId }: Sender,
  { record, parked }: RunSeen,
  now: number,
): DelayedVerdict {
  if (parked === undefined) return SEND
  if (parked['undo'] !== undefined || TAKEN_BACK.includes(parked['ending'])) return { kind: 'void' }
  if (readDeadRun(parked) === undefined) return UNREADABLE
  const last = record && readStageRecord(record)?.last
  const hasEnded = last?.digest === digestOf(uniqueRequestId) && last.as !== 'dead'
  // Not listed: it was redriven and has ended, or an operator does not expect a redrive any more.
  if (hasEnded || parked['statusShard'] === undefined) return SEND
  return { kind: 'wait', until: now + WHILE_DEAD_MS }
}
