import { randomUUID } from 'node:crypto'
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda'
import { sqsRecord } from 'lineclear/testing'

/** Which of the records of a batch were worked on before. */
export type Shape = 'unique' | 'replayed' | 'half'

/** A batch, and what has to have run before it so that it has its shape. */
export interface Batch {
  readonly before: SQSEvent | undefined
  readonly event: SQSEvent
  /** Executions that the batch itself has to cause. */
  readonly fresh: number
}

export function batchOf(shape: Shape, size: number, payloadBytes: number): Batch {
  const records = Array.from({ length: size }, () => sqsRecord(orderOf(payloadBytes)))
  const known = records.filter(
    (_, nth) => shape === 'replayed' || (shape === 'half' && nth % 2 === 1),
  )
  return {
    before: known.length === 0 ? undefined : { Records: known },
    event: { Records: records.map((record) => (known.includes(record) ? again(record) : record)) },
    fresh: size - known.length,
  }
}

/** As SQS delivers a message that nobody deleted. */
function again(record: SQSRecord): SQSRecord {
  return { ...record, attributes: { ...record.attributes, ApproximateReceiveCount: '2' } }
}

function orderOf(bytes: number): object {
  const order = { orderId: randomUUID(), sku: 'line-7', quantity: 3, note: '' }
  return { ...order, note: 'x'.repeat(Math.max(0, bytes - JSON.stringify(order).length)) }
}

/** As Lambda hands it over, with half a minute left. */
export function contextOf(): Context {
  return {
    functionName: 'orders-consumer',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:orders-consumer',
    memoryLimitInMB: '512',
    awsRequestId: randomUUID(),
    logGroupName: '/aws/lambda/orders-consumer',
    logStreamName: '2026/11/01/[$LATEST]0123456789abcdef',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => 30_000,
    done: () => {},
    fail: () => {},
    succeed: () => {},
  }
}
