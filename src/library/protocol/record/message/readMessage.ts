import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { SQSRecord } from 'aws-lambda'
import type { Envelope } from '../envelope/envelope.ts'
import { hasCode, messageOf, RejectedError } from '../../../base/errors.ts'
import { isoTime, TIME_EXPECTED, toTime } from '../../../base/time.ts'
import {
  ConflictingIdError,
  identityOfEnvelope,
  identityWithPayload,
  type MessageIdentity,
} from './identity.ts'
import { bodyHash, carriedHash, payloadHashOf, type Message, type Refusal } from './message.ts'
import { parsePayload, type PayloadForm, asNestingError } from './parsePayload.ts'
import { kindOf } from '../../../base/kindOf.ts'

export interface ReadMessageOptions<Payload> {
  readonly form: PayloadForm
  readonly schema: StandardSchemaV1 | undefined
  readonly idOf: ((payload: Payload) => string) | undefined
  /** Names of the fields that two payloads with one computed id have to agree in. undefined: none. */
  readonly mustAgree?: readonly string[] | undefined
  /** Returns when the sender made the request. Default: when it was first sent. */
  readonly sentAtOf?: ((payload: Payload) => unknown) | undefined
  /** Messages that are older are refused. Milliseconds since the first sending. */
  readonly maxAge: number
  /** Redriven messages that are older are refused, too, because the token of the request may have expired. Milliseconds. */
  readonly retention: number
  readonly now: number
  /** Names of the consumers whose copies and dead letters it accepts. undefined: any. */
  readonly names?: ReadonlySet<string> | undefined
  /** Why the payload cannot be had, which is kept outside the message. */
  readonly unreadable?: unknown
}

/**
 * Reads a message. An unreadable payload gives a refused message. The result is a promise only when the schema returns one.
 * @throws RejectedError when the record has no identity at all
 */
export function readMessage<Payload>(
  record: SQSRecord,
  envelope: Envelope,
  options: ReadMessageOptions<Payload>,
): Message<Payload> | Promise<Message<Payload>> {
  const { form, schema, unreadable } = options
  const identity = identityOfEnvelope(envelope, record.messageId)
  const facts = factsOf(envelope, identity, options)
  const refuse = (error: unknown): Message<Payload> =>
    refused(asNestingError(error, envelope.body), facts)
  const refusal = wrongConsumer(envelope, options, record.eventSourceARN)
  if (refusal !== undefined) return { kind: 'refused', refusal, ...facts }
  if (unreadable !== undefined) return refuse(unreadable)
  if (envelope.refusal !== undefined) return refuse(new RejectedError(envelope.refusal))
  if (envelope.testEvent !== undefined) {
    return { kind: 'readable', payload: undefined as Payload, ...facts }
  }
  const accept = (payload: unknown): Message<Payload> =>
    acceptedUnlessNull(payload as Payload, () =>
      accepted(payload as Payload, identity, facts, options),
    )
  try {
    const value = parsePayload(envelope.body, form, schema)
    return value instanceof Promise ? value.then(accept).catch(refuse) : accept(value)
  } catch (error) {
    return refuse(error)
  }
}

/** A function of the user's fails at `null` in each attempt. */
function acceptedUnlessNull<Made>(payload: unknown, accept: () => Made): Made {
  try {
    return accept()
  } catch (cause) {
    if (payload !== null || !(cause instanceof TypeError)) throw cause
    throw new RejectedError(
      `the payload is null, and id(payload) or sentAt(payload) fails (${cause.message})`,
      { cause },
    )
  }
}

function accepted<Payload>(
  payload: Payload,
  fromEnvelope: MessageIdentity,
  facts: Facts,
  options: ReadMessageOptions<Payload>,
): Message<Payload> {
  const { idOf, sentAtOf, mustAgree, now } = options
  const {
    id,
    source,
    computed = false,
  } = identityWithPayload(fromEnvelope, payload, idOf, facts.envelope.body)
  const envelope = id === fromEnvelope.id ? facts.envelope : asFirstDelivery(facts.envelope)
  const own: Facts = {
    ...facts,
    envelope,
    uniqueRequestId: id,
    identity: source,
    ...(sentAtOf && { sentAt: senderTime(sentAtOf(payload), envelope, now) }),
    payloadHash: payloadHashOf(
      facts.payloadHash,
      computed,
      mustAgree && { payload, fields: mustAgree },
    ),
  }
  const refusal = refuseTooOld(own, options)
  return refusal === undefined
    ? { kind: 'readable', payload, ...own }
    : { kind: 'refused', refusal, payload, ...own }
}

function refused(error: unknown, facts: Facts): Message<never> {
  const reason = refusalReasonOf(error)
  if (reason === undefined) return { kind: 'unread', error, ...facts }
  return { kind: 'refused', refusal: { reason, error: explained(error, facts.envelope) }, ...facts }
}

function explained(error: unknown, { unlisted, unnamedTopic }: Envelope): string {
  if (unnamedTopic !== undefined && error instanceof Error) {
    const taken = `the body is an SNS notification of ${unnamedTopic}, which the option envelopes does not name, so it was taken as payload`
    return messageOf(new RejectedError(`${taken}: ${error.message}`))
  }
  return unlisted === undefined ? messageOf(error) : `${messageOf(error)}. ${unlisted}`
}

function refusalReasonOf(error: unknown): Refusal['reason'] | undefined {
  if (error instanceof ConflictingIdError) return 'conflict'
  return hasCode(error, 'REJECTED') ? 'rejected' : undefined
}

function wrongConsumer(
  { carried: { consumer, source } }: Envelope,
  { names }: Pick<ReadMessageOptions<unknown>, 'names'>,
  queueArn: string,
): Refusal | undefined {
  // @protects the copy of another consumer is not run
  // @without true @tests test/deliver/identity
  if (names === undefined || consumer === undefined || names.has(consumer)) return undefined
  const error =
    `the consumer '${consumer}' has re-sent or dead-lettered this message, and its effects are known under that name; it was ` +
    `not run as '${[...names].at(0)}'. ` +
    (source === undefined || source === queueArn
      ? `Send it to the queue of '${consumer}', or, if that was renamed, set formerNames: ['${consumer}'].`
      : `It is a dead letter of ${source}: redrive it there. A dead-letter queue is watched by an alarm, or by a function that only ` +
        'reports, not by a consumer.')
  return { reason: 'wrong consumer', error }
}

/** Retries, death and delay were counted under another id: the one that it had while it could not be read, or before it was late. */
export function asFirstDelivery(envelope: Envelope): Envelope {
  const { death: _death, notBefore: _notBefore, asked: _asked, ...rest } = envelope.carried
  return { ...envelope, carried: { ...rest, resendNumber: 0 } }
}

type Facts = Omit<Extract<Message<unknown>, { kind: 'unread' }>, 'kind' | 'error'>

/** What is known without the payload. */
function factsOf(
  envelope: Envelope,
  { id, source }: MessageIdentity,
  { now, unreadable }: Pick<ReadMessageOptions<unknown>, 'now' | 'unreadable'>,
): Facts {
  const { carried, enqueuedAt, event } = envelope
  const queuedAt = enqueuedAt ?? now
  const firstSent = carried.sentAt ?? queuedAt
  // An event that happened in the future has a clock that is ahead: as for `sentAt(payload)`.
  const happenedAt = Math.min(event?.sentAt ?? queuedAt, queuedAt)
  const moved = event === undefined ? carried.payload : undefined
  return {
    envelope,
    uniqueRequestId: id,
    identity: source,
    sentAt: carried.sentAt ?? happenedAt,
    takenAt: carried.takenAt ?? Math.min(event?.takenAt ?? firstSent, firstSent),
    payloadHash: moved
      ? carriedHash(moved.sha256, unreadable === undefined)
      : bodyHash(event?.fingerprint ?? envelope.body),
  }
}

/** A redriven dead letter may run, and be tried again, until `retention` is over, even if `maxAge` is over. */
export function mostAge(
  { carried: { death, reason } }: Envelope,
  { maxAge, retention }: { readonly maxAge: number; readonly retention: number },
): number {
  return death === undefined && reason === undefined ? maxAge : retention
}

function refuseTooOld(
  { takenAt, envelope }: Facts,
  { maxAge, retention, now }: { maxAge: number; retention: number; now: number },
): Refusal | undefined {
  const limit = mostAge(envelope, { maxAge, retention })
  // @protects a message whose token may be gone is not run
  // @without true
  if (now - takenAt <= limit) return undefined
  return { reason: 'too old', error: tooOldText(takenAt, now, limit) }
}

/** The text names the cure: the console's sample event was sent in 2018, and a redriven message may have waited for a year. */
function tooOldText(sentAt: number, now: number, limit: number): string {
  return (
    `it was first sent ${spanOf(now - sentAt)} ago (${isoTime(sentAt)}), and nothing older than ${spanOf(limit)} is run (retention, ` +
    'retry.maxAge): its token may be gone. Test events take SentTimestamp: now, or sqsEvent() of lineclear/testing. ' +
    'If it must run, raise retention, deploy, and redrive it.'
  )
}

const DAY_S = 86_400

function spanOf(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000)
  return seconds < 2 * DAY_S ? `${seconds} s` : `${Math.floor(seconds / DAY_S)} days`
}

/**
 * When the sender made the request, according to its payload. A time after the first sending comes from a clock that is ahead.
 * The queue's time is used instead, because otherwise `newerThan` would refuse the requests after it.
 * @param now used for a record that does not say when its queue accepted it
 * @throws RejectedError when `given` is not a time
 */
function senderTime(given: unknown, { carried, enqueuedAt }: Envelope, now: number): number {
  const time = toTime(given)
  if (time === undefined) {
    throw new RejectedError(`sentAt(payload) gave ${kindOfTime(given)}: expected ${TIME_EXPECTED}`)
  }
  // A copy carries the time of the first sending: the queue accepted the copy itself later.
  const isCopy = carried.resendNumber > 0 || carried.death !== undefined
  return Math.min(time, (isCopy ? carried.sentAt : undefined) ?? enqueuedAt ?? now)
}

/** Never quotes the value: payloads must not end up in the log. */
function kindOfTime(given: unknown): string {
  if (given instanceof Date) return 'an invalid Date, or one before 1970'
  if (typeof given === 'number') return 'a number that is no time, or seconds'
  return typeof given === 'string' ? 'a text that is no time with a zone' : kindOf(given)
}
