import { isObject } from '../../../base/kindOf.ts'

/** The messages of a batch that stay on the queue. */
export type FailedMessages = 'all' | ReadonlySet<string>

/**
 * Reads the response of a handler with partial batch responses. An empty list means success; an id that is not in the batch
 * fails the whole batch. docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 * @param response the answer's JSON
 */
export function readFailures(response: string, messageIds: readonly string[]): FailedMessages {
  const answer: unknown = JSON.parse(response)
  const failures = isObject(answer) ? (answer['batchItemFailures'] ?? []) : []
  if (!Array.isArray(failures)) return 'all'
  const failed = new Set<string>()
  for (const failure of failures) {
    const id: unknown = isObject(failure) ? failure['itemIdentifier'] : undefined
    if (typeof id !== 'string' || !messageIds.includes(id)) return 'all'
    failed.add(id)
  }
  return failed
}
