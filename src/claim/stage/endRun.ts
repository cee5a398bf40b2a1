import type { Condition, Item, StoreKey, Update } from '../../store/store.ts'
import { asPiece } from './fingerprint.ts'
import { forgetDeadRun, saveDeadRun } from './deadRun.ts'
import type { Upsert } from '../itemStore.ts'
import type { StageEntry } from './stageEntry.ts'
import {
  type RequestEnd,
  ENDED,
  type EndKind,
  type StageRun,
  sameFence,
  sameRun,
  STAGE,
  type StageRecord,
  writeEnds,
} from './stageRecord.ts'
import { INDEX_ATTRIBUTES } from '../statusIndex.ts'
import { digestOf } from './version.ts'

export interface EndOptions {
  readonly now: number
  /** How long late duplicates are recognised, milliseconds. */
  readonly retention: number
  /** Text for the operator, kept with a dead request. */
  readonly error?: string
}

/**
 * The end of a run, as single writes in this order: `remember` (each), `park`, then `reset`, which alone ends the run: lost
 * before it, all is written again, the same or newer. `tidy` comes last and may be lost.
 */
export interface RunEnding {
  readonly as: EndKind
  readonly remember: readonly Upsert[]
  readonly deadRun: Upsert | undefined
  readonly reset: Update
  readonly tidy: Update | undefined
}

/** Ended requests of an `every` flow that the record itself remembers: 16 bytes each. */
export const REMEMBERED_ENDS = 8

/** @param stages as they are at the end; @param own what else must still hold, such as the claim of the one who ends it. */
export function endRun(
  record: StageRecord,
  run: StageRun,
  end: { readonly as: EndKind; readonly stages: ReadonlyMap<string, StageEntry> },
  closing: EndOptions,
  own: readonly Condition[] = [],
): RunEnding {
  const { now, retention, error } = closing
  const { order } = record
  const ttl = Math.ceil((now + retention) / 1_000)
  const last: RequestEnd = { digest: digestOf(run.uniqueRequestId), as: end.as }
  const spills = order === 'every' && record.ended.length >= REMEMBERED_ENDS
  const dies = end.as === 'dead'
  return {
    as: end.as,
    remember: spills ? record.ended.map((one) => endedRequest(record, one, ttl)) : [],
    deadRun: dies ? saveDeadRun(record, run, end.stages, { now, error }) : undefined,
    tidy: run.reopened && !dies ? forgetDeadRun(record, run, ttl) : undefined,
    reset: {
      key: record.key,
      where: [...sameRun(record, run), sameFence(record), ...own],
      set: {
        epoch: record.epoch + 1,
        last: writeEnds([last]),
        ttl,
        ...(order === 'every' ? remembered(record, last, spills) : {}),
      },
      remove: [...RUN_ATTRIBUTES, ...stageAttributes(run)],
    },
  }
}

/** Effects are one set: removed by its name, it goes even with members that were added since the look. */
const RUN_ATTRIBUTES = [
  'uniquerequestid',
  'giveUpAt',
  'applied',
  'restored',
  'reopened',
  ...INDEX_ATTRIBUTES,
] as const

/** All of them: a stage that came in since would have raised the fence. */
export function stageAttributes(run: StageRun): string[] {
  return [...run.stages.keys()].map((name) => STAGE + name)
}

/** The one that ends now stays on the record, whatever leaves it: a reset that is refused must not have remembered it. */
function remembered(
  record: StageRecord,
  last: RequestEnd,
  spills: boolean,
): Record<string, string> {
  const own = asPiece(record.payload)
  if (!spills) {
    const payloads = [...(record.payloads ?? []), own].join('')
    return { ended: writeEnds([...record.ended, last]), payloads }
  }
  const { newest } = record
  const forgotten = newest === undefined ? {} : { forgotten: newest }
  return { ended: writeEnds([last]), payloads: own, ...forgotten }
}

/** Says that a request of an `every` flow has ended, once the record has no room for it. */
export function endedRequestKey(record: StoreKey, digest: string): StoreKey {
  return { pk: record.pk, sk: `done#${digest}` }
}

/** A dead request may end again after a redrive; any other end is final. */
function endedRequest(record: StageRecord, end: RequestEnd, ttl: number): Upsert {
  const key = endedRequestKey(record.key, end.digest)
  const dead = { field: 'as', is: '=', value: 'dead' } as const
  const payload = payloadOf(record, end)
  const content = { as: end.as, ttl, ...(payload === undefined ? {} : { payload }) }
  return { create: { ...key, ...content }, update: { key, where: [dead], set: content } }
}

/** Those that ended under a version which kept none are the first of the list. */
export function payloadOf(
  { ended, payloads = [] }: StageRecord,
  end: RequestEnd,
): string | undefined {
  return payloads[ended.indexOf(end) - (ended.length - payloads.length)]
}

export function readEndedRequest(item: Item | undefined): EndKind | undefined {
  return ENDED.find((one) => one === item?.['as'])
}
