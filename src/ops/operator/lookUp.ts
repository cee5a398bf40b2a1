import { awaitingKey } from '../../claim/awaiting/awaiting.ts'
import { readToken } from '../../claim/token/token.ts'
import { parkedKey, readParked } from '../../claim/stage/deadRun.ts'
import { readStageRecord, type StageRecord } from '../../claim/stage/stageRecord.ts'
import type { Item, Key, Store } from '../../store/store.ts'
import { type Action, idle, type Plan } from './plan.ts'
import { planComplete, planFail, readWaitingStep } from './planAwaits.ts'
import { planForget, planReset } from './planFlow.ts'
import {
  planRelease,
  planReopen,
  planResolve,
  type Reopening,
  type Resolution,
} from './planTokens.ts'
import { candidates } from './address.ts'
import { readItem, readItems, unreadable } from './readItem.ts'

/** Where to look, and what the clock says (epoch milliseconds). */
export interface Lookup {
  readonly store: Store
  readonly now: number
}

/** @param id `consumer/ID`, or `scope/KEY`. @throws StoreUnavailableError */
export async function resolveToken(
  { store, now }: Lookup,
  id: string,
  resolution: Resolution,
): Promise<Plan> {
  return planToken(store, id, 'tokens resolve', (token) => planResolve(token, resolution, now))
}

export async function releaseToken({ store, now }: Lookup, id: string): Promise<Plan> {
  return planToken(store, id, 'tokens release', (token) => planRelease(token, now))
}

export async function reopenToken(
  { store, now }: Lookup,
  id: string,
  reopening: Reopening = {},
): Promise<Plan> {
  return planToken(store, id, 'tokens reopen', (token) => planReopen(token, reopening, now))
}

async function planToken(
  store: Store,
  id: string,
  action: Action,
  plan: (token: NonNullable<ReturnType<typeof readToken>>) => Plan,
): Promise<Plan> {
  const found = await readItems(store, tokensOf(id))
  const [item, other] = found.filter((each) => each !== undefined)
  if (item === undefined) return missing(action, id, 'there is no token of that id')
  if (other !== undefined) {
    const because = `both a request and a key have that id: name one of them, lock#${id} or key#${id}`
    return idle('impossible', { action, id, standing: [] }, because)
  }
  const token = readToken(item)
  if (token === undefined) throw unreadable(`the token ${id}`)
  return plan(token)
}

/** @param id `flow/KEY` */
export async function resetFlow({ store, now }: Lookup, id: string): Promise<Plan> {
  const found = await readRecord(store, id)
  if (found === undefined) return missing('flow reset', id, 'the flow knows nothing of that key')
  return planReset(found.record, now)
}

/** @param uniqueRequestId of the dead request */
export async function forgetDead(
  { store, now }: Lookup,
  id: string,
  uniqueRequestId: string,
): Promise<Plan> {
  const record = { pk: prefixed('flow', id), sk: 'stage' }
  const item = await readItem(store, parkedKey(record, uniqueRequestId))
  if (item === undefined) return missing('flow forget', id, `no dead request ${uniqueRequestId}`)
  const parked = readParked(item)
  if (parked === undefined) throw unreadable(`the dead request ${uniqueRequestId}`)
  return planForget(record, parked, item, now)
}

/** Which step of which run. */
export interface AwaitedStep {
  /** `flow/KEY`. */
  readonly id: string
  readonly step: string
  /** Default: the request that has the key. */
  readonly uniqueRequestId?: string | undefined
}

/** `receipt`: what the outside system would be told. */
export async function completeStep(
  { store, now }: Lookup,
  awaited: AwaitedStep,
  answer: { readonly payload: unknown; readonly externalId?: string | undefined },
): Promise<ReturnType<typeof planComplete>> {
  const found = await readStep(store, awaited)
  return found === undefined
    ? { ...noStep('awaits complete', awaited), receipt: 'unknown' }
    : planComplete(found, answer.payload, answer.externalId, now)
}

export async function failStep({ store, now }: Lookup, awaited: AwaitedStep): Promise<Plan> {
  const found = await readStep(store, awaited)
  if (found !== undefined) return planFail(found, now)
  const { id, uniqueRequestId } = awaited
  const key = uniqueRequestId === undefined ? await readRecord(store, id) : undefined
  return key !== undefined && key.record.run === undefined
    ? idle('nothing', { action: 'awaits fail', id, standing: [] }, 'its run is over')
    : noStep('awaits fail', awaited)
}

async function readStep(store: Store, { id, step, uniqueRequestId }: AwaitedStep) {
  const found = await readRecord(store, id)
  const whose = uniqueRequestId ?? found?.record.run?.uniqueRequestId
  if (whose === undefined) return undefined
  const item = await readItem(store, awaitingKey(prefixed('flow', id), step, whose))
  if (item === undefined) return undefined
  const waiting = readWaitingStep(item, found?.record)
  if (waiting === undefined) throw unreadable(`the step ${step} of ${id}`)
  return waiting
}

function noStep(action: Action, { id, step }: AwaitedStep): Plan {
  return missing(action, id, `no run of that key waits by a step '${step}'`)
}

async function readRecord(
  store: Store,
  id: string,
): Promise<{ readonly record: StageRecord; readonly item: Item } | undefined> {
  const item = await readItem(store, { pk: prefixed('flow', id), sk: 'stage' })
  if (item === undefined) return undefined
  const record = readStageRecord(item)
  if (record === undefined) throw unreadable(`the record of ${id}`)
  return { record, item }
}

function prefixed(kind: 'flow', id: string): string {
  return id.startsWith(`${kind}#`) ? id : `${kind}#${id}`
}

/** The tokens of records and those of keys share their commands, and not their names. */
function tokensOf(id: string): readonly Key[] {
  return candidates(id).filter(({ sk }) => sk === 'token')
}

function missing(action: Action, id: string, because: string): Plan {
  return idle('missing', { action, id, standing: [] }, because)
}
