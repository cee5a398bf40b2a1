import type { Condition, Item, StoreKey, Update } from '../../store/store.ts'
import { indexed } from '../statusIndex.ts'
import { type Awaiting, ANSWER_PREFIX, WAITING } from './awaiting.ts'

export interface AwaitRequest {
  readonly key: StoreKey
  readonly uniqueRequestId: string
  readonly epoch: number
  /** Of all external ids of the join. */
  readonly stepIds: readonly string[]
  /** How many of them have to be answered: all, 1, or n. */
  readonly need: number
  /** Epoch milliseconds. */
  readonly until: number
}

type SaveDecision =
  | { readonly kind: 'create'; readonly item: Item & StoreKey }
  | { readonly kind: 'update'; readonly update: Update }
  /** An attempt before has saved it; what was answered since stays answered. */
  | { readonly kind: 'saved'; readonly awaiting: Awaiting }
  /** A later run of the same request waits by it. */
  | { readonly kind: 'stale' }

/**
 * All steps of a join at once, then their waiters, and only then the first request goes out: an answer finds its step, and none
 * takes a part for the whole. Refused: decide again on the item that refused.
 */
export function saveAwaiting(
  standing: Awaiting | undefined,
  wanted: AwaitRequest,
  now: number,
): SaveDecision {
  if (standing === undefined) return { kind: 'create', item: fresh(wanted, now) }
  if (standing.epoch > wanted.epoch) return { kind: 'stale' }
  const missing = wanted.stepIds.filter((id) => !standing.steps.has(id))
  const open = standing.joinedBy === undefined
  if (standing.epoch === wanted.epoch && (missing.length === 0 || !open)) {
    return { kind: 'saved', awaiting: standing }
  }
  return { kind: 'update', update: renew(standing, wanted, open ? missing : []) }
}

function fresh(
  { key, uniqueRequestId, epoch, stepIds, need, until }: AwaitRequest,
  now: number,
): Item & StoreKey {
  return {
    ...key,
    uniquerequestid: uniqueRequestId,
    epoch,
    need,
    count: 0,
    until,
    created: new Date(now).toISOString(),
    expectedCompletion: new Date(until).toISOString(),
    ...waitingFor(stepIds),
    ...indexed(key.pk, 'awaiting', until),
  }
}

/** Brought back by a redrive, or asked for other ids than by the attempt before: answers stay what they are. */
function renew(standing: Awaiting, wanted: AwaitRequest, missing: readonly string[]): Update {
  const asSeen: Condition[] = [
    { field: 'epoch', is: '=', value: standing.epoch },
    { field: 'count', is: '=', value: standing.count },
    ...missing.map((id) => ({ absent: ANSWER_PREFIX + id })),
  ]
  if (standing.joinedBy !== undefined) {
    return { key: wanted.key, where: asSeen, set: { epoch: wanted.epoch } }
  }
  const { need, until } = wanted
  return {
    key: wanted.key,
    where: [...asSeen, { absent: 'joinedBy' }],
    set: {
      epoch: wanted.epoch,
      need,
      until,
      expectedCompletion: new Date(until).toISOString(),
      ...waitingFor(missing),
      ...indexed(wanted.key.pk, 'awaiting', until),
    },
  }
}

function waitingFor(stepIds: readonly string[]): Record<string, string> {
  return Object.fromEntries(stepIds.map((id) => [ANSWER_PREFIX + id, WAITING]))
}
