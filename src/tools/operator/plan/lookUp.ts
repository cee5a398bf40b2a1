import { awaitingKey } from '../../../claim/awaiting/awaiting.ts'
import {
  delayedKey,
  readDelayed,
  closeDelayed,
  type Delayed,
} from '../../../features/delay/delayedRow.ts'
import { readToken } from '../../../claim/token/token.ts'
import { deadRunKey, readDeadRun } from '../../../claim/stage/deadRun.ts'
import { readStageRecord, type StageRecord } from '../../../claim/stage/stageRecord.ts'
import { requestIn } from '../../../claim/stage/version.ts'
import type { Item, StoreKey, Store } from '../../../store/store.ts'
import type { TableReader } from '../../../store/dynamodb/dynamoDbReader.ts'
import { type OperatorAction, noChange, type ChangePlan, type NoChange } from './plan.ts'
import { loadedStep } from './loadedStep.ts'
import { type CompletePlan, planComplete, planFail } from './planAwaits.ts'
import { planReopenStep, type ReopenStepOptions } from './planReopenStep.ts'
import { planForget, planReset, planUndo } from './planFlow.ts'
import { arePayloadsKept, payloadKeys, planUndoDead, planUndoRecord } from './planUndo.ts'
import {
  planRelease,
  planReopen,
  type ReopenOptions,
  planResolve,
  type Resolution,
} from './planToken.ts'
import { keptRecordKey } from '../../../claim/token/deadRecord.ts'
import { itemKey, displayId } from '../../../sweeper/address.ts'
import { namedKeys } from '../item/namedKeys.ts'
import { loadItem, loadItems, unreadableItemError } from '../../../sweeper/due/listDue.ts'
import { delayedState } from '../explain/otherState.ts'
import { describeDelayed } from '../explain/describeFacts.ts'

/** The table, and the time now (epoch milliseconds). */
interface Lookup {
  readonly store: Store
  readonly now: number
}

/** @param id `consumer/ID`, or `scope/KEY`. @throws StoreUnavailableError */
export async function resolveToken(
  { store, now }: Lookup,
  id: string,
  resolution: Resolution,
): Promise<ChangePlan> {
  return planToken(store, id, 'decide done', (token) => planResolve(token, resolution, now))
}

/** @param notDone calls with an unknown outcome that were not made; `section`: what a call of a key does */
export async function releaseToken(
  { store, now }: Lookup,
  id: string,
  notDone: readonly string[] = [],
): Promise<ChangePlan> {
  return planToken(store, id, 'decide free', (token) => planRelease(token, notDone, now))
}

export async function reopenToken(
  { store, now }: Lookup,
  id: string,
  reopening: ReopenOptions = {},
): Promise<ChangePlan> {
  return planToken(store, id, 'decide again', (token) => planReopen(token, reopening, now))
}

/** Has the effects of a dead record undone. @param id `consumer/ID` */
export async function undoToken({ store, now }: Lookup, id: string): Promise<ChangePlan> {
  const [input] = await loadItems(
    store,
    tokenKeys(id).map(({ pk }) => keptRecordKey(pk)),
  )
  return planToken(store, id, 'decide undo', (token) => planUndoRecord(token, input, now))
}

async function planToken(
  store: Store,
  id: string,
  action: OperatorAction,
  plan: (token: NonNullable<ReturnType<typeof readToken>>) => ChangePlan,
): Promise<ChangePlan> {
  const found = await loadItems(store, tokenKeys(id))
  const [item, other] = found.filter((each) => each !== undefined)
  if (item === undefined) return missing(action, id, 'there is no token with that id')
  if (other !== undefined) {
    const because = `both a request and a key have that id: name one of them, lock#${id} or key#${id}`
    return noChange('impossible', { action, id, standing: [] }, because)
  }
  const token = readToken(item)
  if (token === undefined) throw unreadableItemError(`the token ${id}`)
  return plan(token)
}

/** @param id `flow/KEY` @param undo whether the effects of the run are undone */
export async function resetFlow(
  { store, now }: Lookup,
  id: string,
  undo = false,
): Promise<ChangePlan> {
  const found = await loadRecord(store, id)
  if (found === undefined)
    return missing(undo ? 'decide undo' : 'decide free', id, 'the flow has no record of that key')
  return undo ? planUndo(found.record, now) : planReset(found.record, now)
}

/** @param uniqueRequestId of the dead request */
export async function forgetDead(
  { store, now }: Lookup,
  id: string,
  uniqueRequestId: string,
): Promise<ChangePlan> {
  const record = { pk: prefixed('flow', id), sk: 'stage' }
  const item = await loadItem(store, deadRunKey(record, uniqueRequestId))
  if (item === undefined) return missing('decide drop', id, `no dead request ${uniqueRequestId}`)
  const parked = readDeadRun(item)
  if (parked === undefined) throw unreadableItemError(`the dead request ${uniqueRequestId}`)
  return planForget(record, parked, item, now)
}

/** @param uniqueRequestId of the dead request whose effects are to be undone */
export async function undoDead(
  { store, now }: Lookup,
  id: string,
  uniqueRequestId: string,
): Promise<ChangePlan> {
  const key = { pk: prefixed('flow', id), sk: 'stage' }
  const item = await loadItem(store, deadRunKey(key, uniqueRequestId))
  if (item === undefined) return missing('decide undo', id, `no dead request ${uniqueRequestId}`)
  const inputs = payloadKeys(item)
  // The record is read after the dead request: it shows whether a redrive that has begun is running.
  const [found, ...payloads] = await loadItems(store, [key, ...inputs])
  const record = found && readStageRecord(found)
  if (found !== undefined && record === undefined) throw unreadableItemError(`the record of ${id}`)
  const isKept = arePayloadsKept(item, payloads, now)
  return planUndoDead({ item, record, isKept, id, now })
}

/** @param id `later/ID`, as `ls` shows it; or what `ctx.sendTo` has returned */
export async function voidDelayed({ store, now }: Lookup, id: string): Promise<ChangePlan> {
  const key = delayedKey(id.replace(/^later[/#]/, ''))
  const item = await loadItem(store, key)
  if (item === undefined)
    return missing('decide drop', id, 'there is no delayed message with that id')
  const row = readDelayed(item)
  if (row === undefined) throw unreadableItemError(`the delayed message ${id}`)
  return planVoid(row, now)
}

/** Selects a step of a run. */
interface StepSelector {
  /** `flow/KEY`. */
  readonly id: string
  readonly step: string
  /** Default: the request that has the key, or had it last. */
  readonly uniqueRequestId?: string | undefined
}

/** `receipt`: the receipt that the outside system would get. */
export async function completeStep(
  { store, now }: Lookup,
  awaited: StepSelector,
  answer: { readonly payload: unknown; readonly externalId?: string | undefined },
): Promise<CompletePlan> {
  const found = await loadStep(store, awaited)
  return found === undefined
    ? { ...noStep('decide answer', awaited), receipt: 'unknown' }
    : planComplete(found, answer.payload, answer.externalId, now)
}

export async function failStep({ store, now }: Lookup, awaited: StepSelector): Promise<ChangePlan> {
  const found = await loadStep(store, awaited)
  return found === undefined ? noStep('decide timeout', awaited) : planFail(found, now)
}

/** @param reader shows what the handler of the step has stored */
export async function reopenStep(
  { store, now, reader }: Lookup & { readonly reader: TableReader },
  awaited: StepSelector,
  options: Omit<ReopenStepOptions, 'sortKeys'>,
): Promise<ChangePlan> {
  const found = await loadStep(store, awaited)
  if (found === undefined) return noStep('decide again', awaited)
  const items = await reader.partition(prefixed('flow', awaited.id))
  return planReopenStep(found, { ...options, sortKeys: items.map((item) => itemKey(item).sk) }, now)
}

async function loadStep(store: Store, { id, step, uniqueRequestId }: StepSelector) {
  const found = await loadRecord(store, id)
  const whose = uniqueRequestId ?? (found && lastRequestOf(found.record))
  if (whose === undefined) return undefined
  const item = await loadItem(store, awaitingKey(prefixed('flow', id), step, whose))
  if (item === undefined) return undefined
  const deadRun = await loadDeadRun(store, id, whose)
  const waiting = loadedStep(item, found?.record, deadRun)
  if (waiting === undefined) throw unreadableItemError(`the step ${step} of ${id}`)
  return waiting
}

/** The request that has the key, or has started last: its run may be dead, and its step reopened. */
function lastRequestOf({ run, newest }: StageRecord): string | undefined {
  return run?.uniqueRequestId ?? (newest === undefined ? undefined : requestIn(newest))
}

async function loadDeadRun(store: Store, id: string, request: string) {
  const key = { pk: prefixed('flow', id), sk: 'stage' }
  const item = await loadItem(store, deadRunKey(key, request))
  return item && readDeadRun(item)
}

function noStep(action: OperatorAction, { id, step }: StepSelector): NoChange {
  return missing(action, id, `no run of that key waits in a step '${step}'`)
}

async function loadRecord(
  store: Store,
  id: string,
): Promise<{ readonly record: StageRecord; readonly item: Item } | undefined> {
  const item = await loadItem(store, { pk: prefixed('flow', id), sk: 'stage' })
  if (item === undefined) return undefined
  const record = readStageRecord(item)
  if (record === undefined) throw unreadableItemError(`the record of ${id}`)
  return { record, item }
}

function prefixed(kind: 'flow', id: string): string {
  return id.startsWith(`${kind}#`) ? id : `${kind}#${id}`
}

/** Requests and keys share the token commands, but have different prefixes. */
function tokenKeys(id: string): readonly StoreKey[] {
  return namedKeys(id).filter(({ sk }) => sk === 'token')
}

function missing(action: OperatorAction, id: string, because: string): NoChange {
  return noChange('missing', { action, id, standing: [] }, because)
}

/** The message is never sent. A sweeper that has judged it before may still send it. */
function planVoid(row: Delayed, now: number): ChangePlan {
  const about = {
    action: 'decide drop',
    id: displayId(row.key.pk),
    standing: describeDelayed(delayedState(row, now), now),
  } as const
  if (row.status === 'void') return noChange('nothing', about, 'it is void already')
  if (row.status === 'sent') return noChange('impossible', about, 'it was sent')
  return {
    kind: 'change',
    ...about,
    changes: ['is never sent, also if its handler runs again', ...effectOnRun(row)],
    liveLease: undefined,
    effect: { kind: 'update', update: closeDelayed(row, 'void', now) },
  }
}

function effectOnRun({ recordPk }: Delayed): readonly string[] {
  if (recordPk === undefined) return ['if it is a retry, its request does not run again by itself']
  const flow = displayId(recordPk)
  return [
    `if it continues the run of ${flow}, that ends at its time limit as dead, or by lineclear decide ${flow} free`,
  ]
}
