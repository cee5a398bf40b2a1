import { idInKey, stableId } from '../../../base/ids.ts'
import type { Item, StoreKey, Update, Value } from '../../store/store.ts'

/**
 * One AwaitingStep: what a run waits for under one name. It waits for one external answer, or for several that are joined. The
 * step is complete when `need` of its external ids are answered; the write that counts the last needed answer records this in
 * `joinedBy`.
 */
export interface Awaiting {
  readonly key: StoreKey
  readonly uniqueRequestId: string
  /** The epoch of the waiting run. The claim of the next stage needs it. */
  readonly epoch: number
  readonly need: number
  readonly count: number
  /** When the step times out, epoch milliseconds. `extendTimeout` moves it. */
  readonly until: number
  /** The `ttl` of its item, and so of the answers that belong to it. */
  readonly ttl: number | undefined
  /** The hash of the answer for each step id, or undefined while there is none. */
  readonly steps: ReadonlyMap<string, string | undefined>
  /** The step id of the last answer that was needed, or TIMEOUT. Only that message continues the run. */
  readonly joinedBy: string | undefined
  /**
   * A handler has started with the answer. It can no longer become a late answer, however the run ends. Stored only for flows
   * with `onLate`.
   */
  readonly used: boolean
  /** An operator has given up its answer after the handler of that answer died: the next answer revives the handler. */
  readonly reopened: boolean
}

/** Takes the place of a step id when the step timed out. No real step id is that short. */
export const TIMEOUT = 'timeout'
export const WAITING = 'waiting'
/** Attributes of an AwaitingStep with its answers. A token has results of outside calls under the same prefix. */
export const ANSWER_PREFIX = 'step:'
const ANSWERED = 'answered '

/** Different for each request, so that a new request never overwrites the step of an old one. */
export function stepIdOf(name: string, externalId: string, uniqueRequestId: string): string {
  return stableId(name, externalId, uniqueRequestId)
}

/** The item has the partition key of the run's stage record. */
export function awaitingKey(recordPk: string, name: string, uniqueRequestId: string): StoreKey {
  return { pk: recordPk, sk: `await#${name}#${idInKey(uniqueRequestId)}` }
}

/** Takes the step's name from the sort key. Step names contain no `#`. */
export function stepNameIn({ sk }: StoreKey): string {
  return sk.split('#')[1] ?? ''
}

export function answered(hash: string): string {
  return ANSWERED + hash
}

/** @returns undefined for an item that this version cannot read. */
export function readAwaiting(item: Item): Awaiting | undefined {
  const { pk, sk, uniquerequestid, epoch, need, count, until, joinedBy } = item
  const ttl = isNumber(item['ttl']) ? item['ttl'] : undefined
  if (typeof pk !== 'string' || typeof sk !== 'string' || typeof uniquerequestid !== 'string')
    return undefined
  if (!isNumber(epoch) || !isNumber(need) || !isNumber(count) || !isNumber(until)) return undefined
  const steps = readSteps(item)
  if (steps === undefined || (joinedBy !== undefined && typeof joinedBy !== 'string'))
    return undefined
  const whose = { key: { pk, sk }, uniqueRequestId: uniquerequestid, epoch }
  const used = item['used'] === true
  const reopened = item['reopened'] === true
  return { ...whose, need, count, until, ttl, steps, joinedBy, used, reopened }
}

/** Saved with the step for runs on a fair queue. */
export function storedTenant({ tenant }: Item): string | undefined {
  return typeof tenant === 'string' ? tenant : undefined
}

/** Written before the handler starts: if the process is then killed, this mark is the only evidence that the handler started. */
export function markUsed({ key }: Awaiting): Update {
  return { key, where: [{ exists: 'joinedBy' }], set: { used: true } }
}

function readSteps(item: Item): Map<string, string | undefined> | undefined {
  const steps = new Map<string, string | undefined>()
  for (const [name, value] of Object.entries(item)) {
    if (!name.startsWith(ANSWER_PREFIX)) continue
    const isAnswer = typeof value === 'string' && value.startsWith(ANSWERED)
    if (value !== WAITING && !isAnswer) return undefined
    steps.set(name.slice(ANSWER_PREFIX.length), isAnswer ? value.slice(ANSWERED.length) : undefined)
  }
  return steps
}

function isNumber(value: Value | undefined): value is number {
  return typeof value === 'number'
}
