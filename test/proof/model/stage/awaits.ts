import { awaitingKey, stepIdOf } from '../../../../src/library/protocol/claim/awaiting/awaiting.ts'
import type { AwaitRequest } from '../../../../src/library/protocol/claim/awaiting/saveAwaiting.ts'
import {
  type Waiter,
  waitersKey,
} from '../../../../src/library/protocol/claim/awaiting/waitingRuns.ts'
import type { HeldStage } from '../../../../src/library/protocol/claim/stage/stageOwnedBy.ts'
import type { Item, StoreKey } from '../../../../src/library/protocol/store/store.ts'
import { AGE, KEY, NOON, PAUSE } from './act.ts'
import type { Awaited } from './pc.ts'
import type { Protocol } from './protocol.ts'

export const FLOW = 'f'
/** Earlier than any other time limit: a timeout is not the end of the flow. */
export const UNTIL: number = NOON + PAUSE / 2

export function wantedBy({ record, run }: HeldStage, { name, ids, need }: Awaited): AwaitRequest {
  return {
    key: awaitingKey(KEY.pk, name, run.uniqueRequestId),
    uniqueRequestId: run.uniqueRequestId,
    epoch: record.epoch,
    stepIds: ids.map((id) => stepIdOf(name, id, run.uniqueRequestId)),
    need,
    until: UNTIL,
  }
}

export function newStep(
  { saveAwaiting }: Protocol,
  held: HeldStage,
  awaited: Awaited,
): Item & StoreKey {
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

export function waiterOf({ run }: HeldStage, { name, id }: Listed): Waiter {
  const stepId = stepIdOf(name, id, run.uniqueRequestId)
  const { uniqueRequestId } = run
  return { stepId, recordPk: KEY.pk, uniqueRequestId, keepUntil: 100 * AGE }
}

export function newWaiter(
  { addWaiter }: Protocol,
  held: HeldStage,
  listed: Listed,
): Item & StoreKey {
  const write = addWaiter(listKey(listed), undefined, waiterOf(held, listed), 0)
  if (write.kind !== 'create') throw new Error('a list that is not there is created')
  return write.item
}
