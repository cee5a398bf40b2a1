import type { S3Event, S3EventRecord } from 'aws-lambda'
import { systemClock } from '../../base/clock.ts'

/**
 * What has happened to which object.
 * @example const options: S3EventOptions = { bucket: 'my-uploads', key: 'red flower.jpg' }
 */
export interface S3EventOptions {
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
 * const uploaded = s3Event({ bucket: 'my-uploads', key: 'red flower.jpg' })
 * const event = sqsEvent(uploaded)
 */
export function s3Event(options: S3EventOptions): S3Event {
  return { Records: [recordOf(options)] }
}

let sequence = 0x55ae_d6dc_d902_81e5n

function recordOf(options: S3EventOptions): S3EventRecord {
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

function objectOf(options: S3EventOptions, eventName: string): S3EventRecord['s3']['object'] {
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
