import { sortableTime, stableId } from '../../../base/ids.ts'
import { buildMessage } from '../../record/envelope/buildMessage.ts'
import { toMessageJson } from '../../record/envelope/json.ts'
import { flowGroup } from '../../send/messageGroup.ts'
import type { Condition, Creation } from '../../store/store.ts'
import { type DelayedRow, writeDelayed } from '../delayed/delayedRow.ts'
import { MAX_LAMBDA_MS } from '../lease.ts'
import { leaseOf, type StageDeathReason, type StageEntry } from './stageEntry.ts'
import { readRecordKey, type StageRecord, type StageRun } from './stageRecord.ts'

/** How a run has ended that did not complete: the body of the message that `flow.failureHandler` gets. */
export interface EndReport {
  readonly flow: string
  readonly key: string
  readonly uniqueRequestId: string
  /** With the request it identifies the end: a request that is redriven and dies again ends in another epoch. */
  readonly epoch: number
  readonly as: 'dead' | 'superseded' | 'reset'
  /** The request that has superseded it. */
  readonly by?: string
  readonly died: readonly DeadStage[]
  /** As on the record (effectMark). undefined: they were too many for a message. */
  readonly marks?: readonly string[]
}

/** A stage in which a run has died, and why. */
interface DeadStage {
  readonly stage: string
  readonly reason: StageDeathReason
}

interface BadEnd extends Pick<EndReport, 'as' | 'by'> {
  readonly stages: ReadonlyMap<string, StageEntry>
  readonly now: number
  readonly retention: number
}

/** Bytes. An item holds 400 KB. */
const MOST_BYTES = 300_000

/**
 * The message about a bad end, which the sweeper sends. It is written in one transaction with the end: written before it, the message
 * could tell of an end that has not happened; written after it, a kill between the two would lose it.
 * @returns undefined: its flow has no failure handler
 */
export function reportEnd(record: StageRecord, run: StageRun, end: BadEnd): Creation | undefined {
  const { failures: queue } = record
  if (queue === undefined) return undefined
  const about = reportOf(record, run, end)
  const whole = rowOf(queue, { ...about, marks: [...run.marks] }, record, end)
  const { message } = whole
  // @protects a run that has made very much can still end
  // @without true @tests test/claim/stage/endReport
  const fits = typeof message === 'string' && Buffer.byteLength(message) <= MOST_BYTES
  return { create: fits ? whole : rowOf(queue, about, record, end) }
}

function reportOf(
  { key, epoch }: StageRecord,
  { uniqueRequestId }: StageRun,
  { as, by, stages }: BadEnd,
): EndReport {
  const { flow, flowKey } = readRecordKey(key.pk)
  const died = [...stages].flatMap(([stage, entry]) =>
    entry.status === 'dead' ? [{ stage, reason: entry.reason }] : [],
  )
  const about = { flow, key: flowKey, uniqueRequestId, epoch, as, died }
  return by === undefined ? about : { ...about, by }
}

function rowOf(
  queue: string,
  report: EndReport,
  { key: { pk } }: StageRecord,
  { as, stages, now, retention: keepFor }: BadEnd,
): DelayedRow {
  const { flow, key, uniqueRequestId, epoch } = report
  const id = stableId(pk, uniqueRequestId, 'end', String(epoch))
  // The time of the end, so that a copy that is sent when the first one is forgotten is refused as too old.
  const stamp = { uniqueRequestId: id, resendNumber: 0, hops: 0, sentAt: now }
  const message = {
    ...buildMessage(toMessageJson(report), {}, stamp),
    ...flowGroup(queue, undefined, { key, uniqueRequestId: id }),
  }
  const quiet = [...stages.values()].map((entry) => quietFrom(entry, now))
  // @protects what is taken back after a run that was ended early cannot land later
  // @without now @tests test/claim/stage/endReport
  const due = as === 'dead' ? now : Math.max(now, ...quiet)
  const by = `${flow}.${FAILURE_PART}`
  return writeDelayed({
    id,
    queue,
    message,
    due,
    now,
    by,
    uniqueRequestId,
    run: undefined,
    keepFor,
  })
}

/** Names the failure handler in logs, metrics and the table, as its name does a stage. */
export const FAILURE_PART = 'failures'

/**
 * From when on no call of an attempt at the stage can land. The lease of an attempt that failed is no longer on the record, and a call
 * that it has cut off may be on its way for as long as a function can run.
 */
function quietFrom(entry: StageEntry, now: number): number {
  switch (entry.status) {
    case 'settled':
      return now
    case 'open':
    case 'dying':
      return leaseOf(entry)
    case 'retry':
      return (sortableTime(entry.attemptId) ?? now) + MAX_LAMBDA_MS
    case 'dead':
      return now + MAX_LAMBDA_MS
  }
}

/** A live attempt may add a mark between the read and the end, which the report would miss. Marks only grow within a run. */
export function marksAsJudged({ applied }: StageRun): Condition {
  return applied === 0 ? { absent: 'applied' } : { field: 'applied', members: applied }
}
