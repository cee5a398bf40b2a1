import { RejectedError } from '../../../base/errors.ts'
import { fingerprintOfRequest } from '../canonical.ts'
import { readHttpEvent, idempotencyKeyHeader } from '../http/httpEvent.ts'
import type { IdempotencyKey } from '../readKey.ts'
import { isObject } from '../../../base/kindOf.ts'

/**
 * The key of an invocation: what the option `key` selects, else the `Idempotency-Key` header of an HTTP request, the id of an
 * EventBridge event, or Lambda's request id.
 * @throws RejectedError when the key holds a placeholder that was not replaced
 */
export function keyOf<Event>(
  event: Event,
  requestId: string | undefined,
  selectKey: ((event: Event) => IdempotencyKey) | undefined,
): IdempotencyKey {
  const key = selectKey === undefined ? ownKeyOf(event, requestId) : selectKey(event)
  const literal = [key].flat().find(isPlaceholder)
  if (literal === undefined) return key
  throw new RejectedError(
    `key: ${JSON.stringify(literal)} is a placeholder that was not replaced, so that all invocations would have one key. ` +
      'EventBridge Scheduler replaces <aws.scheduler.…> in the input of a schedule, not of a rule; Step Functions replaces ' +
      "'$$.…' where the name of the field ends in '.$'",
  )
}

function ownKeyOf(event: unknown, requestId: string | undefined): IdempotencyKey {
  if (readHttpEvent(event) !== undefined) return idempotencyKeyHeader(event)
  const polled = pollerOf(event)
  if (polled !== undefined) {
    throw new RejectedError(
      `invocationHandler: a batch of ${polled} comes back under another request id, so each of its deliveries would run again. ` +
        'Nothing was run. Take recordHandler for a queue, or give the option key',
    )
  }
  return eventBridge(event)?.id ?? requestId
}

const POLLED: readonly unknown[] = ['aws:sqs', 'aws:kinesis', 'aws:dynamodb']

/** The source of a batch that an event source mapping has polled. */
function pollerOf(event: unknown): string | undefined {
  const records = isObject(event) ? event['Records'] : undefined
  const first: unknown = Array.isArray(records) ? records[0] : undefined
  const source = isObject(first) ? first['eventSource'] : undefined
  return POLLED.includes(source) ? String(source) : undefined
}

/** Context attributes of EventBridge Scheduler; paths and expressions of Step Functions. */
const PLACEHOLDER = /^(?:<aws\.scheduler\.[\w-]+>|\$\$?\.\S+|\{%.*%\})$/s

function isPlaceholder(part: unknown): boolean {
  return typeof part === 'string' && PLACEHOLDER.test(part)
}

/** When an EventBridge event was made, epoch milliseconds. */
export function timeOf(event: unknown): number | undefined {
  const time = Date.parse(eventBridge(event)?.time ?? '')
  return Number.isFinite(time) ? time : undefined
}

/** "In rare cases, the same rule can be triggered more than once for a single event": its id is then the same. */
function eventBridge(
  event: unknown,
): { readonly id: string; readonly time: string | undefined } | undefined {
  if (!isObject(event) || !('detail-type' in event) || !('source' in event)) return undefined
  const { id, time } = event
  if (typeof id !== 'string' || id === '') return undefined
  return { id, time: typeof time === 'string' ? time : undefined }
}

/** The content of an HTTP request. Other events are not compared: a retry may carry other times and counts. */
export function comparedOf(event: unknown): string {
  const http = readHttpEvent(event)
  return http === undefined ? '' : fingerprintOfRequest(http)
}
