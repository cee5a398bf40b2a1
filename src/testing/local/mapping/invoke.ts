import type { Callback, Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import {
  untilTerminated,
  terminate,
  runInside,
  type LocalInvocation,
} from '../faults/invocation.ts'
import { noCallbacks } from './lambdaContext.ts'

/** Any Lambda handler for SQS, also one of type `SQSHandler`. It must return a promise: callbacks are not supported. */
export type QueueHandler = (
  event: SQSEvent,
  context: Context,
  callback: Callback<SQSBatchResponse | void>,
) => unknown

/** How an invocation ended. `response` is JSON, as Lambda transports it. */
export type InvocationOutcome =
  | { readonly kind: 'answered'; readonly response: string }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'killed' }

/**
 * Runs the handler until it answers, throws, dies or reaches its timeout. JavaScript cannot be stopped from outside: the code of
 * a dead invocation continues, but none of its SDK calls on an instrumented client leaves or ends any more.
 * @param event the event's JSON, so that handlers never share objects
 */
export async function invoke(
  handler: QueueHandler,
  event: string,
  context: Context,
  invocation: LocalInvocation,
): Promise<InvocationOutcome> {
  const timer = setTimeout(terminate, context.getRemainingTimeInMillis(), invocation, 'timedOut')
  try {
    return await Promise.race([
      runInside(invocation, () => answerOf(handler, event, context)),
      untilTerminated(invocation).then((kind) => ({ kind })),
    ])
  } finally {
    clearTimeout(timer)
  }
}

async function answerOf(
  handler: QueueHandler,
  event: string,
  context: Context,
): Promise<InvocationOutcome> {
  try {
    const answer = await handler(JSON.parse(event) as SQSEvent, context, noCallbacks)
    return { kind: 'answered', response: JSON.stringify(answer) ?? 'null' }
  } catch (error) {
    return { kind: 'failed', error }
  }
}
