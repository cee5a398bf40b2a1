import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs'
import type { SQSMessageAttribute, SQSMessageAttributes, SQSRecord } from 'aws-lambda'

/** A received message in the form of a record in Lambda's event. */
export function toRecord(message: Message, queueArn: string): SQSRecord {
  const md5OfMessageAttributes = message.MD5OfMessageAttributes
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: { ...NO_ATTRIBUTES, ...message.Attributes },
    messageAttributes: toMessageAttributes(message.MessageAttributes ?? {}),
    md5OfBody: message.MD5OfBody ?? '',
    ...(md5OfMessageAttributes && { md5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  }
}

/** The four attributes that every record has. */
const NO_ATTRIBUTES = {
  ApproximateReceiveCount: '1',
  SentTimestamp: '0',
  SenderId: '',
  ApproximateFirstReceiveTimestamp: '0',
}

/** The SDK loses the value of an attribute named `__proto__`, which is a legal name, so it is missing here. */
function toMessageAttributes(
  attributes: Readonly<Record<string, MessageAttributeValue | undefined>>,
): SQSMessageAttributes {
  const entries = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, toAttribute(value)] as const],
  )
  return Object.fromEntries(entries)
}

function toAttribute(value: MessageAttributeValue): SQSMessageAttribute {
  const { StringValue, BinaryValue, DataType = '' } = value
  return {
    ...(StringValue !== undefined && { stringValue: StringValue }),
    ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType,
  }
}
