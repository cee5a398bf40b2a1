import { isUniqueRequestId, sendableId } from '../envelope/lineclearAttributes.ts'
import type { Envelope } from '../envelope/envelope.ts'
import { RejectedError } from '../../../base/errors.ts'
import { missingIn } from '../../../base/ids.ts'
import { kindOf } from '../../../base/kindOf.ts'
import type { IdentitySource } from './message.ts'

export interface MessageIdentity {
  readonly id: string
  readonly source: IdentitySource
  /** `id(payload)` returned this id. */
  readonly computed?: true
}

/** The stamped id differs from the one that `id(payload)` returned, so it is not known which request the message belongs to. */
export class ConflictingIdError extends Error {
  override readonly name = 'ConflictingIdError'
}

/**
 * The identity without the payload, which even an unreadable record has. A message id that a redrive carries proves no more than
 * a stamped `uniquerequestid`: another payload under it is a conflict, too.
 * @throws RejectedError when there is none: all such records would share one token, and the first would end the others
 */
export function identityOfEnvelope(envelope: Envelope, messageId: string): MessageIdentity {
  if (envelope.carried.uniqueRequestId !== undefined) {
    return { id: envelope.carried.uniqueRequestId, source: 'attribute' }
  }
  if (envelope.event !== undefined) return { id: envelope.event.id, source: 'event' }
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
 * The identity comes from the first of these that exists: the stamped attribute, the user's `id(payload)`, the id of the event
 * that the option `envelopes` has opened, the SNS message id, the SQS message id. The user's id takes precedence over the SNS message id because a provider that calls back twice is
 * published twice, with two SNS message ids for one transaction. A stamp that contradicts the payload is not trusted: any sender
 * could end another request by stamping its id.
 * @throws ConflictingIdError when stamp and payload give different ids
 */
export function identityWithPayload<Payload>(
  fromEnvelope: MessageIdentity,
  payload: Payload,
  idOf: ((payload: Payload) => string) | undefined,
  body = '',
): MessageIdentity {
  if (idOf === undefined) return fromEnvelope
  const id = idOfPayload(payload, idOf, body)
  if (fromEnvelope.source !== 'attribute') return { id, source: 'payload', computed: true }
  // @protects a stamp that contradicts the payload is not trusted
  // @without true
  if (id === fromEnvelope.id) return { ...fromEnvelope, computed: true }
  throw new ConflictingIdError(
    `the message is stamped with the uniquerequestid ${fromEnvelope.id}, and id(payload) gives another one; it was neither run nor ` +
      `dropped. Either its sender stamps what id(payload) gives, or the consumer has no option id.`,
  )
}

/**
 * An id that cannot be sent as an attribute (other characters, or too long) is hashed, because every copy has to carry it.
 * @param body JSON that the payload was read from
 * @throws RejectedError when `idOf` returns something other than a text, or one with a number that the parser has rounded
 */
export function idOfPayload<Payload>(
  payload: Payload,
  idOf: (payload: Payload) => string,
  body = '',
): string {
  const id: unknown = idOf(payload)
  if (typeof id !== 'string' || id === '') {
    throw new RejectedError(
      `id(payload) gave ${kindOf(id)}: expected a text that names the request`,
    )
  }
  const missing = missingIn(id, payload)
  if (missing !== undefined) {
    throw new RejectedError(
      `id(payload) gave a text with '${missing}' in it: a field of the payload is missing, and all payloads without it would be one request`,
    )
  }
  const rounded = roundedIn(id, body)
  if (rounded !== undefined) {
    throw new RejectedError(
      `id(payload) gave a text with ${rounded} in it: the body has a number of more digits there, which JSON.parse has rounded, so that ` +
        'several requests would be one. Its sender has to write the number as a text',
    )
  }
  return sendableId(id)
}

/** A number of 16 digits or more, which stands in JSON outside of texts. */
const LONG_NUMBER = /(?<=[:,[\s])-?\d{16,}(?=[\s,\]}])/g

/** A number in the id that the body has otherwise. */
function roundedIn(id: string, body: string): string | undefined {
  if (!/\d{16}|e\+/.test(id)) return undefined
  for (const [written] of body.matchAll(LONG_NUMBER)) {
    const read = String(Number(written))
    // @protects two long numbers that a parser makes equal are not one request
    // @without false @tests test/deliver/otherPayload
    if (read !== written && id.includes(read)) return read
  }
  return undefined
}
