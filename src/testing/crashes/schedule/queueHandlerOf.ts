import type { Context } from 'aws-lambda'
import { RetryableError, TerminalError } from '../../../errors.ts'
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

const RETRIED: ReadonlySet<unknown> = new Set([409, 425, 429, 502, 503, 504])

function statusOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'statusCode' in answer
    ? answer.statusCode
    : undefined
}
