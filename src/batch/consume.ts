import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { ConfigError, messageOf } from '../errors.ts'
import { report } from '../metrics/metrics.ts'
import { conclude } from './conclude.ts'
import type { Consumer } from './consumer.ts'
import { type Invocation, openInvocation } from './invocation.ts'
import type { Protocol } from './protocol.ts'
import { runOrdered, runUnordered } from './runRecords.ts'

/** One invocation: the batch in, what stays on the queue out. */
export async function consume(
  event: SQSEvent,
  context: Context,
  consumer: Consumer,
  protocol: Protocol,
): Promise<SQSBatchResponse> {
  const records = recordsOf(event)
  const [first] = records
  if (first === undefined) return { batchItemFailures: [] }
  const invocation = openInvocation(consumer, context, first.eventSourceARN, protocol)
  try {
    const settled = await (invocation.fifo ? runOrdered : runUnordered)(records, invocation)
    const response = await conclude(settled, invocation)
    consumer.messenger.assertReached?.()
    return response
  } finally {
    invocation.close()
    tell(invocation)
  }
}

/** The batch is what it is, whatever becomes of its figures. */
function tell({ consumer, tally }: Invocation): void {
  const { metrics, dimensions, logger, name } = consumer
  if (metrics === undefined || tally === undefined) return
  try {
    report(metrics, dimensions, tally.figures())
  } catch (error) {
    logger.error('metrics threw', { consumer: name, error: messageOf(error) })
  }
}

function recordsOf(event: SQSEvent): readonly SQSRecord[] {
  const records: unknown = event?.Records
  const list: readonly unknown[] | undefined = Array.isArray(records) ? records : undefined
  if (list?.every(isSqsRecord) === true) return list
  throw new ConfigError(
    `recordHandler takes events of SQS: expected Records with eventSource "aws:sqs" and an eventSourceARN, got ${describe(event)}. ` +
      `Nothing was acknowledged. Check which event source the function is mapped to.`,
  )
}

function isSqsRecord(record: unknown): record is SQSRecord {
  return (
    typeof record === 'object' &&
    record !== null &&
    'eventSource' in record &&
    record.eventSource === 'aws:sqs' &&
    'eventSourceARN' in record &&
    typeof record.eventSourceARN === 'string'
  )
}

function describe(event: unknown): string {
  if (typeof event !== 'object' || event === null) return event === null ? 'null' : typeof event
  const records = 'Records' in event && Array.isArray(event.Records) ? event.Records : undefined
  if (records === undefined)
    return `an object with ${Object.keys(event).slice(0, 5).join(', ') || 'no keys'}`
  const other: unknown = records.find((record) => !isSqsRecord(record))
  if (typeof other !== 'object' || other === null) return 'a record that is no object'
  return `a record of ${String('eventSource' in other ? other.eventSource : 'EventSource' in other ? other.EventSource : 'no event source')}`
}
