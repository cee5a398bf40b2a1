import { randomUUID } from 'node:crypto'
import type { EventBridgeEvent } from 'aws-lambda'
import { systemClock } from '../../base/clock.ts'

/**
 * What stands around the `detail` of an event of EventBridge.
 * @example const options: EventBridgeEventOptions = { source: 'my.shop', detailType: 'OrderPlaced' }
 */
export interface EventBridgeEventOptions {
  readonly source: string
  readonly detailType: string
  /** Default: a new UUID. */
  readonly id?: string
  /** Epoch milliseconds, cut to whole seconds as EventBridge does. Default: the machine's time; with a fake clock, pass its time. */
  readonly time?: number
  /** Default: the account of the queues that `sqsEvent` and `memoryCloud` make. */
  readonly account?: string
  readonly region?: string
  readonly resources?: readonly string[]
  /** The event comes from the replay of this name. */
  readonly replayName?: string
}

/**
 * An event as a rule of EventBridge puts it on a queue.
 * @example
 * const placed = eventBridgeEvent({ orderId: 'o-1' }, { source: 'my.shop', detailType: 'OrderPlaced' })
 * const event = sqsEvent(placed)
 */
export function eventBridgeEvent<Detail extends object>(
  detail: Detail,
  options: EventBridgeEventOptions,
): EventBridgeEvent<string, Detail> {
  const { source, detailType, id = randomUUID(), time = systemClock.now() } = options
  const { account = '123456789012', region = 'eu-west-1', resources = [], replayName } = options
  return {
    version: '0',
    id,
    'detail-type': detailType,
    source,
    account,
    time: new Date(time).toISOString().replace(/\.\d{3}/, ''),
    region,
    resources: [...resources],
    ...(replayName !== undefined && { 'replay-name': replayName }),
    detail,
  }
}
