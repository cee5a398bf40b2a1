import { stableId } from '../../ids.ts'
import type { Item, StoreKey, Update, Value } from '../../store/store.ts'

/**
 * One AwaitingStep: what a run waits for under one name. One external answer, or several that are joined: it is over when
 * `need` of its steps are answered, by the one write that says so in `joinedBy`.
 */
export interface Awaiting {
  readonly key: StoreKey
  readonly uniqueRequestId: string
  /** Of the run that waits, for the claim of what comes after. */
  readonly epoch: number
  readonly need: number
  readonly count: number
  /** Epoch milliseconds; a heartbeat moves it. */
  readonly until: number
  /** By step id: the hash of its answer, or undefined while it waits. */
  readonly steps: ReadonlyMap<string, string | undefined>
  /** The step id of the last answer that was needed, or TIMEOUT: that message alone continues the run. */
  readonly joinedBy: string | undefined
  /** A handler has begun with what came: it is not late any more, whatever becomes of the run. Kept only for `onLate`. */
  readonly used: boolean
}

/** Stands for the answer that did not come. No step id is that short. */
export const TIMEOUT = 'timeout'
export const WAITING = 'waiting'
export const ANSWER_PREFIX = 'step:'
const ANSWERED = 'answered '

/** New for each request, so that a new request never overwrites an old step. */
export function stepIdOf(name: string, externalId: string, uniqueRequestId: string): string {
  return stableId(name, externalId, uniqueRequestId)
}

/** Beside the stage record of the run. */
export function awaitingKey(recordPk: string, name: string, uniqueRequestId: string): StoreKey {
  return { pk: recordPk, sk: `await#${name}#${uniqueRequestId}` }
}

/** Step names hold no `#`. */
export function stepNameIn({ sk }: StoreKey): string {
  return sk.split('#')[1] ?? ''
}

export function answered(hash: string): string {
  return ANSWERED + hash
}

/** @returns undefined for an item that this version cannot read. */
export function readAwaiting(item: Item): Awaiting | undefined {
  const { pk, sk, uniquerequestid, epoch, need, count, until, joinedBy } = item
  if (typeof pk !== 'string' || typeof sk !== 'string' || typeof uniquerequestid !== 'string')
    return undefined
  if (!isNumber(epoch) || !isNumber(need) || !isNumber(count) || !isNumber(until)) return undefined
  const steps = readSteps(item)
  if (steps === undefined || (joinedBy !== undefined && typeof joinedBy !== 'string'))
    return undefined
  const whose = { key: { pk, sk }, uniqueRequestId: uniquerequestid, epoch }
  return { ...whose, need, count, until, steps, joinedBy, used: item['used'] === true }
}

/** Written before the handler starts: after a kill it is the only sign that it had. */
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
