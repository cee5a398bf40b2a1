import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { isDurableContext } from '../base/handler.ts'
import { isObject } from '../base/kindOf.ts'
import { isAcknowledged } from '../claim/settlement.ts'
import type { ClaimStrategy } from './claimStrategy.ts'
import type { Consumer } from './consumer.ts'
import { readRecords } from './incomingRecord.ts'
import { type Invocation, openInvocation } from './invocation.ts'
import { buildResponse, endsSoFar, responseSite } from './respond.ts'
import { runBatch } from './runBatch.ts'
import { noContext, unexpectedEvent } from './unexpectedEvent.ts'

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
  if (records === undefined) throw unexpectedEvent(event)
  const [first] = records
  if (first === undefined) return { batchItemFailures: [] }
  // From JavaScript, and in tests.
  if (
    !isObject(context) ||
    // @protects a durable execution is refused
    // @tests test/call/durable
    isDurableContext(context)
  )
    throw noContext(context)
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
  const all = Promise.all([
    runBatch(records, { invocation, strategy }),
    isAsked() && responses?.received(records, responseSite(invocation)),
  ])
  const [settled] = (await unlessClosed(all)) ?? [endsSoFar(records, invocation)]
  const isClear = !isAsked() && settled.every(({ settlement }) => isAcknowledged(settlement))
  const response = isClear ? { batchItemFailures: [] } : await buildResponse(settled, invocation)
  consumer.messenger.assertReached?.()
  return response
}
