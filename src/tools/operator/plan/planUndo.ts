import {
  type DeadRun,
  deadRunKey,
  readDeadRun,
  REOPENED_RUN_ENDED,
} from '../../../claim/stage/deadRun.ts'
import type { StageRecord } from '../../../claim/stage/stageRecord.ts'
import { indexed } from '../../../claim/statusIndex.ts'
import type { Item, StoreKey, Update } from '../../../store/store.ts'
import { confirmSent, firstUndo, readParkedUndo } from '../../../features/undo/parkDead.ts'
import { mayLackMarks, payloadKey, recordUndoMessage } from '../../../features/undo/keptPayload.ts'
import { readPlan, stagesToUndo } from '../../../features/undo/decideEnding.ts'
import { displayId, itemKey, isIdempotencyKey } from '../../../sweeper/address.ts'
import { stageLines } from '../explain/describeFlow.ts'
import { stageStates } from '../explain/stageState.ts'
import { unreadableItemError } from '../../../sweeper/due/listDue.ts'
import {
  type ChangePlan,
  is,
  noChange,
  type OperatorAction,
  planned,
  type PlanHead,
} from './applyPlan.ts'
import type { Token } from '../../../claim/token/token.ts'
import {
  askAgain,
  deadRecordOf,
  isUndo,
  type KeptRecord,
  readKeptRecord,
  startUndo,
  undoAsked,
} from '../../../claim/token/deadRecord.ts'
import { headOf, newFence, asShown } from './tokenChange.ts'
import { tokenKeyOf } from '../../../claim/token/claimWrites.ts'

interface DeadRequest {
  /** The item of the dead request. */
  readonly item: Item
  /** The record of its key, read after the item. */
  readonly record: StageRecord | undefined
  /** Whether the payloads of all stages to undo are still kept. */
  readonly isKept: boolean
  readonly id: string
  readonly now: number
}

export function payloadKeys(item: Item): readonly StoreKey[] {
  const dead = readDeadRun(item)
  if (dead?.undoPlan === undefined) return []
  const { pk } = itemKey(item)
  return stagesToUndo(readPlan(dead.undoPlan), dead).map(({ stage }) =>
    payloadKey(pk, dead.uniqueRequestId, stage),
  )
}

/**
 * Whether the undo will find what it needs: the payload of each stage with effects. A stage that has ended before its handler began
 * has neither payload nor effects; in a flow with `sql` it is asked all the same.
 * @param payloads of `payloadKeys`
 */
export function arePayloadsKept(
  item: Item,
  payloads: readonly (Item | undefined)[],
  now: number,
): boolean {
  const dead = readDeadRun(item)
  if (dead?.undoPlan === undefined) return false
  const plan = readPlan(dead.undoPlan)
  const marked = stagesToUndo({ ...plan, inSql: false }, dead)
  return stagesToUndo(plan, dead).every(({ stage }, nth) => {
    const payload = payloads[nth]
    if (payload !== undefined) return !plan.inSql || !mayLackMarks(payload, now)
    const hasMarks = marked.some((one) => one.stage === stage)
    return !hasMarks && dead.stages.get(stage)?.status !== 'settled'
  })
}

export function headOfDead(
  action: OperatorAction,
  pk: string,
  { uniqueRequestId, stages }: DeadRun,
  now: number,
): PlanHead {
  const lines = stageLines(stageStates(stages, now), now)
  return { action, id: displayId(pk), standing: [`${uniqueRequestId} is dead`, ...lines] }
}

/** Has the effects of a dead request undone. After that it cannot be redriven. */
export function planUndoDead({ item, record, isKept, id, now }: DeadRequest): ChangePlan {
  const dead = readDeadRun(item)
  if (dead === undefined) throw unreadableItemError(`the dead request of ${id}`)
  const { pk } = itemKey(item)
  const about = headOfDead('decide undo', pk, dead, now)
  if (dead.undo === 'undone') return noChange('nothing', about, 'its effects are undone')
  if (dead.undo !== undefined) return noChange('nothing', about, 'its effects are being undone')
  const reason = whyNot(dead, item, record, isKept)
  if (reason !== undefined) return noChange('impossible', about, reason)
  const key = deadRunKey({ pk, sk: 'stage' }, dead.uniqueRequestId)
  const due = Math.max(now, Number(item['notBefore']))
  const parked = readParkedUndo({ ...item, undo: 'due', notBefore: due })
  const first = parked && firstUndo(parked, now)
  if (parked === undefined || first === undefined)
    throw unreadableItemError(`the dead request of ${id}`)
  const names = stagesToUndo(parked.plan, parked).map(({ stage }) => stage)
  const changes = [
    `its effects are undone, the last stage first: ${names.join(', ')}`,
    'it cannot be redriven: its dead letter is dropped as undone',
  ]
  return planned(about, changes, {
    kind: 'send',
    before: dead.reopened === undefined ? undefined : record && raiseFence(record),
    mark: markDue(key, dead, due),
    ...first,
    afterwards: confirmSent(parked, now),
  })
}

function whyNot(
  dead: DeadRun,
  item: Item,
  record: StageRecord | undefined,
  isKept: boolean,
): string | undefined {
  if (dead.ending !== 'dead' || dead.undoPlan === undefined) {
    return dead.marks.size === 0
      ? 'it has made no effects'
      : 'its flow had no option undo when it died: redrive its dead letter'
  }
  if (payloadKeys(item).length === 0) return 'no stage with effects has the option undo'
  if (dead.reopened === REOPENED_RUN_ENDED) return 'it was redriven, and its run has ended'
  if (record?.run?.uniqueRequestId === dead.uniqueRequestId && record.epoch > dead.epoch) {
    return 'it was redriven, and it runs: lineclear decide FLOW/KEY undo ends it'
  }
  if (dead.reopened !== undefined && record === undefined) {
    return 'a redrive of it has begun: redrive its dead letter again'
  }
  if (!isKept) return 'its payloads are no longer kept: make the changes by hand'
  return undefined
}

/** A redrive that has begun may still write its start, which is conditional on the fence of the record. No attempt is. */
function raiseFence({ key, epoch, fence }: StageRecord): Update {
  return { key, where: [is('epoch', epoch), is('fence', fence)], set: { fence: fence + 1 } }
}

/** The redrive and the undo decide on this one item. */
function markDue(key: StoreKey, { epoch, fence, reopened }: DeadRun, notBefore: number): Update {
  return {
    key,
    where: [
      is('epoch', epoch),
      is('fence', fence),
      is('ending', 'dead'),
      { absent: 'undo' },
      reopened === undefined ? { absent: 'reopened' } : is('reopened', reopened),
    ],
    set: { undo: 'due', notBefore, ...indexed(key.pk, 'running', notBefore) },
    remove: ['ttl'],
  }
}

/** Has the effects of a dead record undone. After that it cannot be redriven. @param input the item of its kept payload */
export function planUndoRecord(token: Token, input: Item | undefined, now: number): ChangePlan {
  const about = headOf('decide undo', token, now)
  if (token.status === 'undone') return noChange('nothing', about, 'its effects are undone')
  const kept = readKeptRecord(input)
  const reason = whyNotRecord(token, kept, now)
  if (reason !== undefined || kept === undefined)
    return noChange('impossible', about, reason ?? NOT_KEPT)
  const message = recordUndoMessage(deadRecordOf(token), kept, now)
  const again = token.status === 'undoing'
  const { attemptId } = newFence(token, now)
  const { set, remove = [] } = startUndo(token, now)
  const changes = again
    ? ['the message that asks for its undo is sent again: a second one does nothing']
    : [
        'its effects are undone, by the handlers of the option undo of its consumer',
        'it cannot be redriven: its dead letter is dropped as undone',
      ]
  return planned(about, changes, {
    kind: 'send',
    mark: again
      ? askAgain(token, now)
      : { key: tokenKeyOf(token), where: asShown(token), set: { ...set, attemptId }, remove },
    queueUrl: kept.queue,
    message,
    afterwards: undoAsked(token, now),
  })
}

const NOT_KEPT = 'its payload is no longer kept: make the changes by hand'
const NO_OPTION =
  'its consumer had no option undo in each of its attempts, so that its marks may not show all effects: redrive its dead letter'

function whyNotRecord(token: Token, kept: KeptRecord | undefined, now: number): string | undefined {
  if (isIdempotencyKey(token.pk)) return 'keys cannot be undone, only records and runs of flows'
  if (isUndo(token.pk)) return 'it is an undo: redrive its dead letter, and it goes on'
  if (token.status === 'complete') return 'it is done: only what is dead can be undone'
  if (token.status === 'inProgress' || token.status === 'dying') {
    return 'it is not dead: it continues by itself, or its dead letter is being sent'
  }
  if (token.status === 'undoing') return kept === undefined ? NOT_KEPT : undefined
  if (kept?.death === token.death && token.undoable === token.fence) {
    return kept.keptUntil > now ? undefined : NOT_KEPT
  }
  if (token.undoable !== token.fence) return NO_OPTION
  return token.applied.size + token.calls.size === 0 ? 'it has made no effects' : NOT_KEPT
}
