import { RejectedError } from '../../../base/errors.ts'
import { fingerprintOfRequest } from '../canonical.ts'
import { readDelivery } from '../../../protocol/record/envelope/busDelivery.ts'
import { isDelivery } from '../../../protocol/record/envelope/isDelivery.ts'
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
  // @protects events that their bus delivers again in another list are not run under a request id
  // @without false
  if (Array.isArray(event) && event.some((each) => isDelivery(each) || eventBridge(each))) {
    throw new RejectedError(
      'invocationHandler: a list of events of an event bus is delivered again in another list, under another request id, so each would run again. ' +
        'Nothing was run. Set BatchConfiguration.MaxBatchSize of its subscriber to 1, let it deliver to a queue and take recordHandler, or give the option key',
    )
  }
  const unreadable = readDelivery(event)
  // @protects an event without an identity that can be read is not run under a request id
  // @without false
  if (typeof unreadable === 'string') {
    throw new RejectedError(
      `invocationHandler: an event of a Custom Event Bus that cannot be read: ${unreadable}. Nothing was run. Give the option key`,
    )
  }
  return busEvent(event)?.id ?? requestId
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

/** When an event of EventBridge was made, or a Custom Event Bus accepted it, epoch milliseconds. */
export function timeOf(event: unknown): number | undefined {
  return busEvent(event)?.time
}

interface BusEvent {
  readonly id: string
  readonly time: number | undefined
}

function busEvent(event: unknown): BusEvent | undefined {
  const delivery = readDelivery(event)
  if (typeof delivery !== 'object') return eventBridge(event)
  return { id: delivery.id, time: eventBridge(delivery.data)?.time ?? delivery.takenAt }
}

/** "In rare cases, the same rule can be triggered more than once for a single event": its id is then the same. */
function eventBridge(event: unknown): BusEvent | undefined {
  if (!isObject(event) || !('detail-type' in event) || !('source' in event)) return undefined
  const { id, time } = event
  if (typeof id !== 'string' || id === '') return undefined
  const made = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return { id, time: Number.isFinite(made) ? made : undefined }
}

/** The content of an HTTP request. Other events are not compared: a retry may carry other times and counts. */
export function comparedOf(event: unknown): string {
  const http = readHttpEvent(event)
  return http === undefined ? '' : fingerprintOfRequest(http)
}
