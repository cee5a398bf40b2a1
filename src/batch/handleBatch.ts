import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { buildResponse } from './buildResponse.ts'
import type { ClaimStrategy } from './claimStrategy.ts'
import type { Consumer } from './consumer.ts'
import { type Invocation, openInvocation } from './invocation.ts'
import { probeMapping } from './probeMapping.ts'
import { readRecords } from './readRecords.ts'
import { reportMetrics } from './reportMetrics.ts'
import { runOrdered, runUnordered } from './runRecords.ts'

/** One invocation: a batch comes in, and the response names the records that stay on the queue. */
export async function handleBatch(
  event: SQSEvent,
  context: Context,
  consumer: Consumer,
  strategy: ClaimStrategy,
): Promise<SQSBatchResponse> {
  const records = readRecords(event)
  const [first] = records
  if (first === undefined) return { batchItemFailures: [] }
  const { tracing, dimensions: names } = consumer
  const run = (): Promise<SQSBatchResponse> =>
    runBatch(records, openInvocation(consumer, context, first.eventSourceARN), strategy)
  return tracing === undefined ? run() : tracing.batch(records, names, run)
}

async function runBatch(
  records: readonly SQSRecord[],
  invocation: Invocation,
  strategy: ClaimStrategy,
): Promise<SQSBatchResponse> {
  const run = invocation.fifo ? runOrdered : runUnordered
  try {
    const [settled] = await Promise.all([
      run(records, { invocation, strategy }),
      probeMapping(records, invocation),
    ])
    const response = await buildResponse(settled, invocation)
    invocation.consumer.messenger.assertReached?.()
    return response
  } finally {
    invocation.close()
    if (invocation.tally !== undefined) reportMetrics(invocation, invocation.tally.figures())
  }
}
