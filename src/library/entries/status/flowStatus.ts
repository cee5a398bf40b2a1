import { hasExpired } from '../../base/limits/lifetime.ts'
import { ConfigError } from '../../base/errors.ts'
import { partsOf } from '../../base/handler.ts'
import { deadRunKey, readDeadRun } from '../../protocol/claim/stage/deadRun.ts'
import { endedRequestKey, readEndedRequest } from '../../protocol/claim/stage/endRun.ts'
import {
  isForgotten,
  readStageRecord,
  recordKey,
  type StageRecord,
} from '../../protocol/claim/stage/stageRecord.ts'
import { digestOf, requestIn, versionOf } from '../../protocol/claim/stage/version.ts'
import type { Item, Store, StoreKey } from '../../protocol/store/store.ts'
import type { FlowDefinition } from '../flow/flowDefinition.ts'
import { storedKey } from '../flow/messagePosition.ts'
import { readable, readOne } from './readOne.ts'
import { statusInRecord, statusOfDead, statusOfEnd } from './runStatus.ts'
import type { RequestStatus } from './status.ts'
import { unknownStatus } from './unknownStatus.ts'

interface AskedRun {
  readonly flow: object
  readonly key: string
  readonly id: string
  /** Epoch milliseconds. */
  readonly sentAt: number | undefined
  readonly now: number
}

/** One consistent read of the record, and of items beside it only if the record does not say how the request stands. */
export async function flowStatus(asked: AskedRun): Promise<RequestStatus> {
  const { flow, store } = flowParts(asked.flow)
  const { id, now } = asked
  const at = recordKey(flow.name, storedKey(asked.key))
  const record = await readRecord(store, at, now)
  const known = record && statusInRecord(record, flow.first, { id, steps: stepNames(flow), now })
  if (known !== undefined && known !== 'dead') return known
  const deadItem = await readOne(store, deadRunKey(at, id))
  const isKept = deadItem !== undefined && !hasExpired(deadItem['ttl'], now)
  const isOvertaken = hasNewer(record, flow, id)
  const died = isKept ? deadStatus(deadItem, isOvertaken) : undefined
  if (died !== undefined) return died
  if (known === 'dead') return { state: 'dead', reason: undefined, final: isOvertaken }
  const ended = await endedBeside(store, at, record, asked)
  return ended ?? notKnown(record, flow, asked, deadItem !== undefined)
}

function deadStatus(item: Item, isOvertaken: boolean): RequestStatus | undefined {
  const isListed = item['statusShard'] !== undefined
  return statusOfDead(readable(item, readDeadRun(item)), { isListed, isOvertaken })
}

/** Whether a newer request has started since a run died: no redrive replaces it. */
function hasNewer(
  record: StageRecord | undefined,
  { process }: FlowDefinition,
  id: string,
): boolean {
  const newest = process === 'newest' ? record?.newest : undefined
  // @protects a dead run that a newer request has overtaken is not told as one that can be redriven
  // @without false
  const isNewer = newest !== undefined && requestIn(newest) !== id
  return isNewer
}

async function readRecord(
  store: Store,
  at: StoreKey,
  now: number,
): Promise<StageRecord | undefined> {
  const item = await readOne(store, at)
  if (item === undefined) return undefined
  const record = readable(item, readStageRecord(item))
  return isForgotten(record, now) ? undefined : record
}

/** The record of an `every` flow remembers some ends itself. */
async function endedBeside(
  store: Store,
  at: StoreKey,
  record: StageRecord | undefined,
  { id, now }: AskedRun,
): Promise<RequestStatus | undefined> {
  if (record?.forgotten === undefined) return undefined
  const item = await readOne(store, endedRequestKey(at, digestOf(id)))
  const as = readEndedRequest(item)
  if (as === undefined || hasExpired(item?.['ttl'], now)) return undefined
  const status = statusOfEnd(as)
  return status === 'dead' ? { state: 'dead', reason: undefined, final: false } : status
}

/** @param hasDied it was redriven since, and has ended, or its time is over */
function notKnown(
  record: StageRecord | undefined,
  { process, retention }: FlowDefinition,
  { id, sentAt, now }: AskedRun,
  hasDied: boolean,
): RequestStatus {
  if (hasDied) return { state: 'unknown', possible: ['forgotten'] }
  const newest = process === 'newest' ? record?.newest : undefined
  if (newest === undefined) return unknownStatus({ sentAt, retention, now })
  if (sentAt === undefined) {
    return { state: 'unknown', possible: ['neverSeen', 'forgotten', 'superseded'] }
  }
  // @protects a request that a newer one has overtaken is not told as never seen
  // @without false
  const isOlder = versionOf(sentAt, id) < newest
  return isOlder
    ? { state: 'superseded', because: 'newer' }
    : { state: 'unknown', possible: ['neverSeen'] }
}

function stepNames({ awaitingSteps }: FlowDefinition): ReadonlySet<string> {
  const names = [...awaitingSteps].flatMap(([name, { formerNames = [] }]) => [name, ...formerNames])
  return new Set(names)
}

/** What `defineFlow` has written on the flow. */
interface Parts {
  readonly flow: FlowDefinition
  readonly store: Store
}

function flowParts(flow: object): Parts {
  const parts = partsOf(flow)
  if (typeof parts === 'object' && parts !== null && 'store' in parts) return parts as Parts
  throw new ConfigError('requestStatus: flow: expected what defineFlow has returned')
}
