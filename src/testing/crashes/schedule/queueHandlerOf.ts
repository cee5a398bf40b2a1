import type { Context } from 'aws-lambda'
import { RetryableError, TerminalError } from '../../../base/errors.ts'
import type { MemoryHandler } from '../../queues/deliverNext.ts'

/** Calls a function with the body of a message. Its caller retries, which redelivery stands for, until it gets an answer. */
export function queueHandlerOf(fn: (input: unknown, context: Context) => unknown): MemoryHandler {
  return async ({ Records: [record] }, context) => {
    const answer = await fn(JSON.parse(record?.body ?? 'null'), context)
    const status = statusOf(answer)
    // Clients of an API retry these: the request was not carried out.
    if (RETRIED.has(status)) throw new RetryableError(`it answers ${String(status)}`)
    if (status === 500) throw new TerminalError('it answers 500')
  }
}

/**
 * Lambda tries an asynchronous invocation three times, and may deliver an event twice. Two more, because three faults may end
 * three attempts.
 */
const MOST_DELIVERIES = 5

/**
 * Invokes a function with the event in the body of a message. Every delivery has the same request id. An event that Lambda gives
 * up is lost to the function: no fault of one invocation may lead to that.
 */
export function invocationOf(fn: (input: unknown, context: Context) => unknown): MemoryHandler {
  return async ({ Records: [record] }, context) => {
    if (Number(record?.attributes.ApproximateReceiveCount) > MOST_DELIVERIES) return
    const awsRequestId = `request of ${record?.messageId}`
    await fn(JSON.parse(record?.body ?? 'null'), { ...context, awsRequestId })
  }
}

const RETRIED: ReadonlySet<unknown> = new Set([409, 425, 429, 502, 503, 504])

function statusOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'statusCode' in answer
    ? answer.statusCode
    : undefined
}
