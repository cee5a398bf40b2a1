import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { messageOf } from '../errors.ts'
import { report } from '../metrics/metrics.ts'
import { probeMapping } from './probeMapping.ts'
import { buildResponse } from './buildResponse.ts'
import type { Consumer } from './consumer.ts'
import { type Invocation, openInvocation } from './invocation.ts'
import type { ClaimStrategy } from './claimStrategy.ts'
import { readRecords } from './readRecords.ts'
import { runOrdered, runUnordered } from './runRecords.ts'

/** One invocation: the batch in, what stays on the queue out. */
export async function handleBatch(
  event: SQSEvent,
  context: Context,
  consumer: Consumer,
  protocol: ClaimStrategy,
): Promise<SQSBatchResponse> {
  const records = readRecords(event)
  const [first] = records
  if (first === undefined) return { batchItemFailures: [] }
  const invocation = openInvocation(consumer, context, first.eventSourceARN, protocol)
  try {
    const [settled] = await Promise.all([
      (invocation.fifo ? runOrdered : runUnordered)(records, invocation),
      probeMapping(records, invocation),
    ])
    const response = await buildResponse(settled, invocation)
    consumer.messenger.assertReached?.()
    return response
  } finally {
    invocation.close()
    reportMetrics(invocation)
  }
}

/** The batch is what it is, whatever becomes of its figures. */
function reportMetrics({ consumer, tally }: Invocation): void {
  const { metrics, dimensions, logger, name } = consumer
  if (metrics === undefined || tally === undefined) return
  try {
    report(metrics, dimensions, tally.figures())
  } catch (error) {
    logger.error('metrics threw', { consumer: name, error: messageOf(error) })
  }
}
