import { invalid } from '../sdk/refusal.ts'
import type { AwsRefusal } from '../../queues/refuseEntry.ts'

/** A message attribute in the input of SendMessage and Publish. */
interface SentAttribute {
  readonly DataType?: string | undefined
  readonly StringValue?: string | undefined
  readonly BinaryValue?: Uint8Array | undefined
  readonly StringListValues?: readonly string[] | undefined
  readonly BinaryListValues?: readonly Uint8Array[] | undefined
}
type SentAttributes = Readonly<Record<string, SentAttribute>>

// docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_MessageAttributeValue.html and API_SendMessage.html
const NAME = /^(?!\.)(?!.*\.\.)[A-Za-z0-9_.-]{1,256}(?<!\.)$/
const RESERVED = /^(aws|amazon)\./i
const TYPE = /^(String|Number|Binary)(\.[A-Za-z0-9_.-]+)?$/
const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/
const UNSENDABLE = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u

/** The rules for attributes that SQS and SNS share; each service has its own limit for their number. */
function refuseAttributes(attributes: SentAttributes = {}): AwsRefusal | undefined {
  for (const [name, attribute] of Object.entries(attributes)) {
    const refusal = refuseName(name) ?? refuseType(name, attribute) ?? refuseValue(name, attribute)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function refuseName(name: string): AwsRefusal | undefined {
  if (NAME.test(name) && !RESERVED.test(name)) return undefined
  return invalid(
    `Message (user) attribute name '${name}' is invalid. It can hold A-Z, a-z, 0-9, underscore, hyphen and period, at most 256 of them, ` +
      `must not start with 'AWS.' or 'Amazon.', nor start or end with a period, nor hold two periods in a row.`,
  )
}

function refuseType(name: string, { DataType = '' }: SentAttribute): AwsRefusal | undefined {
  if (TYPE.test(DataType) && DataType.length <= 256) return undefined
  return invalid(
    `The type of message (user) attribute '${name}' is invalid. You must use only the following supported type prefixes: Binary, Number, String.`,
  )
}

function refuseValue(name: string, attribute: SentAttribute): AwsRefusal | undefined {
  if (attribute.StringListValues?.length || attribute.BinaryListValues?.length) {
    return invalid('Message attribute list values in SendMessage operation are not supported.')
  }
  const [type = ''] = (attribute.DataType ?? '').split('.')
  const value = type === 'Binary' ? attribute.BinaryValue : attribute.StringValue
  if (value === undefined || value.length === 0) {
    return invalid(
      `Message (user) attribute '${name}' must contain a non-empty value of type '${type}'.`,
    )
  }
  return typeof value === 'string' ? refuseText(name, type, value) : undefined
}

function refuseText(name: string, type: string, value: string): AwsRefusal | undefined {
  if (UNSENDABLE.test(value)) {
    return invalid(`Message (user) attribute '${name}' holds characters that are not allowed.`)
  }
  if (type !== 'Number' || NUMBER.test(value)) return undefined
  return invalid(`Can't cast the value of message (user) attribute '${name}' to a number.`)
}

/** What SendMessage, and each entry of SendMessageBatch, may hold. */
interface SendMessageInput {
  readonly MessageBody?: string
  readonly DelaySeconds?: number
  readonly MessageAttributes?: SentAttributes
  readonly MessageGroupId?: string
  readonly MessageDeduplicationId?: string
}

const MAX_ATTRIBUTES = 10
const MAX_DELAY_SECONDS = 900
const MAX_VISIBILITY_SECONDS = 43_200
/** API_SendMessage.html: alphanumeric and punctuation, at most 128. */
const FIFO_ID = /^[\x21-\x7E]{1,128}$/

/** Refuses what fauxqs accepts and SQS does not. fauxqs itself checks the size and characters of the body as SQS does. */
export function refuseSendMessage(
  message: SendMessageInput,
  queueUrl: string,
): AwsRefusal | undefined {
  const count = Object.keys(message.MessageAttributes ?? {}).length
  if (count > MAX_ATTRIBUTES) {
    return invalid(
      `Number of message attributes [${count}] exceeds the allowed maximum [${MAX_ATTRIBUTES}].`,
    )
  }
  return (
    refuseBody(message) ??
    refuseAttributes(message.MessageAttributes) ??
    refuseDelay(message) ??
    refuseIds(message, queueUrl.endsWith('.fifo'))
  )
}

export function refuseChangeVisibility(change: {
  readonly VisibilityTimeout?: number
}): AwsRefusal | undefined {
  const seconds = change.VisibilityTimeout
  if (seconds === undefined || isWhole(seconds, MAX_VISIBILITY_SECONDS)) return undefined
  return invalid(
    `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between 0 and ${MAX_VISIBILITY_SECONDS}.`,
  )
}

function refuseBody({ MessageBody }: SendMessageInput): AwsRefusal | undefined {
  if (MessageBody) return undefined
  return {
    code: 'MissingParameter',
    message: 'The request must contain the parameter MessageBody.',
  }
}

function refuseDelay({ DelaySeconds }: SendMessageInput): AwsRefusal | undefined {
  if (DelaySeconds === undefined || isWhole(DelaySeconds, MAX_DELAY_SECONDS)) return undefined
  return invalid(
    `Value ${DelaySeconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be an integer >= 0 and <= ${MAX_DELAY_SECONDS}.`,
  )
}

function refuseIds(message: SendMessageInput, fifo: boolean): AwsRefusal | undefined {
  const { MessageGroupId, MessageDeduplicationId } = message
  if (!fifo && MessageDeduplicationId !== undefined) {
    return invalid(
      `Value ${MessageDeduplicationId} for parameter MessageDeduplicationId is invalid. Reason: The request include parameter that is not valid for this queue type.`,
    )
  }
  return (
    refuseFifoId('MessageGroupId', MessageGroupId) ??
    refuseFifoId('MessageDeduplicationId', MessageDeduplicationId)
  )
}

function refuseFifoId(name: string, value: string | undefined): AwsRefusal | undefined {
  if (value === undefined || FIFO_ID.test(value)) return undefined
  return invalid(
    `Value ${value} for parameter ${name} is invalid. Reason: ${name} can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
  )
}

function isWhole(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most
}

/** The input of Publish, or one entry of PublishBatch. */
export interface Published {
  readonly Message?: string
  readonly Subject?: string
  readonly MessageAttributes?: SentAttributes
}

const MAX_BATCH_BYTES = 262_144
const MAX_RAW_ATTRIBUTES = 10
/** PublishInput in the SDK's typings: no line breaks, no control characters, fewer than 100 characters. */
const SUBJECT = /^[^\p{Cc}]{1,99}$/u

/**
 * Refuses what fauxqs accepts and SNS does not. fauxqs itself checks the size of a message as SNS does.
 * @param raw whether the topic has a subscription with raw delivery. SNS accepts the message and discards the copy for that
 * subscription when it has more than ten attributes (sns-message-attributes.html); here it is an error, because it would be lost.
 */
export function refusePublish(published: Published, raw: boolean): AwsRefusal | undefined {
  const { Subject, MessageAttributes = {} } = published
  if (Subject !== undefined && !SUBJECT.test(Subject)) {
    return { code: 'InvalidParameterException', message: 'Invalid parameter: Subject' }
  }
  const count = Object.keys(MessageAttributes).length
  if (raw && count > MAX_RAW_ATTRIBUTES) {
    return {
      code: 'InvalidParameterException',
      message:
        `The message has ${count} attributes and the topic a subscription with raw delivery, which carries at most ${MAX_RAW_ATTRIBUTES}: ` +
        'SNS would take the publish and discard that copy. Send fewer attributes or turn raw delivery off.',
    }
  }
  const refusal = refuseAttributes(MessageAttributes)
  return refusal && { code: 'InvalidParameterValueException', message: refusal.message }
}

/** docs.aws.amazon.com/sns/latest/dg/sns-batch-api-actions.html: 256 KB for all entries together. */
export function refusePublishBatch(entries: readonly Published[]): AwsRefusal | undefined {
  const total = entries.reduce((sum, entry) => sum + publishedBytes(entry), 0)
  if (total <= MAX_BATCH_BYTES) return undefined
  return {
    code: 'BatchRequestTooLongException',
    message: `The length of all the messages in the batch put together is ${total} bytes, more than the limit of ${MAX_BATCH_BYTES}.`,
  }
}

function publishedBytes({ Message = '', MessageAttributes = {} }: Published): number {
  return Object.entries(MessageAttributes).reduce(
    (sum, [name, { DataType = '', StringValue = '', BinaryValue }]) =>
      sum + bytes(name) + bytes(DataType) + bytes(StringValue) + (BinaryValue?.byteLength ?? 0),
    bytes(Message),
  )
}

function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}
