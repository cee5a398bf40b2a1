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
export type SentAttributes = Readonly<Record<string, SentAttribute>>

// docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_MessageAttributeValue.html and API_SendMessage.html
const NAME = /^(?!\.)(?!.*\.\.)[A-Za-z0-9_.-]{1,256}(?<!\.)$/
const RESERVED = /^(aws|amazon)\./i
const TYPE = /^(String|Number|Binary)(\.[A-Za-z0-9_.-]+)?$/
const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/
const UNSENDABLE = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u

/** The rules for attributes that SQS and SNS share; each service has its own limit for their number. */
export function refuseAttributes(attributes: SentAttributes = {}): AwsRefusal | undefined {
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
