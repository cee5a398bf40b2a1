import { sortableTime, stableId } from '../../../base/ids.ts'
import { buildMessage } from '../../record/envelope/buildMessage.ts'
import { toMessageJson } from '../../record/envelope/json.ts'
import { flowGroup } from '../../send/messageGroup.ts'
import type { Condition, Creation, StoreKey } from '../../store/store.ts'
import { type DelayedRow, writeDelayed } from '../delayed/delayedRow.ts'
import { MAX_LAMBDA_MS } from '../lease.ts'
import type { DeadRun } from './deadRun.ts'
import { leaseOf, type StageDeathReason, type StageEntry } from './stageEntry.ts'
import { readRecordKey, type StageRecord, type StageRun } from './stageRecord.ts'

/** How a run has ended that did not complete: the body of the message that `flow.failureHandler` gets. */
export interface EndReport {
  readonly flow: string
  readonly key: string
  readonly uniqueRequestId: string
  /** With the request it identifies the end: a request that is redriven and dies again ends in another epoch. */
  readonly epoch: number
  readonly as: 'dead' | 'superseded' | 'reset' | 'dropped'
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
  const { as, by, stages, now } = end
  const about = aboutRun(record.key, { ...run, epoch: record.epoch, stages }, as)
  const quiet = [...stages.values()].map((entry) => quietFrom(entry, now))
  // @protects what is taken back after a run that was ended early cannot land later
  // @without now @tests test/claim/stage/endReport
  const due = as === 'dead' ? now : Math.max(now, ...quiet)
  const report = by === undefined ? about : { ...about, by }
  return messageAbout(record.failures, record.key, report, { ...end, due, marks: run.marks })
}

/** The same when an operator drops a dead run. */
export function reportDrop(
  key: StoreKey,
  deadRun: DeadRun,
  end: Pick<Ended, 'now' | 'retention' | 'due'>,
): Creation | undefined {
  const report = aboutRun(key, deadRun, 'dropped')
  return messageAbout(deadRun.failures, key, report, { ...end, marks: deadRun.marks })
}

interface Ended extends Pick<BadEnd, 'now' | 'retention'>, Pick<StageRun, 'marks'> {
  /** When the message is sent, epoch milliseconds. */
  readonly due: number
}

function aboutRun(
  { pk }: StoreKey,
  { uniqueRequestId, epoch, stages }: Pick<DeadRun, 'uniqueRequestId' | 'epoch' | 'stages'>,
  as: EndReport['as'],
): EndReport {
  const { flow, flowKey: key } = readRecordKey(pk)
  const died = [...stages].flatMap(([stage, entry]) =>
    entry.status === 'dead' ? [{ stage, reason: entry.reason }] : [],
  )
  return { flow, key, uniqueRequestId, epoch, as, died }
}

function messageAbout(
  queue: string | undefined,
  key: StoreKey,
  about: EndReport,
  { marks, ...end }: Ended,
): Creation | undefined {
  if (queue === undefined) return undefined
  const whole = rowOf(queue, key, { ...about, marks: [...marks] }, end)
  const { message } = whole
  // @protects a run that has made very much can still end
  // @without true @tests test/claim/stage/endReport
  const fits = typeof message === 'string' && Buffer.byteLength(message) <= MOST_BYTES
  return { create: fits ? whole : rowOf(queue, key, about, end) }
}

function rowOf(
  queue: string,
  { pk }: StoreKey,
  report: EndReport,
  { now, retention: keepFor, due }: Omit<Ended, 'marks'>,
): DelayedRow {
  const { flow, key, uniqueRequestId, epoch, as } = report
  // A run is dropped after it has died, in the same epoch.
  const kind = as === 'dropped' ? as : 'end'
  const id = stableId(pk, uniqueRequestId, kind, String(epoch))
  // The time of the end, so that a copy that is sent when the first one is forgotten is refused as too old.
  const stamp = { uniqueRequestId: id, resendNumber: 0, hops: 0, sentAt: now }
  const message = {
    ...buildMessage(toMessageJson(report), {}, stamp),
    ...flowGroup(queue, undefined, { key, uniqueRequestId: id }),
  }
  const by = `${flow}.${FAILURE_PART}`
  const run = undefined
  return writeDelayed({ id, queue, message, due, now, by, uniqueRequestId, run, keepFor })
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
