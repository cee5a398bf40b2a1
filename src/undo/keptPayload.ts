import { TerminalError } from '../errors.ts'
import type { Item, StoreKey } from '../store/store.ts'

/** The body of a message that asks for an undo. What it means is said by its attributes. */
export const UNDO_BODY: string = JSON.stringify({ $lineclear: 'undo' })

/** DynamoDB takes items of 400 KB. Bytes. */
const MAX_PAYLOAD = 390_000

/** Where the payload of a stage is kept until its effects can no longer be undone. */
export function payloadKey(recordPk: string, uniqueRequestId: string, stage: string): StoreKey {
  return { pk: recordPk, sk: `input#${uniqueRequestId}#${stage}` }
}

/**
 * Created before the handler begins: when its effects are undone, its message may be gone.
 * @throws TerminalError when it is too large
 */
export function keptPayload(key: StoreKey, body: string, keepUntil: number): Item & StoreKey {
  checkRoom(body)
  return { ...key, body, ttl: Math.ceil(keepUntil / 1_000) }
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
