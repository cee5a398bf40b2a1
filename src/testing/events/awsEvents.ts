import type { S3Event, S3EventRecord, EventBridgeEvent } from 'aws-lambda'
import { randomUUID } from 'node:crypto'
import { systemClock } from '../../library/base/clock.ts'

/**
 * The fields around the `detail` of an event of EventBridge.
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

/**
 * What has happened to which object.
 * @example const options: S3NotificationOptions = { bucket: 'my-uploads', key: 'red flower.jpg' }
 */
export interface S3NotificationOptions {
  readonly bucket: string
  /** The key as it is; in the event it is encoded as S3 does. */
  readonly key: string
  /** Default `ObjectCreated:Put`. */
  readonly eventName?: string
  /** Hexadecimal. Default: a new one, greater than those before. */
  readonly sequencer?: string
  readonly versionId?: string
  /** Bytes. Default 1,024; deleted objects have none. */
  readonly size?: number
  readonly eTag?: string
  /** Epoch milliseconds. Default: the machine's time; with a fake clock, pass its time. */
  readonly eventTime?: number
}

/**
 * A notification as S3 puts it on a queue.
 * @example
 * const uploaded = s3Notification({ bucket: 'my-uploads', key: 'red flower.jpg' })
 * const event = sqsEvent(uploaded)
 */
export function s3Notification(options: S3NotificationOptions): S3Event {
  return { Records: [recordOf(options)] }
}

let sequence = 0x55ae_d6dc_d902_81e5n

function recordOf(options: S3NotificationOptions): S3EventRecord {
  const { bucket, eventName = 'ObjectCreated:Put', eventTime = systemClock.now() } = options
  return {
    eventVersion: '2.6',
    eventSource: 'aws:s3',
    awsRegion: 'eu-west-1',
    eventTime: new Date(eventTime).toISOString(),
    eventName,
    userIdentity: { principalId: 'AWS:AIDAJDPLRKLG7UEXAMPLE' },
    requestParameters: { sourceIPAddress: '127.0.0.1' },
    responseElements: {
      'x-amz-request-id': 'C3D13FE58DE4C810',
      'x-amz-id-2': 'FMyUVURIY8/IgAtTv8xRjskZQpcIZ9KG4V5Wp6S7S/JRWeUWerMUE5JgHvANOjpD',
    },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId: 'uploads',
      bucket: {
        name: bucket,
        ownerIdentity: { principalId: 'A3NL1KOZZKEXAMPLE' },
        arn: `arn:aws:s3:::${bucket}`,
      },
      object: objectOf(options, eventName),
    },
  }
}

function objectOf(
  options: S3NotificationOptions,
  eventName: string,
): S3EventRecord['s3']['object'] {
  const { key, size = 1_024, eTag = 'd41d8cd98f00b204e9800998ecf8427e', versionId } = options
  const { sequencer = nextSequencer() } = options
  const object = {
    key: encodeKey(key),
    ...(versionId !== undefined && { versionId }),
    sequencer,
  }
  // The types of Lambda's events do not say that a deleted object has neither.
  return (
    eventName.startsWith('ObjectRemoved') ? object : { ...object, size, eTag }
  ) as S3EventRecord['s3']['object']
}

function nextSequencer(): string {
  sequence += 256n
  return sequence.toString(16).toUpperCase().padStart(18, '0')
}

/** As a form is encoded, with slashes as they are. */
function encodeKey(key: string): string {
  return encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/')
}
