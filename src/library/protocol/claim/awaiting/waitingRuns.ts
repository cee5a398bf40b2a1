// @acts

import { awaitingKey, type Awaiting, readAwaiting, stepIdOf, storedTenant } from './awaiting.ts'
import { RetryableError } from '../../../base/errors.ts'
import { readStageRecord, recordKey } from '../stage/stageRecord.ts'
import { isTraceparent } from '../../record/envelope/lineclearAttributes.ts'
import {
  type Item,
  type Comparable,
  type StoreKey,
  type Update,
  hasNoAnswer,
} from '../../store/store.ts'
import type { ItemStore } from '../itemStore.ts'
import { ttlAt } from '../../../base/limits/lifetime.ts'
import { stableId } from '../../../base/ids.ts'

/** The part of a flow's definition that is about names. */
interface FlowNames {
  readonly name: string
  readonly awaitingSteps: ReadonlyMap<string, { readonly formerNames?: readonly string[] }>
}

/** One run that waits for an external id, with its step. */
export interface WaitingRun {
  readonly name: string
  readonly key: string
  readonly uniqueRequestId: string
  readonly stepId: string
  readonly awaiting: Awaiting
  /** Version of the run's request, epoch milliseconds. */
  readonly sentAt: number
  /** The stage that waits. */
  readonly from: string
  /** When the step was saved, epoch milliseconds: its run had begun. NaN: not known. */
  readonly begunAt: number
  /** W3C trace context of that stage. undefined: it was not traced. */
  readonly asked: string | undefined
  /** The run's message group (tenant) on a fair queue. */
  readonly tenant: string | undefined
}

/** Finds all runs that wait for the id, by consistent reads of primary keys. */
export async function findWaitingRuns(
  flow: FlowNames,
  name: string,
  externalId: string,
  store: ItemStore,
): Promise<readonly WaitingRun[]> {
  const names = namesOf(flow, name)
  const found = await Promise.all(names.map((each) => findNamed(flow, each, externalId, store)))
  return found.flat()
}

/** All names of a step: a run that began under an earlier definition waits under the name that the step had then. */
function namesOf(flow: FlowNames, name: string): readonly string[] {
  return [name, ...(flow.awaitingSteps.get(name)?.formerNames ?? [])]
}

async function findNamed(
  flow: FlowNames,
  name: string,
  externalId: string,
  store: ItemStore,
): Promise<readonly WaitingRun[]> {
  const waiters = readWaiters(await readItem(store, waitersKey(flow.name, name, externalId)))
  const prefix = recordKey(flow.name, '').pk
  const found = waiters
    .filter(({ recordPk }) => recordPk.startsWith(prefix))
    .map(({ recordPk, uniqueRequestId }) =>
      readWaitingRun(
        flow,
        name,
        { key: recordPk.slice(prefix.length), uniqueRequestId },
        externalId,
        store,
      ),
    )
  return (await Promise.all(found)).filter((each) => each !== undefined)
}

/** Finds the step of the run that a message names, under any name that the step has or had. */
export async function findWaitingRun(
  flow: FlowNames,
  name: string,
  run: { readonly key: string; readonly uniqueRequestId: string },
  externalId: string | undefined,
  store: ItemStore,
): Promise<WaitingRun | undefined> {
  for (const each of namesOf(flow, name)) {
    const waiting = await readWaitingRun(flow, each, run, externalId, store)
    if (waiting !== undefined) return waiting
  }
  return undefined
}

/** Reads the step of one run. @param externalId undefined when the message is not an answer */
export async function readWaitingRun(
  flow: FlowNames,
  name: string,
  { key, uniqueRequestId }: { readonly key: string; readonly uniqueRequestId: string },
  externalId: string | undefined,
  store: ItemStore,
): Promise<WaitingRun | undefined> {
  const item = await readItem(
    store,
    awaitingKey(recordKey(flow.name, key).pk, name, uniqueRequestId),
  )
  if (item === undefined) return undefined
  const stepId = externalId === undefined ? '' : stepIdOf(name, externalId, uniqueRequestId)
  return asWaitingRun(item, { name, key, uniqueRequestId, stepId })
}

/** @throws RetryableError when a newer version has written the step: the message then waits for a consumer of that version */
export function asWaitingRun(
  item: Item,
  whose: Pick<WaitingRun, 'name' | 'key' | 'uniqueRequestId' | 'stepId'>,
): WaitingRun {
  const awaiting = readAwaiting(item)
  const { sentAt, from, created, traceparent } = item
  if (awaiting === undefined || typeof sentAt !== 'number' || typeof from !== 'string') {
    throw new RetryableError(
      `the step '${whose.name}' of '${whose.key}' was written by a newer version, or by hand`,
    )
  }
  const asked = isTraceparent(traceparent) ? traceparent : undefined
  const begunAt = typeof created === 'string' ? Date.parse(created) : Number.NaN
  return { ...whose, awaiting, sentAt, from, begunAt, asked, tenant: storedTenant(item) }
}

async function readItem(
  store: ItemStore,
  key: { readonly pk: string; readonly sk: string },
): Promise<Item | undefined> {
  const read = await store.read(key)
  if (hasNoAnswer(read)) throw read.error
  return read.item
}

/** Whether the waiting run still has its key. Compares the request, not the epoch: a redrive reopens a run under a later epoch. */
export async function isRunning(
  flow: FlowNames,
  store: ItemStore,
  { key, uniqueRequestId }: WaitingRun,
): Promise<boolean> {
  const read = await store.read(recordKey(flow.name, key))
  if (hasNoAnswer(read)) throw read.error
  const record = read.item && readStageRecord(read.item)
  return record?.run?.uniqueRequestId === uniqueRequestId
}

/**
 * Keeps the runs that can use the answer, so that it is not late for earlier runs that waited for the same id. If no run can use it,
 * keeps the last one.
 */
export async function preferRunning(
  flow: FlowNames,
  store: ItemStore,
  found: readonly WaitingRun[],
): Promise<readonly WaitingRun[]> {
  if (found.length < 2) return found
  const running = await Promise.all(found.map((waiting) => isRunning(flow, store, waiting)))
  const useful = found.filter((_, index) => running[index])
  // @protects an answer goes to the runs that still have their key
  // @without its else @tests test/flow/awaits
  return useful.length > 0 ? useful : found.slice(-1)
}

/** One run that waits for an external id, and where its AwaitingStep is stored. */
export interface Waiter {
  readonly stepId: string
  /** Partition key of the run's stage record. */
  readonly recordPk: string
  readonly uniqueRequestId: string
  /** When the entry may be removed, epoch milliseconds. */
  readonly keepUntil: number
}

const WAIT = 'wait:'

/**
 * Key of the item that lists all runs waiting for one external id. An answer that does not carry our ids finds its runs by one
 * consistent read of this primary key; a secondary index has no consistent reads.
 */
export function waitersKey(flow: string, name: string, externalId: string): StoreKey {
  const fits = Buffer.byteLength(externalId) <= MAX_EXTERNAL_ID
  const id = fits ? externalId : stableId('externalId', externalId)
  return { pk: `await#${flow}/${name}/${id}`, sk: 'waiters' }
}

/** Bytes. A partition key holds 2,048 bytes, including the names of flow and step. Longer ids are hashed. */
const MAX_EXTERNAL_ID = 1_024

/** Leaves out entries that it cannot read: they belong to another version, whose consumer reads them. */
export function readWaiters(item: Item | undefined): readonly Waiter[] {
  return Object.entries(item ?? {}).flatMap(([name, value]) => {
    const waiter = name.startsWith(WAIT) && typeof value === 'string' ? parse(value) : undefined
    return waiter === undefined ? [] : [{ stepId: name.slice(WAIT.length), ...waiter }]
  })
}

function parse(text: string): Omit<Waiter, 'stepId'> | undefined {
  // @survives StringLiteral ×2: split gives at least one piece, and a text of one piece alone has no record, which is refused
  // whatever the id is; the defaults are for the types only.
  const [keepUntil = '', uniqueRequestId = '', ...rest] = text.split(' ')
  const recordPk = rest.join(' ')
  if (!/^\d+$/.test(keepUntil) || recordPk === '') return undefined
  const id = decoded(uniqueRequestId)
  return id === undefined
    ? undefined
    : { keepUntil: Number(keepUntil), uniqueRequestId: id, recordPk }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
    // @survives BlockStatement: a function that ends without a return gives undefined as well.
  } catch {
    return undefined
  }
}

function written({ keepUntil, uniqueRequestId, recordPk }: Waiter): string {
  return `${Math.ceil(keepUntil)} ${encodeURIComponent(uniqueRequestId)} ${recordPk}`
}

type WaiterWrite =
  | { readonly kind: 'create'; readonly item: Item & StoreKey }
  | { readonly kind: 'update'; readonly update: Update }
  /** An earlier attempt has listed the run. */
  | { readonly kind: 'listed' }

/**
 * Adds a run to the list, and removes entries past their time. If the write is refused, decide again on the item that refused it.
 */
export function addWaiter(
  key: StoreKey,
  item: Item | undefined,
  waiter: Waiter,
  now: number,
): WaiterWrite {
  const field = WAIT + waiter.stepId
  const ttl = ttlAt(waiter.keepUntil)
  if (item === undefined) {
    return { kind: 'create', item: { ...key, [field]: written(waiter), ttl } }
  }
  const listed = readWaiters(item)
  const mine = listed.find(({ stepId }) => stepId === waiter.stepId)
  if (mine !== undefined && mine.keepUntil > now) return { kind: 'listed' }
  const over = listed.filter(
    ({ keepUntil, stepId }) => keepUntil <= now && stepId !== waiter.stepId,
  )
  const standing = item['ttl']
  // @protects a list of waiting runs lives as long as the last of them
  // @without ttl
  const latest = typeof standing === 'number' ? Math.max(standing, ttl) : ttl
  return {
    kind: 'update',
    update: {
      key,
      // @protects runs that wait for one id at once are all listed
      // @without []
      where: [seen('ttl', item), seen(field, item)],
      set: { [field]: written(waiter), ttl: latest },
      remove: over.map(({ stepId }) => WAIT + stepId),
    },
  }
}

function seen(
  field: string,
  item: Item,
): { absent: string } | { field: string; is: '='; value: Comparable } {
  const value = item[field]
  return value === undefined || typeof value === 'object'
    ? { absent: field }
    : { field, is: '=', value }
}
