import { randomUUID } from 'node:crypto'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { sqsRecord } from 'lineclear/testing'

/** Which records of a batch were worked on before: none, all, or every other one. These come with a receive count of 2. */
export type Shape = 'unique' | 'replayed' | 'half'

export const NAME_OF: Readonly<Record<Shape, string>> = {
  unique: 'unique',
  replayed: 'replayed',
  half: 'half replayed',
}

export interface Batch {
  /** What has to have run for the batch to have its shape. */
  readonly before: SQSEvent | undefined
  readonly event: SQSEvent
  /** Executions that the batch itself has to cause. */
  readonly fresh: number
}

export function batchOf(shape: Shape, size: number, payloadBytes: number): Batch {
  const records = Array.from({ length: size }, () => sqsRecord(orderOf(payloadBytes)))
  const isKnown = (nth: number): boolean =>
    shape === 'replayed' || (shape === 'half' && nth % 2 === 1)
  const known = records.filter((_, nth) => isKnown(nth))
  return {
    before: known.length === 0 ? undefined : { Records: known },
    event: { Records: records.map((record, nth) => (isKnown(nth) ? redelivered(record) : record)) },
    fresh: size - known.length,
  }
}

/** What the messages are about. */
export interface Order {
  readonly orderId: string
}

export function orderIdOf(payload: unknown): string {
  return typeof payload === 'object' && payload !== null && 'orderId' in payload
    ? String(payload.orderId)
    : ''
}

function orderOf(bytes: number): object {
  const order = { orderId: randomUUID(), sku: 'line-7', quantity: 3, note: '' }
  return { ...order, note: 'x'.repeat(Math.max(0, bytes - JSON.stringify(order).length)) }
}

function redelivered(record: SQSRecord): SQSRecord {
  return { ...record, attributes: { ...record.attributes, ApproximateReceiveCount: '2' } }
}
