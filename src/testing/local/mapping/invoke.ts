import type { Callback, Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import {
  untilTerminated,
  terminate,
  runInside,
  type LocalInvocation,
} from '../faults/invocation.ts'

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

/** Called with the code of an invocation that runs on after its timeout: the promise settles with the code, or with its process. */
export type RunsOn = (code: Promise<unknown>) => void

/**
 * Runs the handler until it answers, throws, dies or reaches its timeout. JavaScript cannot be stopped from outside: the code of
 * a dead invocation continues, but none of its SDK calls on an instrumented client leaves or ends any more.
 * @param event the event's JSON, so that handlers never share objects
 * @param runsOn default: the timeout ends the invocation
 */
export async function invoke(
  handler: QueueHandler,
  event: string,
  context: Context,
  invocation: LocalInvocation,
  runsOn?: RunsOn,
): Promise<InvocationOutcome> {
  const late = Promise.withResolvers<InvocationOutcome>()
  const over = new AbortController()
  const answer = runInside(invocation, () => answerOf(handler, event, context))
  const code = Promise.race([
    answer.finally(() => over.abort()),
    untilTerminated(invocation, over.signal).then((kind) => ({ kind })),
  ])
  const timer = setTimeout(() => {
    if (runsOn === undefined) return terminate(invocation, 'timedOut')
    runsOn(code)
    late.resolve({ kind: 'timedOut' })
  }, context.getRemainingTimeInMillis())
  try {
    return await Promise.race([code, late.promise])
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

/** Lambda's runtimes have no callbacks from nodejs24.x on. */
export function noCallbacks(): never {
  throw new Error('Lambda has no callbacks from nodejs24.x on: return a promise')
}
