import { hasExpired, ttlAt } from '../../base/limits/lifetime.ts'
import { TerminalError } from '../../base/errors.ts'
import type { Item, StoreKey } from '../../store/store.ts'
import {
  type DeadRecord,
  type KeptRecord,
  recordUndoId,
  UNDO_SUFFIX,
} from '../../claim/token/deadRecord.ts'
import type { QueueMessage } from '../../send/messenger.ts'
import { undoGroup } from '../../send/messageGroup.ts'
import { isFifo } from '../../send/queueUrl.ts'
import { buildMessage } from '../../record/envelope/buildMessage.ts'

/** The body of a message that asks for an undo. What it means is said by its attributes. */
export const UNDO_BODY: string = JSON.stringify({ $lineclear: 'undo' })

/** DynamoDB takes items of 400 KB. Bytes. */
const MAX_PAYLOAD = 390_000

/** Where the payload of a stage is kept until its effects can no longer be undone. */
export function payloadKey(recordPk: string, uniqueRequestId: string, stage: string): StoreKey {
  return { pk: recordPk, sk: `input#${uniqueRequestId}#${stage}` }
}

interface KeptTimes {
  /** See StageHold. */
  readonly keepUntil: number
  /** Until when the marks of its effects in SQL are surely kept, epoch milliseconds. undefined: it has none. */
  readonly marksUntil: number | undefined
}

/**
 * Created before the handler begins: when its effects are undone, its message may be gone.
 * @throws TerminalError when it is too large
 */
export function keptPayload(
  key: StoreKey,
  body: string,
  { keepUntil, marksUntil }: KeptTimes,
): Item & StoreKey {
  checkRoom(body)
  return { ...key, body, ...(marksUntil && { marksUntil }), ttl: ttlAt(keepUntil) }
}

/** Whether marks in SQL may have expired: then it is unknown which effects stand. Version 0.2 kept payloads as long as marks. */
export function mayLackMarks({ marksUntil, ttl }: Item, now: number): boolean {
  return typeof marksUntil === 'number' ? marksUntil <= now : hasExpired(ttl, now)
}

/** @throws TerminalError when it is too large to be kept */
export function checkRoom(body: string): void {
  if (hasRoom(body)) return
  throw new TerminalError(
    `undo: the payload has ${Buffer.byteLength(body)} bytes, and at most ${MAX_PAYLOAD} can be kept for its undo. The handler was not run. Send a ` +
      'reference to what is large.',
  )
}

export function hasRoom(body: string): boolean {
  return Buffer.byteLength(body) <= MAX_PAYLOAD
}

/**
 * Asks the consumer to undo the effects of a dead record. Its id is the same from every sender, so that a second copy does nothing.
 * @param delay seconds, for a queue that is not FIFO
 */
export function recordUndoMessage(
  { consumer, id, death }: DeadRecord,
  { queue, tenant }: Pick<KeptRecord, 'queue' | 'tenant'>,
  now: number,
  delay: number = 0,
): QueueMessage {
  const uniqueRequestId = recordUndoId(id, death)
  const message = buildMessage(
    UNDO_BODY,
    {},
    {
      uniqueRequestId,
      resendNumber: 0,
      hops: 0,
      sentAt: now,
      consumer: consumer + UNDO_SUFFIX,
      undo: id,
    },
  )
  const group = undoGroup(queue, tenant, uniqueRequestId)
  return { ...message, ...group, ...(isFifo(queue) ? {} : { delaySeconds: delay }) }
}
