import { redrivenWithin, ttlAt } from '../../../base/limits/lifetime.ts'
import type { Condition, Creation, Item, StoreKey, Update } from '../../store/store.ts'
import { asPiece, digestOf } from './version.ts'
import { closeDeadRun, saveDeadRun } from './deadRun.ts'
import type { Upsert } from '../itemStore.ts'
import { marksAsJudged, reportEnd } from './endReport.ts'
import type { StageEntry } from './stageEntry.ts'
import {
  type RequestEnd,
  ENDED,
  type EndKind,
  type StageRun,
  sameFence,
  sameRun,
  stageAttributes,
  type StageRecord,
  writeEnds,
} from './stageRecord.ts'
import { INDEX_ATTRIBUTES } from '../statusIndex.ts'

export interface EndOptions {
  readonly now: number
  /** How long late duplicates are recognised, milliseconds. */
  readonly retention: number
  /** Text for the operator, stored with a dead request. */
  readonly error?: string
  /** Frames and causes of the error, if it was thrown. */
  readonly stack?: string
}

/**
 * The end of a run as single writes: first `remember`, `deadRun` and `close`, in any order, then `finish`. Only `finish` ends the run: if
 * the process dies before it, everything is written again, with the same or newer values.
 */
export interface RunEnding {
  readonly as: EndKind
  readonly remember: readonly Upsert[]
  readonly deadRun: Upsert | undefined
  readonly finish: Update
  /** For the failure handler, in one transaction with `finish`. */
  readonly report?: Creation | undefined
  /**
   * A run that was reopened ends: what is kept of its death is closed. Else its delayed messages would wait for a redrive.
   */
  readonly close?: Update | undefined
}

/** How many ended requests the record of an `every` flow remembers itself, 16 bytes each. */
export const REMEMBERED_ENDS = 8

/**
 * @param stages the stages as they are at the end
 * @param own further conditions, such as the claim of the attempt that ends the run
 */
export function endRun(
  record: StageRecord,
  run: StageRun,
  end: { readonly as: EndKind; readonly stages: ReadonlyMap<string, StageEntry> },
  closing: EndOptions,
  own: readonly Condition[] = [],
): RunEnding {
  const { now, retention } = closing
  const { process } = record
  const ttl = ttlAt(now + retention)
  const last: RequestEnd = { digest: digestOf(run.uniqueRequestId), as: end.as }
  const spills = process === 'every' && record.ended.length >= REMEMBERED_ENDS
  const dies = end.as === 'dead'
  const closes = run.reopened && !dies
  const report = reportOf(record, run, end, closing)
  return {
    as: end.as,
    // @protects ended requests are remembered when they leave the record
    // @without its else
    remember: spills ? record.ended.map((one) => endedRequest(record, one, closing)) : [],
    deadRun: dies ? saveDeadRun(record, run, end.stages, closing) : undefined,
    ...(closes ? { close: closeDeadRun(record, run, ttl) } : {}),
    finish: {
      key: record.key,
      // @protects a reset ends the run that was judged
      // @without [...own]
      where: [
        ...sameRun(record, run),
        sameFence(record),
        ...own,
        // @protects the report of a run lists all that it has made
        // @without [] @tests test/claim/stage/endReport
        ...(report === undefined ? [] : [marksAsJudged(run)]),
      ],
      set: {
        epoch: record.epoch + 1,
        last: writeEnds([last]),
        ttl,
        ...(process === 'every' ? remembered(record, last, spills) : {}),
      },
      remove: [...RUN_ATTRIBUTES, ...stageAttributes(run)],
      needsNoItem: true,
    },
    report,
  }
}

function reportOf(
  record: StageRecord,
  run: StageRun,
  { as, stages }: { readonly as: EndKind; readonly stages: ReadonlyMap<string, StageEntry> },
  { now, retention }: EndOptions,
): Creation | undefined {
  if (as === 'completed') return undefined
  return reportEnd(record, run, { as, stages, now, retention })
}

/** Attributes that belong to one run. The names of its effects and calls stay for operators until the next run starts. */
const RUN_ATTRIBUTES = ['uniquerequestid', 'giveUpAt', 'reopened', ...INDEX_ATTRIBUTES] as const

/**
 * The request that ends now always stays on the record, and only older ones move to items of their own. So if the reset is
 * refused, no such item says that the request has ended.
 */
function remembered(
  record: StageRecord,
  last: RequestEnd,
  spills: boolean,
): Record<string, string> {
  const own = asPiece(record.payload)
  if (!spills) {
    const before = record.payloads ?? record.ended.map(() => asPiece(undefined))
    const payloads = [...before, own].join('')
    return { ended: writeEnds([...record.ended, last]), payloads }
  }
  const { newest } = record
  const forgotten = newest === undefined ? {} : { forgotten: newest }
  return { ended: writeEnds([last]), payloads: own, ...forgotten }
}

/** Key of the item that records an ended request of an `every` flow, once the record has no room for it. */
export function endedRequestKey(record: StoreKey, digest: string): StoreKey {
  return { pk: record.pk, sk: `done#${digest}` }
}

/** Records an ended request. A dead request may end again after a redrive; any other end is final until it has expired. */
function endedRequest(
  record: StageRecord,
  end: RequestEnd,
  { now, retention }: EndOptions,
): Upsert {
  // @protects the death of a request is remembered for as long as its dead letter can be redriven
  // @without retention @tests test/claim/stage
  const keepFor = end.as === 'dead' ? redrivenWithin(retention) : retention
  const ttl = ttlAt(now + keepFor)
  const key = endedRequestKey(record.key, end.digest)
  const mayChange: Condition = {
    any: [
      { field: 'as', is: '=', value: 'dead' },
      { field: 'ttl', is: '<=', value: Math.floor(now / 1_000) },
    ],
  }
  const payload = payloadOf(record, end)
  const content = { as: end.as, ttl, ...(payload === undefined ? {} : { payload }) }
  return {
    create: { ...key, ...content },
    update: {
      key,
      where: [
        // @protects the end of a request is final, unless it is dead
        mayChange,
      ],
      set: content,
    },
  }
}

/** The fingerprint stored with an end. */
export function payloadOf({ ended, payloads }: StageRecord, end: RequestEnd): string | undefined {
  return payloads?.[ended.indexOf(end)]
}

export function readEndedRequest(item: Item | undefined): EndKind | undefined {
  return ENDED.find((one) => one === item?.['as'])
}
