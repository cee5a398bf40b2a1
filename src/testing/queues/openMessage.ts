import type { SQSRecord } from 'aws-lambda'
import type { Attributes, LineclearAttributes } from '../../record/envelope/envelope.ts'
import { readEnvelope } from '../../record/envelope/readEnvelope.ts'

/** The content of a message, taken out of SNS's notification and of Lineclear's envelope. */
export interface OpenedMessage {
  readonly messageId: string
  /** The text that was sent or published. */
  readonly body: string
  /** The body parsed as JSON, or the body itself when it is not JSON. */
  readonly payload: unknown
  /** The sender's attributes; numbers as text. @example { tenant: 'a', quantity: '2' } */
  readonly attributes: Readonly<Record<string, string | Uint8Array>>
  /** Lineclear's own: `uniqueRequestId`, `retry`, `sentAt`; on a dead letter also `reason`, `error`, `attempts` and `source`. */
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
