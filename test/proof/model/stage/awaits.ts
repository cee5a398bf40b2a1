import { awaitingKey, stepIdOf } from '../../../../src/claim/awaiting/awaiting.ts'
import type { Wanted } from '../../../../src/claim/awaiting/saveAwaiting.ts'
import { type Waiter, waitersKey } from '../../../../src/claim/awaiting/waiters.ts'
import type { Held } from '../../../../src/claim/stage/heldStage.ts'
import type { Item, StoreKey } from '../../../../src/store/store.ts'
import { AGE, KEY, NOON, PAUSE } from './act.ts'
import type { Awaited } from './pc.ts'
import type { Protocol } from './protocol.ts'

export const FLOW = 'f'
/** Before anything else has no time left: a timeout is not the end of the flow. */
export const UNTIL: number = NOON + PAUSE / 2

export function wantedBy({ record, run }: Held, { name, ids, need }: Awaited): Wanted {
  return {
    key: awaitingKey(KEY.pk, name, run.uniqueRequestId),
    uniqueRequestId: run.uniqueRequestId,
    epoch: record.epoch,
    stepIds: ids.map((id) => stepIdOf(name, id, run.uniqueRequestId)),
    need,
    until: UNTIL,
  }
}

export function newStep({ saveAwaiting }: Protocol, held: Held, awaited: Awaited): Item & StoreKey {
  const saving = saveAwaiting(undefined, wantedBy(held, awaited), 0)
  if (saving.kind !== 'create') throw new Error('a step that is not there is created')
  return saving.item
}

export interface Listed {
  readonly name: string
  readonly id: string
}

export function listKey({ name, id }: Listed): StoreKey {
  return waitersKey(FLOW, name, id)
}

export function waiterOf({ run }: Held, { name, id }: Listed): Waiter {
  const stepId = stepIdOf(name, id, run.uniqueRequestId)
  const { uniqueRequestId } = run
  return { stepId, recordPk: KEY.pk, uniqueRequestId, keepUntil: 100 * AGE }
}

export function newWaiter({ listWaiter }: Protocol, held: Held, listed: Listed): Item & StoreKey {
  const write = listWaiter(listKey(listed), undefined, waiterOf(held, listed), 0)
  if (write.kind !== 'create') throw new Error('a list that is not there is created')
  return write.item
}
