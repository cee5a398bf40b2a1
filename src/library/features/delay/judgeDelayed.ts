import { UnknownFormatError } from '../../base/errors.ts'
import { type DeadRun, letterKeptUntil, readDeadRun } from '../../protocol/claim/stage/deadRun.ts'
import { hasDeadLetter } from '../../protocol/claim/stage/stageEntry.ts'
import {
  type EndKind,
  readStageRecord,
  type StageRecord,
} from '../../protocol/claim/stage/stageRecord.ts'
import { digestOf, requestIn } from '../../protocol/claim/stage/version.ts'
import {
  decodePacked,
  ID_ATTRIBUTE,
  PACKED_ATTRIBUTE,
} from '../../protocol/record/envelope/lineclearAttributes.ts'
import { damaged } from '../../protocol/store/format.ts'
import type { Item, NotKnown } from '../../protocol/store/store.ts'
import type { Delayed } from '../../protocol/claim/delayed/delayedRow.ts'

/** What the sweeper does with a row that is due. */
export type DelayedVerdict =
  | { readonly kind: 'send' }
  /** Its run is dead and has a dead letter that may be redriven. Epoch milliseconds. */
  | { readonly kind: 'wait'; readonly until: number }
  /** The run is not known to this version: the row is left alone. */
  | NotKnown

/** The run of a row: its record, and its parked item. The record is read first: a run is parked before it loses its key. */
interface RunSeen {
  readonly record: Item | undefined
  readonly parked: Item | undefined
}

const WHILE_DEAD_MS = 3_600_000
const SEND: DelayedVerdict = { kind: 'send' }

/** The run that sent a row, and the message. */
type Sender = Pick<Delayed, 'recordPk' | 'uniqueRequestId'> & Partial<Pick<Delayed, 'message'>>

/** Whether the run still has its key, so that it cannot be parked yet. */
export function isSenderRunning({ uniqueRequestId }: Sender, record: Item | undefined): boolean {
  return record !== undefined && readStageRecord(record)?.run?.uniqueRequestId === uniqueRequestId
}

/**
 * Whether the row is sent whatever its run does: a stored message of a single record is always sent, and a stage of the run
 * itself reads how its run has ended.
 */
export function isFree({ recordPk, uniqueRequestId, message }: Sender, now: number): boolean {
  if (recordPk === undefined) return true
  const text = (name: string): string | undefined => {
    const attribute = message?.attributes[name]
    return attribute && 'StringValue' in attribute ? attribute.StringValue : undefined
  }
  if (text(ID_ATTRIBUTE) === uniqueRequestId) return true
  const packed = { type: 'String', value: text(PACKED_ATTRIBUTE) ?? '' }
  const read = decodePacked(packed, now, () => {})
  // What a newer version lets its run decide, its run decides.
  return !(read instanceof UnknownFormatError) && read?.flow?.id === uniqueRequestId
}

/** Sent, unless the run certainly has a dead letter whose redrive would continue it. A dead run without one would wait for ever. */
export function judgeDelayed(
  sender: Sender,
  { record, parked }: RunSeen,
  now: number,
): DelayedVerdict {
  if (isFree(sender, now)) return SEND
  const seen = record === undefined ? undefined : readStageRecord(record)
  if (record !== undefined && seen === undefined) return damaged(record)
  if (isSenderRunning(sender, record)) return SEND
  const { last } = seen ?? {}
  const end = last?.digest === digestOf(sender.uniqueRequestId) ? last.as : undefined
  return parked === undefined ? SEND : judgeParked(seen, end, parked, now)
}

/** @param end how the run ended, if its record still says so */
function judgeParked(
  record: StageRecord | undefined,
  end: EndKind | undefined,
  parked: Item,
  now: number,
): DelayedVerdict {
  const dead = readDeadRun(parked)
  if (dead === undefined) return damaged(parked)
  const hasEnded = end !== undefined && end !== 'dead'
  // Not listed: it was redriven and has ended, or an operator does not expect a redrive any more.
  if (hasEnded || parked['statusShard'] === undefined) return SEND
  const gone = letterKeptUntil(parked)
  const isAwaited = mayBeRedriven(dead, record) && now < gone
  return isAwaited ? { kind: 'wait', until: Math.min(now + WHILE_DEAD_MS, gone) } : SEND
}

/**
 * A run that was given up has no dead letter. The dead letter of a run that a newer request has followed is dropped when it is
 * redriven.
 */
function mayBeRedriven({ stages, uniqueRequestId }: DeadRun, record: StageRecord | undefined) {
  const { process, newest = '' } = record ?? {}
  const isFollowed = process === 'newest' && newest !== '' && requestIn(newest) !== uniqueRequestId
  return !isFollowed && [...stages.values()].some(hasDeadLetter)
}
