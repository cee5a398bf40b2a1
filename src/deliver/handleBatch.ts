import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { isObject } from '../base/kindOf.ts'
import { isAcknowledged } from '../claim/settlement.ts'
import { isDurableContext } from '../base/handler.ts'
import type { ClaimStrategy } from './claimStrategy.ts'
import type { Consumer } from './consumer.ts'
import { type Invocation, openInvocation } from './invocation.ts'
import { loadUncommon } from './lazy.ts'
import { readRecords } from './incomingRecord.ts'
import type { SettledRecord } from './invocation.ts'
import { runOrdered, runUnordered } from './runRecords.ts'

/**
 * One invocation: a batch comes in, and the response names the records that stay on the queue.
 * @throws ConfigError for an event that is not from SQS, and without the context of Lambda
 */
export async function handleBatch(
  event: SQSEvent,
  context: Context,
  consumer: Consumer,
  strategy: ClaimStrategy,
): Promise<SQSBatchResponse> {
  const records = readRecords(event)
  if (records === undefined) throw (await loadUncommon()).unexpectedEvent(event)
  const [first] = records
  if (first === undefined) return { batchItemFailures: [] }
  // From JavaScript, and in tests.
  if (!isObject(context) || isDurableContext(context))
    throw (await loadUncommon()).noContext(context)
  const { features } = consumer
  const run = (): Promise<SQSBatchResponse> =>
    runBatch(records, openInvocation(consumer, context, first.eventSourceARN), strategy)
  return features.batch === undefined ? run() : features.batch(records, run)
}

async function runBatch(
  records: readonly SQSRecord[],
  invocation: Invocation,
  strategy: ClaimStrategy,
): Promise<SQSBatchResponse> {
  const run = invocation.fifo ? runOrdered : runUnordered
  try {
    const all = Promise.all([
      run(records, { invocation, strategy }),
      tellResponses(records, invocation),
    ])
    const [settled] = (await invocation.unlessClosed(all)) ?? [
      (await loadUncommon()).endsSoFar(records, invocation),
    ]
    const response = await respond(settled, invocation)
    invocation.consumer.messenger.assertReached?.()
    return response
  } finally {
    invocation.close()
    invocation.watch?.ended?.()
  }
}

async function tellResponses(records: readonly SQSRecord[], invocation: Invocation): Promise<void> {
  const { responses } = invocation.consumer.features
  if (responses?.isOpen(invocation.queueArn) !== true) return
  const { responseSite } = await loadUncommon()
  await responses.received(records, responseSite(invocation))
}

/** If the code for records that stay cannot be loaded, the batch fails: SQS then keeps all of it. */
async function respond(
  settled: readonly SettledRecord[],
  invocation: Invocation,
): Promise<SQSBatchResponse> {
  const isClear = invocation.consumer.features.responses?.isOpen(invocation.queueArn) !== true
  if (isClear && settled.every(({ settlement }) => isAcknowledged(settlement)))
    return { batchItemFailures: [] }
  const { buildResponse } = await loadUncommon()
  return buildResponse(settled, invocation)
}
