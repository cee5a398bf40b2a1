import type { SQSMessageAttribute, SQSRecord } from 'aws-lambda'
import type { OutgoingMessage, OutgoingAttribute } from './outgoingMessage.ts'

/** Copies the message byte for byte, including attributes that a newer version has written. */
export function unchangedCopy({ body, messageAttributes }: SQSRecord): OutgoingMessage {
  const entries = Object.entries(messageAttributes).map(([name, attribute]) => [
    name,
    toOutgoing(attribute),
  ])
  return { body, attributes: Object.fromEntries(entries) as OutgoingMessage['attributes'] }
}

function toOutgoing({
  dataType,
  stringValue,
  binaryValue,
}: SQSMessageAttribute): OutgoingAttribute {
  return binaryValue === undefined
    ? { DataType: dataType, StringValue: stringValue ?? '' }
    : { DataType: dataType, BinaryValue: Buffer.from(binaryValue, 'base64') }
}
