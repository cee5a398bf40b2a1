import type { Item, StoreKey } from '../../store/store.ts'
import type { Order } from './delivery.ts'
import { payloadOf, readReceipt, receiptKey } from './endRun.ts'
import { type Parked, parkedKey, readParked } from './deadRun.ts'
import type { Ended, StageRecord } from './stageRecord.ts'
import type { Over } from './verdict.ts'
import { digestOf, requestIn } from './version.ts'

/** What other items say of a request, read after the record had `epoch` (0: there was none). */
export interface Known {
  readonly epoch: number
  readonly parked: Parked | undefined
  /** How it ended, if it left the record since. */
  readonly end: Ended | undefined
  /** Its fingerprint, if it left the record since. */
  readonly payload?: string | undefined
}

export function knownKeys(
  record: StoreKey,
  uniqueRequestId: string,
): readonly [StoreKey, StoreKey] {
  return [parkedKey(record, uniqueRequestId), receiptKey(record, digestOf(uniqueRequestId))]
}

/** Of the items under `knownKeys`, in that order. @returns undefined when the parked item cannot be read. */
export function readKnown(
  epoch: number,
  [parkedItem, receipt]: readonly (Item | undefined)[],
): Known | undefined {
  const parked = parkedItem === undefined ? undefined : readParked(parkedItem)
  if (parkedItem !== undefined && parked === undefined) return undefined
  const payload = typeof receipt?.['payload'] === 'string' ? receipt['payload'] : undefined
  return { epoch, parked, end: readReceipt(receipt), payload }
}

/** Good for the record as it is now only: at another epoch more may have been remembered elsewhere. */
export function knownOf(
  record: StageRecord | undefined,
  known: Known | undefined,
): Known | undefined {
  return known?.epoch === (record?.epoch ?? 0) ? known : undefined
}

/**
 * How the request ended last, as far as the record or `known` remember. In a `newest` flow that is the last request alone:
 * it is asked for one that no newer has followed.
 */
export function endOf(
  record: StageRecord,
  request: { readonly uniqueRequestId: string; readonly order: Order },
  known: Known | undefined,
): Ended | undefined {
  const digest = digestOf(request.uniqueRequestId)
  const { last, ended } = record
  if (last?.digest === digest) return last.as
  return request.order === 'newest'
    ? undefined
    : (ended.findLast((end) => end.digest === digest)?.as ?? known?.end)
}

const OVER = { completed: 'duplicate', reset: 'reset', dead: 'dead' } as const

/** What is said of a message whose request has ended so. */
export function overOf(end: Ended): Over {
  return OVER[end]
}

/** The fingerprint of the payload that came under this id before, as far as the record or `known` remember. */
export function payloadBefore(
  record: StageRecord | undefined,
  request: { readonly uniqueRequestId: string; readonly order: Order },
  known: Known | undefined,
): string | undefined {
  const elsewhere = known?.parked?.payload ?? known?.payload
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
