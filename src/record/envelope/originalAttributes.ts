import type { SQSMessageAttribute, SQSRecord } from 'aws-lambda'
import type { Outgoing, WireAttribute } from './outgoingMessage.ts'

/** The message once more, byte for byte, with what a newer version may have written. */
export function asItCame({ body, messageAttributes }: SQSRecord): Outgoing {
  const entries = Object.entries(messageAttributes).map(([name, attribute]) => [
    name,
    toWire(attribute),
  ])
  return { body, attributes: Object.fromEntries(entries) as Outgoing['attributes'] }
}

function toWire({ dataType, stringValue, binaryValue }: SQSMessageAttribute): WireAttribute {
  return binaryValue === undefined
    ? { DataType: dataType, StringValue: stringValue ?? '' }
    : { DataType: dataType, BinaryValue: Buffer.from(binaryValue, 'base64') }
}
