import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { EventBridgeEvent } from 'aws-lambda'
import { isObject } from '../../../base/kindOf.ts'

/**
 * What happened to an object in S3, as a handler with `s3Events` gets it: the same for notifications of the bucket and for
 * events of S3 that come by EventBridge.
 */
export interface S3ObjectEvent {
  /** Such as `ObjectCreated:Put`, `ObjectRemoved:Delete` or `ObjectRemoved:DeleteMarkerCreated`; without `s3:`. */
  readonly eventName: string
  /** ISO-8601; EventBridge gives whole seconds. */
  readonly eventTime: string
  readonly region: string
  readonly bucket: string
  /** The object's key as it is, not as S3 encodes it. */
  readonly key: string
  /** In a bucket with versioning. */
  readonly versionId?: string
  /** Bytes. */
  readonly size?: number
  readonly eTag?: string
  /**
   * The place of the event among the events of the same key; only events that create or delete objects have one. The later one is
   * greater as a text, as DynamoDB and `<` compare it: S3's value without its zeros at the end, in capital letters. Do not
   * compare the sequencers of a bucket's notifications with those that arrive by EventBridge.
   * @example
   * await ctx.write('register', {
   *   TableName: 'files',
   *   Key: { file: `${bucket}/${key}` },
   *   set: { size, sequencer },
   *   guard: anyOf(absent('sequencer'), atMost('sequencer', sequencer)),
   * })
   */
  readonly sequencer?: string
}

type Fields = Readonly<Record<string, unknown>>

/**
 * S3: "first right pad the shorter value with zeros, and then do a lexicographical comparison" (S3 User Guide, "Event message
 * structure"). Without the zeros at the end, the texts compare in the same way at any length.
 */
function comparable(sequencer: unknown): string | undefined {
  if (typeof sequencer !== 'string' || !/^[\da-f]{1,256}$/i.test(sequencer)) return undefined
  return sequencer.toUpperCase().replace(/0+$/, '')
}

/** @returns a text that says what is wrong with the record */
export function eventOfRecord(record: Fields): S3ObjectEvent | string {
  const { eventName, eventTime, awsRegion: region } = record
  const { bucket, object } = fieldsOf(record['s3'])
  const { name } = fieldsOf(bucket)
  const { key, ...facts } = fieldsOf(object)
  if (!isText(eventName) || !isText(name) || !isText(key)) {
    return 'it has no eventName, s3.bucket.name or s3.object.key'
  }
  const decoded = decodeKey(key)
  if (decoded === undefined) return 's3.object.key is not URL-encoded'
  return compact({ ...facts, eventName, eventTime, region, bucket: name, key: decoded })
}

/** `red+flower.jpg` is `red flower.jpg`. undefined: not a text that S3 has encoded. */
function decodeKey(key: string): string | undefined {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** Keys of S3's events by EventBridge are not encoded. */
export function eventOfDetail({
  'detail-type': type,
  detail,
  time: eventTime,
  region,
}: EventBridgeEvent<string, Fields>): S3ObjectEvent | string {
  const { name } = fieldsOf(detail['bucket'])
  const { key, etag: eTag, 'version-id': versionId, ...facts } = fieldsOf(detail['object'])
  if (!isText(name) || !isText(key)) return 'it has no bucket.name or object.key'
  const eventName = eventNameOf(type, detail)
  return compact({ ...facts, eventName, eventTime, region, bucket: name, key, versionId, eTag })
}

const CREATED: Readonly<Record<string, string>> = {
  PutObject: 'Put',
  'POST Object': 'Post',
  CopyObject: 'Copy',
  CompleteMultipartUpload: 'CompleteMultipartUpload',
}
/** S3 User Guide, "Amazon S3 event notification types and destinations" and "Using EventBridge". */
const NAMES: Readonly<Record<string, string>> = {
  'Object Restore Initiated': 'ObjectRestore:Post',
  'Object Restore Completed': 'ObjectRestore:Completed',
  'Object Restore Expired': 'ObjectRestore:Delete',
  'Object Tags Added': 'ObjectTagging:Put',
  'Object Tags Deleted': 'ObjectTagging:Delete',
  'Object ACL Updated': 'ObjectAcl:Put',
  'Object Storage Class Changed': 'LifecycleTransition',
  'Object Access Tier Changed': 'IntelligentTiering',
}

/** The name that the same event has in a notification of the bucket. */
function eventNameOf(type: string, detail: Fields): string {
  const reason = isText(detail['reason']) ? detail['reason'] : ''
  if (type === 'Object Created') return `ObjectCreated:${CREATED[reason] ?? reason}`
  if (type !== 'Object Deleted') return NAMES[type] ?? type
  const of = reason === 'Lifecycle Expiration' ? 'LifecycleExpiration' : 'ObjectRemoved'
  const marked = detail['deletion-type'] === 'Delete Marker Created'
  return `${of}:${marked ? 'DeleteMarkerCreated' : 'Delete'}`
}

function compact(
  fields: Fields & Readonly<Record<'eventName' | 'bucket' | 'key', string>>,
): S3ObjectEvent {
  const { eventName, eventTime, region, bucket, key, versionId, size, eTag } = fields
  const sequencer = comparable(fields['sequencer'])
  return {
    eventName,
    eventTime: isText(eventTime) ? eventTime : '',
    region: isText(region) ? region : '',
    bucket,
    key,
    ...(isText(versionId) && { versionId }),
    ...(typeof size === 'number' && { size }),
    ...(isText(eTag) && { eTag }),
    ...(sequencer !== undefined && { sequencer }),
  }
}

const TEXTS = ['eventName', 'eventTime', 'region', 'bucket', 'key'] as const

/** Accepts what `s3Events` has opened, of the buckets that it names. */
export function s3Schema(
  admits: (bucket: string) => boolean,
): StandardSchemaV1<unknown, S3ObjectEvent> {
  const isEvent = (value: unknown): value is S3ObjectEvent =>
    isObject(value) &&
    TEXTS.every((name) => isText(value[name], 0)) &&
    admits(String(value['bucket']))
  return {
    '~standard': {
      version: 1,
      vendor: 'lineclear',
      validate: (value) => (isEvent(value) ? { value } : { issues: [REFUSED] }),
    },
  }
}

/** The code is shown in place of the message, if the payload has a word of it: an object may have the key `a`. */
const REFUSED = {
  message: 'expected a notification of S3 from a bucket that s3Events() names',
  code: 'no notification of S3 from a bucket that s3Events() names',
} as const

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

function isText(value: unknown, least = 1): value is string {
  return typeof value === 'string' && value.length >= least
}
