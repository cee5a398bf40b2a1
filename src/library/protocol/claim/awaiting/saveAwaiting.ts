import type { Condition, Item, StoreKey, Update } from '../../store/store.ts'
import { indexed } from '../statusIndex.ts'
import { type Awaiting, ANSWER_PREFIX, WAITING } from './awaiting.ts'

/** `need`: how many ids have to be answered: all, 1, or n. */
export interface AwaitRequest extends Pick<
  Awaiting,
  'key' | 'uniqueRequestId' | 'epoch' | 'need' | 'until'
> {
  /** The step ids of all external ids of the join. */
  readonly stepIds: readonly string[]
}

type SaveDecision =
  | { readonly kind: 'create'; readonly item: Item & StoreKey }
  | { readonly kind: 'update'; readonly update: Update }
  /** An earlier attempt has saved the step. Answers that have arrived since are kept. */
  | { readonly kind: 'saved'; readonly awaiting: Awaiting }
  /** A later run of the same request waits for this step. */
  | { readonly kind: 'stale' }

/**
 * Saves all steps of a join in one write. The waiters are written next, and the first request is made after that: an answer
 * always finds its step, and a join is never complete while a part of it is missing. If the write is refused, decide again on the
 * item that refused it.
 */
export function saveAwaiting(
  standing: Awaiting | undefined,
  wanted: AwaitRequest,
  now: number,
): SaveDecision {
  if (standing === undefined) return { kind: 'create', item: fresh(wanted, now) }
  // @protects an older run does not take over the step of a later one
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

/** The step exists: a redrive has reopened its run, or an earlier attempt asked for other ids. Answers are kept. */
function renew(standing: Awaiting, wanted: AwaitRequest, missing: readonly string[]): Update {
  const asSeen: Condition[] = [
    { field: 'epoch', is: '=', value: standing.epoch },
    // @protects answers that have arrived meanwhile are kept
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

const FIELD = 'externalIds'
/** Bytes in one write unit of DynamoDB. */
const UNIT = 1_024
/** Bytes by which the item grows for each answer, and when the step is complete. */
const GROWTH = { answer: 34, end: 48 }
/** A number of this item, as DynamoDB stores it: at most 8 bytes. */
const NUMBER = '12345678'
/** By how many bytes the size below may be too large: numbers are often shorter. */
const ROUNDED_UP = 64

/**
 * The external ids in plain text, for operators: the names of the answers are hashes. They are left out where they would cost
 * another write unit, now or with the answers.
 */
export function externalIdsThatFit(
  item: Item,
  ids: readonly string[],
): Readonly<Record<string, string>> {
  const size = Object.entries(item).reduce(
    (sum, [name, value]) =>
      sum + Buffer.byteLength(name + (typeof value === 'string' ? value : NUMBER)),
    FIELD.length,
  )
  const units = Math.ceil((size - FIELD.length - ROUNDED_UP) / UNIT)
  const room = units * UNIT - size - GROWTH.answer * ids.length - GROWTH.end
  const text = JSON.stringify(ids)
  return Buffer.byteLength(text) > room ? {} : { [FIELD]: text }
}

/** @returns none for a step that was saved without them */
export function readExternalIds({ [FIELD]: text }: Item): readonly string[] {
  if (typeof text !== 'string') return []
  try {
    const ids: unknown = JSON.parse(text)
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}
