import type { Item, StoreKey } from '../../store/store.ts'
import { payloadOf, readEndedRequest, endedRequestKey } from './endRun.ts'
import { type DeadRun, deadRunKey, readDeadRun } from './deadRun.ts'
import type { EndKind, Order, StageRecord } from './stageRecord.ts'
import type { EndReason } from '../settlement.ts'
import { digestOf, requestIn } from './version.ts'

/** What other items say of a request, read after the record had `epoch` (0: there was none). */
export interface RequestHistory {
  readonly epoch: number
  readonly deadRun: DeadRun | undefined
  /** How it ended, if it left the record since. */
  readonly end: EndKind | undefined
  /** Its fingerprint, if it left the record since. */
  readonly payload?: string | undefined
}

export function historyKeys(
  record: StoreKey,
  uniqueRequestId: string,
): readonly [StoreKey, StoreKey] {
  return [deadRunKey(record, uniqueRequestId), endedRequestKey(record, digestOf(uniqueRequestId))]
}

/** Reads the items under `historyKeys`, in that order. @returns undefined when the dead run cannot be read. */
export function readHistory(
  epoch: number,
  [deadRunItem, ended]: readonly (Item | undefined)[],
): RequestHistory | undefined {
  const deadRun = deadRunItem === undefined ? undefined : readDeadRun(deadRunItem)
  if (deadRunItem !== undefined && deadRun === undefined) return undefined
  const payload = typeof ended?.['payload'] === 'string' ? ended['payload'] : undefined
  return { epoch, deadRun, end: readEndedRequest(ended), payload }
}

/** Good for the record as it is now only: at another epoch more may have been remembered elsewhere. */
export function currentHistory(
  record: StageRecord | undefined,
  known: RequestHistory | undefined,
): RequestHistory | undefined {
  return known?.epoch === (record?.epoch ?? 0) ? known : undefined
}

/**
 * How the request ended last, as far as the record or `known` remember. In a `newest` flow that is the last request alone:
 * it is asked for one that no newer has followed.
 */
export function endOf(
  record: StageRecord,
  request: { readonly uniqueRequestId: string; readonly order: Order },
  known: RequestHistory | undefined,
): EndKind | undefined {
  const digest = digestOf(request.uniqueRequestId)
  const { last, ended } = record
  if (last?.digest === digest) return last.as
  return request.order === 'newest'
    ? undefined
    : (ended.findLast((end) => end.digest === digest)?.as ?? known?.end)
}

const END_REASONS = {
  completed: 'duplicate',
  reset: 'reset',
  dead: 'alreadyDeadLettered',
} as const

/** Why a message has nothing left to do when its request has ended so. */
export function endReasonOf(end: EndKind): EndReason {
  return END_REASONS[end]
}

/** The fingerprint of the payload that came under this id before, as far as the record or `known` remember. */
export function payloadBefore(
  record: StageRecord | undefined,
  request: { readonly uniqueRequestId: string; readonly order: Order },
  known: RequestHistory | undefined,
): string | undefined {
  const elsewhere = known?.deadRun?.payload ?? known?.payload
  if (record === undefined) return elsewhere
  const { uniqueRequestId: id, order } = request
  const { run, newest, last, ended } = record
  const digest = digestOf(id)
  if (run?.uniqueRequestId === id) return record.payload
  const startedLast =
    order === 'newest' ? newest !== undefined && requestIn(newest) === id : last?.digest === digest
  if (run === undefined && startedLast) return record.payload
  const end = ended.findLast((one) => one.digest === digest)
  return end === undefined ? elsewhere : payloadOf(record, end)
}
