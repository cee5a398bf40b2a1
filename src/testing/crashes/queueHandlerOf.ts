import type { Context } from 'aws-lambda'
import { RetryableError, TerminalError } from '../../errors.ts'
import type { QueueHandler } from './deliver.ts'

/** A function, called as a message is delivered: again until it has answered. */
export function queueHandlerOf(fn: (input: unknown, context: Context) => unknown): QueueHandler {
  return async ({ Records: [record] }, context) => {
    const answer = await fn(JSON.parse(record?.body ?? 'null'), context)
    const status = statusOf(answer)
    // As clients of an API do: what is answered so was not done.
    if (TRY_AGAIN.has(status)) throw new RetryableError(`it answers ${String(status)}`)
    if (status === 500) throw new TerminalError('it answers 500')
  }
}

const TRY_AGAIN: ReadonlySet<unknown> = new Set([409, 425, 429, 502, 503, 504])

function statusOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'statusCode' in answer
    ? answer.statusCode
    : undefined
}
