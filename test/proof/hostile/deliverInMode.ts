import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import type { Faults } from '../../../src/testing/local/faults/faults.ts'
import { newInvocation } from '../../../src/testing/local/faults/invocation.ts'
import { invoke, type InvocationOutcome } from '../../../src/testing/local/mapping/invoke.ts'
import { KILL_POINTS } from './killPoints.ts'
import { byClockOf, passLease } from './time.ts'
import { LOST_ANSWERS } from './lostAnswers.ts'
import { mode } from './mode.ts'

/** Delivers a batch to a handler with the faults of the mode. @returns what no invocation has acknowledged */
export async function deliverInMode(
  handler: SqsHandler,
  event: SQSEvent,
  context: Context,
): Promise<SQSBatchResponse> {
  const { times = 1, atOnce, killsAtEachCall, losesAnswers } = mode
  if (killsAtEachCall) return untilOneLives(handler, event, context)
  if (losesAnswers) return responseOf(await run(handler, event, context, { at: LOST_ANSWERS }, 1))
  // Delivered by hand, the messages of a killed invocation would not be redelivered.
  const faults = { ...mode.faults, kill: 0 }
  const once = (): Promise<SQSBatchResponse> => answerOf(handler, event, context, faults)
  if (atOnce) {
    const kept = keptByAll(await Promise.all(Array.from({ length: times }, once)))
    return again(handler, event, context, kept)
  }
  const responses: SQSBatchResponse[] = []
  for (let time = 0; time < times; time++) responses.push(await once())
  return keptByAll(responses)
}

/** Each may have waited for one that failed: what is kept is redelivered alone. */
async function again(
  handler: SqsHandler,
  event: SQSEvent,
  context: Context,
  { batchItemFailures }: SQSBatchResponse,
): Promise<SQSBatchResponse> {
  const ids = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  const Records = event.Records.filter(({ messageId }) => ids.has(messageId))
  if (Records.length === 0) return { batchItemFailures: [] }
  return answerOf(handler, { Records }, context, {})
}

async function untilOneLives(
  handler: SqsHandler,
  event: SQSEvent,
  context: Context,
): Promise<SQSBatchResponse> {
  for (const point of KILL_POINTS) {
    const outcome = await run(handler, event, context, { at: [{ ...point, invocation: 1 }] }, 1)
    if (outcome.kind !== 'killed') return responseOf(outcome)
    passLease(context.getRemainingTimeInMillis())
  }
  throw new Error('The handler makes more calls than there are points at which it is killed.')
}

let invocations = 0

async function answerOf(
  handler: SqsHandler,
  event: SQSEvent,
  context: Context,
  faults: Faults,
): Promise<SQSBatchResponse> {
  return responseOf(await run(handler, event, context, faults, (invocations += 1)))
}

function run(
  handler: SqsHandler,
  event: SQSEvent,
  context: Context,
  faults: Faults,
  number: number,
): Promise<InvocationOutcome> {
  const timed = byClockOf.bind(undefined, handler)
  return invoke(
    (given, lambda) => timed(() => handler(given, lambda)),
    JSON.stringify(event),
    context,
    newInvocation(number, faults, () => {}),
  )
}

function responseOf(outcome: InvocationOutcome): SQSBatchResponse {
  if (outcome.kind === 'answered') return JSON.parse(outcome.response) as SQSBatchResponse
  if (outcome.kind === 'failed') throw outcome.error
  throw new Error(`The function ${outcome.kind}.`)
}

/** SQS deletes a message once one of its deliveries was acknowledged. */
function keptByAll([first, ...others]: readonly SQSBatchResponse[]): SQSBatchResponse {
  const batchItemFailures = (first?.batchItemFailures ?? []).filter(({ itemIdentifier: id }) =>
    others.every((other) =>
      other.batchItemFailures.some(({ itemIdentifier }) => itemIdentifier === id),
    ),
  )
  return { batchItemFailures }
}
