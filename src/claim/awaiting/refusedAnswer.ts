import type { Item, Update } from '../../store/store.ts'
import type { Awaiting } from './awaiting.ts'

const FIELD = 'refused'
/** Characters. The dead letter has the whole text. */
const LONGEST = 600

/** Notes on the step that the message was dead-lettered, and why: the operator who sent it reads it there. The step still waits. */
export function noteOfRefusal(
  { key, uniqueRequestId }: Awaiting,
  messageId: string,
  why: string,
): Update {
  const where = [{ field: 'uniquerequestid', is: '=', value: uniqueRequestId } as const]
  return { key, where, set: { [FIELD]: `${messageId} ${why}`.slice(0, LONGEST).toWellFormed() } }
}

/** @returns why the newest refused answer was refused; undefined: none was, or another message than `messageId` */
export function refusalOf({ [FIELD]: text }: Item, messageId?: string): string | undefined {
  if (typeof text !== 'string') return undefined
  const at = text.indexOf(' ')
  return messageId === undefined || text.slice(0, at) === messageId ? text.slice(at + 1) : undefined
}
