import { Buffer } from 'node:buffer'
import type { QueueMessage } from '../queue/messenger.ts'

/** The message as one text. Binary attributes are base64 under `b64`. */
export function writeMessage({
  delaySeconds: _delay,
  moved: _stored,
  attributes,
  ...message
}: QueueMessage): string {
  const texts = Object.entries(attributes).map(([name, attribute]) => [
    name,
    'BinaryValue' in attribute
      ? { type: attribute.DataType, b64: Buffer.from(attribute.BinaryValue).toString('base64') }
      : { type: attribute.DataType, text: attribute.StringValue },
  ])
  return JSON.stringify({ ...message, attributes: texts })
}
