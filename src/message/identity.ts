import { isUniqueRequestId } from '../envelope/carried.ts'
import type { Envelope } from '../envelope/envelope.ts'
import { RejectedError } from '../errors.ts'
import { stableId } from '../ids.ts'
import type { IdentitySource } from './message.ts'

export interface Identity {
  readonly id: string
  readonly source: IdentitySource
}

/**
 * The identity that needs no payload: also a record that cannot be read keeps it. A message id that a redrive carries along
 * proves no more than a stamped `uniquerequestid`: another payload under it is a conflict, as under that.
 * @throws RejectedError when there is none: all such records would share one token, and the first end that of the others.
 */
export function identityOnTheWire(envelope: Envelope, messageId: string): Identity {
  if (envelope.carried.uniqueRequestId !== undefined) {
    return { id: envelope.carried.uniqueRequestId, source: 'attribute' }
  }
  if (envelope.snsMessageId !== undefined) return { id: envelope.snsMessageId, source: 'sns' }
  const first = envelope.carried.messageId ?? messageId
  if (isUniqueRequestId(first)) return { id: first, source: 'sqs' }
  throw new RejectedError(
    'The record has no messageId, so it cannot be told from others. It stays on its queue and is not run. ' +
      'Check what builds the event: SQS always gives one.',
  )
}

/**
 * The ladder: stamped attribute, the user's `id(payload)`, SNS id, SQS id. The user's id stands before the SNS id: a
 * provider that calls twice is published twice, with two SNS ids and one transaction. What would not fit an attribute
 * (other characters, too long) is hashed, since the id has to travel with every re-send.
 */
export function identityWithPayload<Payload>(
  wire: Identity,
  payload: Payload,
  idOf: ((payload: Payload) => string) | undefined,
): Identity {
  if (wire.source === 'attribute' || idOf === undefined) return wire
  const id: unknown = idOf(payload)
  if (typeof id !== 'string' || id === '') {
    throw new RejectedError(
      `id(payload) gave ${describe(id)}: expected a text that names the request`,
    )
  }
  return { id: isUniqueRequestId(id) ? id : hashOf(id), source: 'payload' }
}

/** As bytes all lone surrogates are the same, so they are escaped: ids that differ must not become one. */
function hashOf(id: string): string {
  return id.isWellFormed()
    ? stableId('payload', id)
    : stableId('payload, escaped', JSON.stringify(id))
}

function describe(id: unknown): string {
  if (id === '') return 'an empty text'
  return id === null ? 'null' : typeof id
}
