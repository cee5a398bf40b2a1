import type { SQSRecord } from 'aws-lambda'
import type { Attributes, LineclearAttributes } from '../../record/envelope/envelope.ts'
import { readEnvelope } from '../../record/envelope/readEnvelope.ts'

/** What a message says, opened: out of SNS's notification, and out of Lineclear's own wrapper. */
export interface OpenedMessage {
  readonly messageId: string
  /** As it was sent or published. */
  readonly body: string
  /** The body's JSON; the body itself where it is none. */
  readonly payload: unknown
  /** The sender's, texts and numbers as text: `{ tenant: 'a', quantity: '2' }`. */
  readonly attributes: Readonly<Record<string, string | Uint8Array>>
  /** Lineclear's own: `uniqueRequestId`, `retry`, `sentAt`; of a dead letter `reason`, `error`, `attempts`, `source`. */
  readonly carried: LineclearAttributes
  readonly receiveCount: number
}

export function openMessage(record: SQSRecord, now: number): OpenedMessage {
  const { body, attributes, carried } = readEnvelope(record, { topics: 'any', now })
  return {
    messageId: record.messageId,
    body,
    payload: payloadOf(body),
    attributes: valuesOf(attributes),
    carried,
    receiveCount: Number(record.attributes.ApproximateReceiveCount),
  }
}

function valuesOf(attributes: Attributes): OpenedMessage['attributes'] {
  return Object.fromEntries(Object.entries(attributes).map(([name, { value }]) => [name, value]))
}

function payloadOf(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return body
  }
}
