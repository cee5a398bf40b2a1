import { ttlAt } from '../../base/limits/lifetime.ts'
import { deadRunKey, type DeadRun, readDeadRun } from '../../claim/stage/deadRun.ts'
import { isCount, readRecordKey } from '../../claim/stage/stageRecord.ts'
import { INDEX_ATTRIBUTES } from '../../claim/statusIndex.ts'
import type { QueueMessage } from '../../send/messenger.ts'
import { undoGroup } from '../../send/messageGroup.ts'
import { isFifo } from '../../send/queueUrl.ts'
import { buildMessage } from '../../record/envelope/buildMessage.ts'
import type { RunReference } from '../../record/envelope/envelope.ts'
import type { Item, StoreKey, Update } from '../../store/store.ts'
import { UNDO_BODY } from './keptPayload.ts'
import { readPlan, stagesToUndo, undoId, type UndoPlan } from './undoPlan.ts'

/** An ended run that is to be undone, or was. */
export interface ParkedUndo extends DeadRun {
  readonly key: StoreKey
  readonly plan: UndoPlan
  /** Outside calls of its attempts may be on the wire until then, epoch milliseconds. */
  readonly notBefore: number
}

/** @returns undefined when the effects of this run are not to be undone */
export function readParkedUndo(item: Item | undefined): ParkedUndo | undefined {
  const dead = item && readDeadRun(item)
  if (item === undefined || dead?.undo === undefined) return undefined
  const { pk, undoPlan, notBefore } = item
  if (typeof pk !== 'string' || typeof undoPlan !== 'string' || !isCount(notBefore))
    return undefined
  const key = deadRunKey({ pk, sk: 'stage' }, dead.uniqueRequestId)
  return { ...dead, key, plan: readPlan(undoPlan), notBefore }
}

/** SQS hides no message for longer, milliseconds. */
const MAX_DELAY_S = 900

/**
 * Asks a stage to undo its effects. Its id is the same from every sender, so that a second copy does nothing. It has a message group
 * of its own, because messages of the key must not wait for it.
 */
export function undoMessage(
  parked: ParkedUndo,
  { stage, queueUrl }: UndoPlan['stages'][number],
  now: number,
): QueueMessage {
  const { uniqueRequestId: id, epoch, plan, notBefore } = parked
  const { flow: name, flowKey: key } = readRecordKey(parked.key.pk)
  const uniqueRequestId = undoId(id, epoch, stage)
  const flow: RunReference = { name, key, id, epoch, sentAt: plan.sentAt, from: stage, undo: true }
  const message = buildMessage(
    UNDO_BODY,
    {},
    { uniqueRequestId, retry: 0, hops: 0, sentAt: now, flow },
  )
  const group = undoGroup(queueUrl, plan.tenant, uniqueRequestId)
  if (isFifo(queueUrl)) return { ...message, ...group }
  const seconds = Math.ceil((notBefore - now) / 1_000)
  return { ...message, ...group, delaySeconds: Math.min(Math.max(seconds, 0), MAX_DELAY_S) }
}

/** The first message: to the last stage that has made effects. */
export function firstUndo(
  parked: ParkedUndo,
  now: number,
): { readonly queueUrl: string; readonly message: QueueMessage } | undefined {
  const [last] = stagesToUndo(parked.plan, parked)
  return last && { queueUrl: last.queueUrl, message: undoMessage(parked, last, now) }
}

/** An undo that has not ended by then is asked for again, milliseconds: its message may have been lost with its queue. */
const ASK_AGAIN_MS = 12 * 3_600_000

/** The first message is on its queue. It stays in the index until its effects are undone. */
export function confirmSent({ key, epoch }: ParkedUndo, now: number): Update {
  return {
    key,
    where: [
      { field: 'epoch', is: '=', value: epoch },
      { field: 'undo', is: '<>', value: 'undone' },
    ],
    set: { undo: 'sent', dueAt: now + ASK_AGAIN_MS },
  }
}

/** Written before the last record of the undo settles: otherwise nothing would show that it has ended. */
export function markUndone({ key, epoch }: ParkedUndo, now: number, retention: number): Update {
  return {
    key,
    where: [{ field: 'epoch', is: '=', value: epoch }, { exists: 'undo' }],
    set: { undo: 'undone', ttl: ttlAt(now + retention) },
    remove: INDEX_ATTRIBUTES,
  }
}
