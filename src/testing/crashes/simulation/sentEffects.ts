import { UnknownFormatError } from '../../../library/base/errors.ts'
import {
  decodePacked,
  ID_ATTRIBUTE,
  PACKED_ATTRIBUTE,
  type PackedFields,
} from '../../../library/protocol/record/envelope/lineclearAttributes.ts'
import { parseObject } from '../../../library/protocol/record/envelope/json.ts'
import { isTimeoutBody } from '../../../library/protocol/claim/awaiting/stepMessage.ts'
import type { QueueMessage } from '../../../library/protocol/send/messenger.ts'
import { isDeadLetterQueue } from '../../queues/description.ts'
import { attributeOf, type SimulatedMessage } from '../../queues/simulatedQueue.ts'
import type { UserItem } from '../../../library/protocol/store/store.ts'

export interface SentEffect {
  readonly target: string
  /** A receiver processes messages of one identity once. */
  readonly identity: string
  /** All that a receiver can see of the message, as text for the report. */
  readonly content: string
  /** The message group on a FIFO queue, else empty. */
  readonly group: string
}

/** The queue and the messages that an invocation was called with. */
export interface InvocationInput {
  readonly queue: string
  readonly messages: readonly SimulatedMessage[]
}

export function sendingOf(
  target: string,
  { id, message }: SimulatedMessage,
  ignored: readonly string[],
): SentEffect {
  const identity = attributeOf(message, ID_ATTRIBUTE) ?? id
  return { target, identity, content: contentOf(message, ignored), group: message.groupId ?? '' }
}

function contentOf({ body, attributes }: QueueMessage, ignored: readonly string[]): string {
  const own = Object.entries(attributes)
    .filter(([name]) => name !== ID_ATTRIBUTE && name !== PACKED_ATTRIBUTE)
    .map(([name, it]) => `${name}=${'StringValue' in it ? it.StringValue : 'bytes'}`)
    .toSorted()
  const payload = ignored.length === 0 ? undefined : parseObject(body)
  const kept = Object.entries(payload ?? {}).filter(([field]) => !ignored.includes(field))
  const text = payload === undefined ? body : JSON.stringify(Object.fromEntries(kept))
  return own.length === 0 ? text : `${text} with ${own.join(', ')}`
}

/**
 * Whether a sent message is an effect of the handler, judged by its attributes. A resend of a received message is not, nor is
 * a dead letter, nor the timeout message that a flow sends to itself.
 */
export function isEffect(
  target: string,
  message: QueueMessage,
  { queue, messages }: InvocationInput,
): boolean {
  if (isDeadLetterQueue(target)) return false
  const carried = carriedBy(message)
  if (carried === undefined) return true
  if (carried.flow?.timeout === true && isTimeoutBody(parseObject(message.body))) return false
  return queue !== target || !messages.some((each) => isCopyOf(each.message, message, carried))
}

/**
 * A resend goes to the queue that the message came from. Its attributes show it: a higher retry number, a higher number of
 * deferrals, or, for an answer that several runs wait for, the run that this copy is for.
 */
function isCopyOf(before: QueueMessage, message: QueueMessage, carried: PackedFields): boolean {
  if (carried.wrapped !== true && message.body !== before.body) return false
  const then = carriedBy(before)
  if (
    carried.resendNumber > (then?.resendNumber ?? 0) ||
    (carried.asked ?? 0) > (then?.asked ?? 0)
  ) {
    const stamped = attributeOf(before, ID_ATTRIBUTE)
    return stamped === undefined || stamped === attributeOf(message, ID_ATTRIBUTE)
  }
  return carried.flow !== undefined && then?.flow === undefined
}

/** So that no time in a message is refused as one to come. */
const ANY_TIME = Number.MAX_SAFE_INTEGER / 2

export function carriedBy(message: QueueMessage): PackedFields | undefined {
  const value = attributeOf(message, PACKED_ATTRIBUTE)
  if (value === undefined) return undefined
  const packed = decodePacked({ type: 'String', value }, ANY_TIME, () => {})
  return packed instanceof UnknownFormatError ? undefined : packed
}

export function rowText(item: UserItem): string {
  return JSON.stringify(item, plain)
}

/** A `JSON.stringify` replacer for values that JSON cannot hold. */
export function plain(_name: string, value: unknown): unknown {
  if (value instanceof Set) return [...value]
  // Lineclear treats all errors of one code alike.
  if (value instanceof Error) return 'code' in value ? value.code : value.message
  return typeof value === 'bigint' ? String(value) : value
}
