import type { IncomingRecord } from '../../deliver/incomingRecord.ts'
import type { Invocation } from '../../deliver/invocation.ts'
import type { RecordsToUndo } from '../../consumer/undo.ts'
import type { Hold, WriteResult } from '../../claim/hold.ts'
import { type ItemStore, itemStore } from '../../claim/itemStore.ts'
import { readToken, type Token } from '../../claim/token/token.ts'
import { SendFailedError, toError } from '../../base/errors.ts'
import {
  askAgainAt,
  deadRecordOf,
  keepRecord,
  type KeptRecord,
  startUndo,
} from '../../claim/token/deadRecord.ts'
import { hasRoom, recordUndoMessage, UNDO_BODY } from './keptPayload.ts'
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
import { readPlan, stagesToUndo, undoId, type UndoPlan } from './decideEnding.ts'

interface Dying {
  readonly records: RecordsToUndo
  readonly hold: Hold
  readonly work: IncomingRecord
  readonly invocation: Invocation
}

/**
 * Runs once the dead letter of a record is on its queue, before the record is parked: keeps what an undo of its effects needs. With
 * `undoDead` it also asks for the undo, and then the record is not parked.
 * @returns undefined: it is to be parked as dead
 */
export async function parkDead(dying: Dying): Promise<WriteResult | undefined> {
  const { records, invocation } = dying
  const store = itemStore(invocation.consumer.store)
  try {
    const token = await readDying(store, dying)
    if (token === undefined || !mayHaveEffects(token, invocation) || !canKeep(dying))
      return undefined
    const kept = keptOf(token, dying)
    const { clock, retention } = invocation.consumer
    const written = await store.upsert(keepRecord(token.pk, kept, clock.now(), retention))
    if (written.kind === 'failed') return written
    return records.undoDead ? await askForUndo(store, token, kept, invocation) : undefined
  } catch (error) {
    return { kind: 'failed', error: toError(error) }
  }
}

/** Nothing is written to a token that is dying, except by those who dead-letter it: its marks are final. */
async function readDying(store: ItemStore, { hold }: Dying): Promise<Token | undefined> {
  const read = await store.read({ pk: hold.fencing.subject, sk: 'token' })
  if (read.kind === 'failed') throw read.error
  const token = read.item && readToken(read.item)
  const isSame = token?.status === 'dying' && token.death === hold.deathReport().death
  return isSame ? token : undefined
}

function mayHaveEffects(token: Token, { consumer }: Invocation): boolean {
  // @protects only where all effects are known they are undone
  if (token.undoable !== token.fence) return false
  return token.applied.size + token.calls.size > 0 || consumer.sql !== undefined
}

/**
 * Its body is its payload, and fits. One that does not fit was refused before each of its handlers began. One whose payload is gone
 * from outside the message can be redriven once that is back.
 */
function canKeep({ work: { message } }: Dying): boolean {
  const { body, carried } = message.envelope
  const isRefused = message.kind === 'refused' && message.refusal.reason === 'rejected'
  return hasRoom(body) && !(isRefused && carried.payload !== undefined)
}

function keptOf({ death }: Token, { work, invocation }: Dying): KeptRecord {
  const { envelope, sentAt } = work.message
  const { queue, consumer } = invocation
  const { clock, retention, sql } = consumer
  const keptUntil = clock.now() + retention
  const { body, tenant } = envelope
  const inSql = sql !== undefined
  return { death, body, queue, sentAt, inSql, keptUntil, ...(tenant !== undefined && { tenant }) }
}

/** Seconds. The token is no longer dying by then, so that the message need not come twice. */
const DELAY_S = 5

/**
 * Ask, then write: if it is killed in between, the record stays dying, and its message does the rest. The other way round, only
 * the sweeper would ask, later. A message that comes while the record is dying waits.
 */
async function askForUndo(
  store: ItemStore,
  token: Token,
  kept: KeptRecord,
  { consumer, logger }: Invocation,
): Promise<WriteResult> {
  const { messenger, clock } = consumer
  const now = clock.now()
  const dead = deadRecordOf(token)
  const message = recordUndoMessage(dead, kept, now, DELAY_S)
  const [refusal] = await messenger.send(kept.queue, [message])
  if (refusal !== undefined) throw refused(kept.queue, refusal)
  const { set, remove = [] } = startUndo(token, askAgainAt(now))
  const outcome = await store.update({
    key: { pk: token.pk, sk: 'token' },
    where: [
      { field: 'status', is: '=', value: 'dying' },
      { field: 'death', is: '=', value: token.death },
      // @protects the undo of a record begins only in the death that was kept
      { field: 'fence', is: '=', value: token.fence },
    ],
    ...(set && { set }),
    remove,
  })
  if (outcome.kind === 'failed') return outcome
  logger.info('dead: its effects will be undone', { uniquerequestid: dead.id })
  return { kind: 'written' }
}

function refused(queue: string, cause: Error): SendFailedError {
  return new SendFailedError(
    `undo: ${queue} did not take the message that asks for it (${cause.message})`,
    {
      cause,
    },
  )
}

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
    { uniqueRequestId, resendNumber: 0, hops: 0, sentAt: now, flow },
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
