import { isObject } from '../../../base/kindOf.ts'
import { ConfigError, type UnknownFormatError } from '../../../base/errors.ts'
import { FORMAT, unknownFormat } from '../../../base/format.ts'
import { missingIn, stableId } from '../../../base/ids.ts'
import type { Attribute, LineclearAttributes, RunReference, CarriedPayload } from './envelope.ts'
import { MAX_CLOCK_SKEW_MS } from '../../../base/time.ts'
import { parseObject, shorten, toMessageJson } from './json.ts'

/** Lineclear's two message attributes: the identity, and everything else packed into one JSON object. */
export const ID_ATTRIBUTE = 'uniquerequestid'
export const PACKED_ATTRIBUTE = 'lineclear'

/** Is called with the name of an attribute or field that is malformed and left out. */
export type Ignore = (name: string) => void

/** Bytes of UTF-8. A longer text was not written by Lineclear. */
const MAX_PACKED_BYTES = 4_096
/** A flow's key is part of the partition key, and of the packed attribute. Bytes of UTF-8. */
export const MAX_FLOW_KEY_BYTES = 512
const MAX_REASON_BYTES = 512
const MAX_COUNT = 1_000_000
const LONGEST_WAIT = 366 * 86_400_000
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/
const QUEUE_ARN = /^arn:[\w-]{1,32}:sqs:[\w-]{1,64}:\d{1,32}:[\w.-]{1,128}$/
const NAME = /^[\w.-]{1,260}$/
/** Pattern for the name of a flow, a stage or a step. */
const PART_NAME = /^[\w.-]{0,128}$/
const MAX_ID_LENGTH = 256
const PRINTABLE = /^[\x21-\x7e]+$/

export type PackedFields = Omit<LineclearAttributes, 'uniqueRequestId'>
type Field = keyof PackedFields
type Readers = {
  readonly [F in Field]-?: (value: unknown, now: number) => LineclearAttributes[F] | undefined
}

/** The packed fields, in their order in the message behind `format`. An unknown field is ignored: this format allows it. */
const READERS: Readers = {
  messageId: readId,
  resendNumber: (value) => integer(value, 0, MAX_COUNT),
  hops: (value) => integer(value, 0, MAX_COUNT),
  asked: (value) => integer(value, 0, MAX_COUNT),
  // @protects a stamped time in the future is not believed
  // @without integer(value, 1, Infinity)
  sentAt: (value, now) => integer(value, 1, now + MAX_CLOCK_SKEW_MS),
  takenAt: (value, now) => integer(value, 1, now + MAX_CLOCK_SKEW_MS),
  notBefore: (value, now) => integer(value, 1, now + LONGEST_WAIT),
  // The epoch of its run in a flow, which begins at the time where there is `sql`.
  death: (value) => integer(value, 1, Number.MAX_SAFE_INTEGER),
  attempts: (value) => integer(value, 0, MAX_COUNT),
  source: (value) => (isText(value) && QUEUE_ARN.test(value) ? value : undefined),
  consumer: (value) => (isText(value) && NAME.test(value) ? value : undefined),
  version: (value) => (isText(value) && NAME.test(value) ? value : undefined),
  traceparent: (value) => (isTraceparent(value) ? value : undefined),
  reason: (value) => (isText(value) ? shorten(value, MAX_REASON_BYTES) : undefined),
  error: (value) => (isText(value) ? value : undefined),
  stack: (value) => (isText(value) ? value : undefined),
  wrapped: (value) => (value === true ? value : undefined),
  payload: readPayload,
  flow: readFlow,
}
const FIELDS = Object.keys(READERS) as readonly Field[]
/** They give way where there is no room. */
const DETAILS: ReadonlySet<Field> = new Set(['error', 'stack'])
/** Counters. None of them may grow beyond what a receiver accepts. */
const COUNTS: ReadonlySet<Field> = new Set(['resendNumber', 'hops', 'asked', 'attempts'])

function readId(value: unknown): string | undefined {
  return isUniqueRequestId(value) ? value : undefined
}

/** 1 to 256 printable ASCII characters without spaces: safe as an attribute, as a key and in a log. */
export function isUniqueRequestId(text: unknown): text is string {
  return (
    isText(text) &&
    // @protects an id fits into every copy
    text.length <= MAX_ID_LENGTH &&
    PRINTABLE.test(text)
  )
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
export function isTraceparent(text: unknown): text is string {
  return isText(text) && TRACEPARENT.test(text)
}

/** An id in another form than ours, which a foreign sender gave, is hashed, because every copy has to carry it. */
export function decodeId({ value }: Attribute, ignore: Ignore): string | undefined {
  if (value.length === 0) {
    ignore(ID_ATTRIBUTE)
    return undefined
  }
  if (typeof value === 'string') return sendableId(value)
  return stableId('bytes', Buffer.from(value).toString('base64'))
}

/**
 * The id that is used in place of one that cannot be sent. Lone surrogates are escaped first: in UTF-8 they all become the same bytes, so
 * different ids would become equal.
 */
export function sendableId(id: string): string {
  const isSendable: boolean = isUniqueRequestId(id)
  if (isSendable) return id
  // @protects different ids stay different when they are hashed
  // @without its then
  return id.isWellFormed()
    ? stableId('payload', id)
    : stableId('payload, escaped', JSON.stringify(id))
}

/**
 * Reads what `encodePacked` wrote. A field of a wrong type or range is left out, and `ignore` gets its name. An object without our
 * format number was not written by Lineclear, and is left out whole.
 * @returns an error: a newer version has written it, so nothing may be decided on its message
 */
export function decodePacked(
  { type, value }: Attribute,
  now: number,
  ignore: Ignore,
): PackedFields | UnknownFormatError | undefined {
  const fits = type === 'String' && isText(value) && Buffer.byteLength(value) <= MAX_PACKED_BYTES
  const wire = fits ? parseObject(value) : undefined
  const format = wire?.['format']
  if (typeof format === 'number' && format > FORMAT) return unknownFormat('the message', format)
  if (wire === undefined || format !== FORMAT) {
    ignore(PACKED_ATTRIBUTE)
    return undefined
  }
  const fields: Record<string, unknown> = { resendNumber: 0, hops: 0 }
  for (const field of FIELDS) {
    if (wire[field] === undefined) continue
    const value = READERS[field](wire[field], now)
    if (value === undefined) ignore(`${PACKED_ATTRIBUTE}.${field}`)
    else fields[field] = value
  }
  return fields as object as PackedFields
}

/**
 * The text of the packed attribute. Its error is shortened, as far as possible, so that the text has at most `room` bytes. The
 * stack is left out if it does not fit beside it.
 */
export function encodePacked(carried: PackedFields, room: number = MAX_PACKED_BYTES): string {
  const wire: Record<string, unknown> = { format: FORMAT }
  for (const field of FIELDS) {
    const value = carried[field]
    if (value === undefined || DETAILS.has(field)) continue
    wire[field] = COUNTS.has(field) ? Math.min(Number(value), MAX_COUNT) : value
  }
  if (carried.reason !== undefined) wire['reason'] = shorten(carried.reason, MAX_REASON_BYTES)
  const rest = toMessageJson(wire)
  const most = Math.min(room, MAX_PACKED_BYTES)
  const left = most - Buffer.byteLength(rest) - ',"error":""'.length
  const error = shorten(carried.error ?? '', left)
  if (error === '') return rest
  const all = toMessageJson({ ...wire, error, ...(carried.stack && { stack: carried.stack }) })
  return Buffer.byteLength(all) <= most ? all : toMessageJson({ ...wire, error })
}

/**
 * Checks an id that a user gives. A computed one may contain any text.
 * @param source what it may have been made of: see missingIn
 * @throws ConfigError when the receiver would not recognise `id`, or when it is made of a missing value
 */
export function assertUniqueRequestId(id: string, source?: unknown): void {
  assertSendable(id)
  if (missingIn(id, source) !== undefined) throw wrongId(id)
}

/** @throws ConfigError when the receiver would not recognise `id`, and would treat the message as another request */
export function assertSendable(id: string): void {
  if (!isUniqueRequestId(id)) throw wrongId(id)
}

function wrongId(id: string): ConfigError {
  return new ConfigError(
    `uniqueRequestId: expected 1 to 256 printable ASCII characters without spaces, not made of a missing value, got ${toMessageJson(shorten(id, 80))}. ` +
      'Nothing was sent. Give an id of that form, or a hash of yours.',
  )
}

function readFlow(value: unknown, now: number): RunReference | undefined {
  if (!isObject(value)) return undefined
  const { name, key, id, epoch, sentAt, from, fence, timeout, late } = value
  const count = integer(epoch, 1, Number.MAX_SAFE_INTEGER)
  // The limit is generous, because a clock that is an hour slow must not separate a message from its run.
  const time = integer(sentAt, 1, now + LONGEST_WAIT)
  if (!isText(name) || !PART_NAME.test(name) || !isText(from) || !PART_NAME.test(from))
    return undefined
  if (!isFlowKey(key) || !isUniqueRequestId(id)) return undefined
  if (count === undefined || time === undefined) return undefined
  if (timeout !== undefined && timeout !== true) return undefined
  return {
    name,
    key,
    id,
    epoch: count,
    sentAt: time,
    from,
    ...withFence(integer(fence, 1, Number.MAX_SAFE_INTEGER)),
    ...(timeout === true ? { timeout } : {}),
    ...(late === true ? { late } : {}),
  }
}

/** Only saves a read: a message without it, or with a wrong one, is claimed as well. */
function withFence(fence: number | undefined): Pick<RunReference, 'fence'> {
  return fence === undefined ? {} : { fence }
}

const SHA256 = /^[\da-f]{64}$/

function readPayload(value: unknown): CarriedPayload | undefined {
  if (!isObject(value)) return undefined
  const { sha256, bytes } = value
  const size = integer(bytes, 1, Number.MAX_SAFE_INTEGER)
  if (!isText(sha256) || !SHA256.test(sha256)) return undefined
  return size === undefined ? undefined : { sha256, bytes: size }
}

/** Checks the same limits as for a key from a payload, because no flow has sent a longer one. */
function isFlowKey(key: unknown): key is string {
  if (!isText(key) || key === '' || !key.isWellFormed()) return false
  return Buffer.byteLength(key) <= MAX_FLOW_KEY_BYTES
}

function integer(value: unknown, least: number, most: number): number | undefined {
  // @survives ConditionalExpression: only a number is a safe integer by Number.isSafeInteger; the check is for the types.
  const fits = typeof value === 'number' && Number.isSafeInteger(value)
  return fits && value >= least && value <= most ? value : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** The times that copies and messages of a request carry. `takenAt` is included only if it differs from `sentAt`. */
export function timesOf({
  sentAt,
  takenAt,
}: {
  readonly sentAt: number
  readonly takenAt: number | undefined
}): { readonly sentAt: number; readonly takenAt?: number } {
  return takenAt === undefined || takenAt === sentAt ? { sentAt } : { sentAt, takenAt }
}
