import { hasExpired } from '../../../base/limits/lifetime.ts'
import type { Item, StoreKey } from '../../store/store.ts'
import { payloadOf, readEndedRequest, endedRequestKey } from './endRun.ts'
import { type DeadRun, deadRunKey, readDeadRun } from './deadRun.ts'
import type { EndKind, Process, StageRecord } from './stageRecord.ts'
import type { EndReason } from '../settlement.ts'
import { digestOf, requestIn } from './version.ts'

/** What other items show about a request. They were read after the record had `epoch` (0: there was no record). */
export interface RequestHistory {
  readonly epoch: number
  readonly deadRun: DeadRun | undefined
  /** How it ended, if its end is no longer on the record. */
  readonly end: EndKind | undefined
  /** Its fingerprint, if that is no longer on the record. */
  readonly payload?: string | undefined
}

export function historyKeys(
  record: StoreKey,
  uniqueRequestId: string,
): readonly [StoreKey, StoreKey] {
  return [deadRunKey(record, uniqueRequestId), endedRequestKey(record, digestOf(uniqueRequestId))]
}

/** Reads the items under `historyKeys`, in that order. */
export function readHistory(
  epoch: number,
  items: readonly (Item | undefined)[],
  now: number,
): RequestHistory | undefined {
  const [deadRunItem, ended] = items.map((item) =>
    hasExpired(item?.['ttl'], now) ? undefined : item,
  )
  const deadRun = deadRunItem === undefined ? undefined : readDeadRun(deadRunItem)
  if (deadRunItem !== undefined && deadRun === undefined) return undefined
  const payload = typeof ended?.['payload'] === 'string' ? ended['payload'] : undefined
  return { epoch, deadRun, end: readEndedRequest(ended), payload }
}

/** The history, if it was read at the record's present epoch. At a later epoch more may have been stored in other items. */
export function currentHistory(
  record: StageRecord | undefined,
  known: RequestHistory | undefined,
): RequestHistory | undefined {
  // @protects a history that was read before the last start decides nothing
  // @without its then
  return known?.epoch === (record?.epoch ?? 0) ? known : undefined
}

/**
 * How the request last ended, as far as the record or `known` show it. The record of a `newest` flow shows only its last request,
 * so this is called only for requests that no newer one has followed.
 */
export function endOf(
  record: StageRecord,
  request: { readonly uniqueRequestId: string; readonly process: Process },
  known: RequestHistory | undefined,
): EndKind | undefined {
  const digest = digestOf(request.uniqueRequestId)
  const { last, ended } = record
  if (last?.digest === digest) return last.as
  return request.process === 'newest'
    ? undefined
    : (ended.findLast((end) => end.digest === digest)?.as ?? known?.end)
}

/** As endOf. A record that has expired remembers no end: what is kept of a dead run then says that it died, or was dropped. */
export function endInHistory(
  record: StageRecord | undefined,
  request: { readonly uniqueRequestId: string; readonly process: Process },
  known: RequestHistory | undefined,
): EndKind | undefined {
  const end = record === undefined ? 'dead' : endOf(record, request, known)
  // @protects a dead request that an operator has dropped is not reopened by its dead letter
  // @without false @tests test/claim/stage/dropRun
  const isDropped = end === 'dead' && known?.deadRun?.dropped === 'done'
  return isDropped ? 'reset' : end
}

const END_REASONS = {
  completed: 'duplicate',
  reset: 'reset',
  dead: 'alreadyDeadLettered',
} as const

/** The reason to acknowledge a message whose request has ended this way. */
export function endReasonOf(end: EndKind): EndReason {
  return END_REASONS[end]
}

/** The fingerprint of the payload that arrived under this id before, as far as the record or `known` show it. */
export function payloadBefore(
  record: StageRecord | undefined,
  request: { readonly uniqueRequestId: string; readonly process: Process },
  known: RequestHistory | undefined,
): string | undefined {
  const elsewhere = known?.deadRun?.payload ?? known?.payload
  if (record === undefined) return elsewhere
  const { uniqueRequestId: id, process } = request
  const { run, newest, last, ended } = record
  const digest = digestOf(id)
  if (run?.uniqueRequestId === id) return record.payload
  const startedLast =
    process === 'newest'
      ? newest !== undefined && requestIn(newest) === id
      : last?.digest === digest
  if (run === undefined && startedLast) return record.payload ?? elsewhere
  const end = ended.findLast((one) => one.digest === digest)
  return end === undefined ? elsewhere : payloadOf(record, end)
}
