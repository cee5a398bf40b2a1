import { refuseAttributes, type SentAttributes } from './attributeRules.ts'
import type { AwsRefusal } from '../../queues/refuseEntry.ts'

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
