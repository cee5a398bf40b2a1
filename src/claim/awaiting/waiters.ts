import { ttlAt } from '../../base/limits/lifetime.ts'
import { stableId } from '../../base/ids.ts'
import type { Comparable, Item, StoreKey, Update } from '../../store/store.ts'

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
  const latest = typeof standing === 'number' ? Math.max(standing, ttl) : ttl
  return {
    kind: 'update',
    update: {
      key,
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
