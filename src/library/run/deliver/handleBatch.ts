import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { isDurableContext } from '../../base/handler.ts'
import { isObject } from '../../base/kindOf.ts'
import { isAcknowledged } from '../../protocol/claim/settlement.ts'
import type { ClaimStrategy } from './claimStrategy.ts'
import type { Consumer } from './consumer.ts'
import { readRecords } from './readRecord.ts'
import { type Invocation, openInvocation } from './invocation.ts'
import { loadUncommon } from './lazy.ts'
import { runBatch } from './runBatch.ts'

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
  // JavaScript callers and tests may pass no context.
  if (
    !isObject(context) ||
    // @protects a durable execution is refused
    // @tests test/call/durable
    isDurableContext(context)
  )
    throw (await loadUncommon()).noContext(context)
  const run = async (): Promise<SQSBatchResponse> => {
    const invocation = openInvocation(consumer, context, first.eventSourceARN)
    try {
      return await handleAll(records, invocation, strategy)
    } finally {
      invocation.close()
      invocation.watch?.ended?.()
    }
  }
  return consumer.features.batch?.(records, run) ?? run()
}

async function handleAll(
  records: readonly SQSRecord[],
  invocation: Invocation,
  strategy: ClaimStrategy,
): Promise<SQSBatchResponse> {
  const { consumer, queueArn, unlessClosed } = invocation
  const { responses } = consumer.features
  const isAsked = (): boolean => responses?.isOpen(queueArn) === true
  const askFirst = async (): Promise<void> => {
    if (!isAsked()) return
    const { responseSite } = await loadUncommon()
    await responses?.received(records, responseSite(invocation))
  }
  const all = Promise.all([runBatch(records, { invocation, strategy }), askFirst()])
  const [settled] = (await unlessClosed(all)) ?? [
    (await loadUncommon()).endsSoFar(records, invocation),
  ]
  const isClear = !isAsked() && settled.every(({ settlement }) => isAcknowledged(settlement))
  // If it cannot be loaded, the batch fails, and SQS keeps all of it.
  const response = isClear
    ? { batchItemFailures: [] }
    : await (await loadUncommon()).buildResponse(settled, invocation)
  consumer.messenger.assertReached?.()
  return response
}
