import { isUniqueRequestId } from '../envelope/lineclearAttributes.ts'
import type { LineclearAttributes, Envelope } from '../envelope/envelope.ts'
import { RejectedError } from '../../errors.ts'
import { stableId } from '../../ids.ts'
import type { IdentitySource } from './message.ts'

export interface MessageIdentity {
  readonly id: string
  readonly source: IdentitySource
  /** The payload gives this id itself. */
  readonly computed?: true
}

/** The stamped id and that of the payload differ: whose effects are they? */
export class ConflictingIdError extends Error {
  override readonly name = 'ConflictingIdError'
}

/**
 * The identity that needs no payload: also a record that cannot be read keeps it. A message id that a redrive carries along
 * proves no more than a stamped `uniquerequestid`: another payload under it is a conflict, as under that.
 * @throws RejectedError when there is none: all such records would share one token, and the first end that of the others.
 */
export function identityOfEnvelope(envelope: Envelope, messageId: string): MessageIdentity {
  if (envelope.carried.uniqueRequestId !== undefined) {
    const source = isQueueIdOfRefused(envelope.carried) ? 'sqs' : 'attribute'
    return { id: envelope.carried.uniqueRequestId, source }
  }
  if (envelope.snsMessageId !== undefined) {
    return { id: envelope.snsMessageId, source: 'sns' }
  }
  const first = envelope.carried.messageId ?? messageId
  if (isUniqueRequestId(first)) return { id: first, source: 'sqs' }
  throw new RejectedError(
    'The record has no messageId, so it cannot be told from others. It stays on its queue and is not run. ' +
      'Check what builds the event: SQS always gives one.',
  )
}

/**
 * The ladder: stamped attribute, the user's `id(payload)`, SNS id, SQS id. The user's id stands before the SNS id: a
 * provider that calls twice is published twice, with two SNS ids and one transaction. A stamp is not believed against the
 * payload: whoever may send could end another request by its id.
 * @throws ConflictingIdError when both are there and differ
 */
export function identityWithPayload<Payload>(
  wire: MessageIdentity,
  payload: Payload,
  idOf: ((payload: Payload) => string) | undefined,
): MessageIdentity {
  if (idOf === undefined) return wire
  const id = idOfPayload(payload, idOf)
  if (wire.source !== 'attribute') return { id, source: 'payload', computed: true }
  if (id === wire.id) return { ...wire, computed: true }
  throw new ConflictingIdError(
    `the message is stamped with the uniquerequestid ${wire.id}, and id(payload) gives another one; it was neither run nor ` +
      `dropped. Either its sender stamps what id(payload) gives, or the consumer has no option id.`,
  )
}

const QUEUE_MESSAGE_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Version 0.1.0 stamped the id of SQS or SNS on a message that its schema had refused: nobody gave it, and nothing ran. */
function isQueueIdOfRefused({
  uniqueRequestId = '',
  reason,
  attempts,
}: LineclearAttributes): boolean {
  return reason === 'rejected' && attempts === 0 && QUEUE_MESSAGE_ID.test(uniqueRequestId)
}

/**
 * What would not fit an attribute (other characters, too long) is hashed, since the id has to travel with every re-send.
 * @throws RejectedError when it gives no text
 */
export function idOfPayload<Payload>(payload: Payload, idOf: (payload: Payload) => string): string {
  const id: unknown = idOf(payload)
  if (typeof id !== 'string' || id === '') {
    throw new RejectedError(
      `id(payload) gave ${kindOfId(id)}: expected a text that names the request`,
    )
  }
  return isUniqueRequestId(id) ? id : hashOf(id)
}

/** As bytes all lone surrogates are the same, so they are escaped: ids that differ must not become one. */
function hashOf(id: string): string {
  return id.isWellFormed()
    ? stableId('payload', id)
    : stableId('payload, escaped', JSON.stringify(id))
}

function kindOfId(id: unknown): string {
  if (id === '') return 'an empty text'
  return id === null ? 'null' : typeof id
}
