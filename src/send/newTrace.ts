import { hash } from 'node:crypto'

/**
 * A trace header for the copies of a message that arrived without one: `Root=1-`, seconds, `-`, 96 bits, in hexadecimal. Without
 * it a copy would get the trace of the invocation, whose chain may be the longest of its batch. While everything fails, old
 * copies share batches with new records, so chains would grow longer than any single record's, until Lambda stops them at 16
 * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html). The message's attribute overrides that header
 * (https://docs.aws.amazon.com/xray/latest/devguide/xray-services-sqs.html).
 * @param sentAt epoch milliseconds
 */
export function newTrace(uniqueRequestId: string, sentAt: number): string {
  const seconds = Math.floor(sentAt / 1_000)
    .toString(16)
    .padStart(8, '0')
    .slice(-8)
  return `Root=1-${seconds}-${hash('sha256', uniqueRequestId, 'hex').slice(0, 24)}`
}
