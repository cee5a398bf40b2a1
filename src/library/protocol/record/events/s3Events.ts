import * as option from '../../../base/options.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { S3EventRecord } from 'aws-lambda'
import { stableId } from '../../../base/ids.ts'
import { isObject } from '../../../base/kindOf.ts'
import { toTime } from '../../../base/time.ts'
import type { EventFormat, OpenedEvent } from '../envelope/envelope.ts'
import { parseObject } from '../envelope/json.ts'
import {
  canonicalJson,
  readEvent,
  versionProblem,
  listed,
  unlisted,
  unlessTooDeep,
} from './openedEvents.ts'
import { eventOfDetail, eventOfRecord, type S3ObjectEvent, s3Schema } from './s3ObjectEvent.ts'

/**
 * Which notifications of S3 are opened.
 * @example const options: S3EventsOptions = { buckets: ['my-uploads'] }
 */
interface S3EventsOptions {
  /** Names of the buckets. `'any'` trusts every sender to the queue. */
  readonly buckets: readonly string[] | 'any'
}

/** A format for the option `envelopes`, and the schema of what it opens. */
export interface S3Events extends EventFormat {
  /** For the option `schema`. It refuses what is no notification of a named bucket. */
  readonly schema: StandardSchemaV1<unknown, S3ObjectEvent>
}

type Fields = Readonly<Record<string, unknown>>
interface Admitted {
  admits(bucket: string): boolean
  /** The names of the buckets, for texts of errors. */
  readonly names: string
}

const NAME = /^[\w.-]{3,255}$/
const BUCKETS = "a list of bucket names, such as ['my-uploads'], or 'any'"
const OPTIONS: option.Checks<S3EventsOptions> = {
  buckets: option.required(option.orAny(option.listOf(NAME, BUCKETS))),
}

/**
 * For the option `envelopes`: opens notifications that S3 puts on the queue, directly, through an `snsTopic()`, or by a rule
 * of EventBridge. The payload is an `S3ObjectEvent`, with the key decoded. The identity is made of bucket, key, version,
 * sequencer and event name, or is the id of EventBridge's event: what S3 notifies twice runs once. Notifications of one key may
 * come in any order: guard your writes with `sequencer`. The test event that S3 sends at set-up is acknowledged with a log line.
 * A message with several events, which S3 does not send, is dead-lettered as `rejected`.
 * Notifications of another bucket remain payload, which `schema` refuses.
 * @throws ConfigError at once, naming the option, when an option is wrong
 * @example
 * const uploads = s3Events({ buckets: ['my-uploads'] })
 *
 * export const handler = recordHandler(
 *   { name: 'uploads', store, envelopes: [uploads], schema: uploads.schema },
 *   async ({ key, size }, ctx) => {
 *     await ctx.call('scan', () => scan(key, size))
 *   },
 * )
 */
export function s3Events(options: S3EventsOptions): S3Events {
  option.checkOptions('s3Events', options, OPTIONS)
  const { buckets } = options
  const admitted: Admitted = {
    // @protects only notifications of named buckets are opened
    // @without true
    admits: (bucket) => buckets === 'any' || buckets.includes(bucket),
    names: listed(buckets),
  }
  return {
    open: (body) => unlessTooDeep(() => openRecords(body, admitted) ?? openDetail(body, admitted)),
    schema: s3Schema(admitted.admits),
  }
}

function openRecords(body: string, admitted: Admitted): OpenedEvent | undefined {
  if (!body.includes('"aws:s3"') && !body.includes('"s3:TestEvent"')) return undefined
  const { Records, Service, Event, Bucket } = parseObject(body) ?? {}
  if (Service === 'Amazon S3' && Event === 's3:TestEvent' && Records === undefined) {
    if (typeof Bucket !== 'string') return undefined
    return admitted.admits(Bucket) ? { testEvent: TEST_EVENT } : notAdmitted(Bucket, admitted)
  }
  if (!Array.isArray(Records) || !Records.every(isS3Record)) return undefined
  const other = Records.map(bucketOf).find((bucket) => !admitted.admits(bucket))
  if (other !== undefined) return notAdmitted(other, admitted)
  const [record, ...more] = Records
  if (record === undefined) return undefined
  return more.length === 0 ? openRecord(record) : several(Records.length)
}

const TEST_EVENT = 'the test event that S3 sends when its notifications are set up'

function isS3Record(record: unknown): record is Fields {
  return isObject(record) && record['eventSource'] === 'aws:s3'
}

function bucketOf({ s3 }: Fields): string {
  const bucket = isObject(s3) && isObject(s3['bucket']) ? s3['bucket']['name'] : undefined
  return typeof bucket === 'string' ? bucket : ''
}

/**
 * S3 puts one event into a notification. One with more can only come from a sender that bundles them: each is a request of its own,
 * which has to be retried and dead-lettered alone.
 */
function several(count: number): OpenedEvent {
  return {
    refusal:
      `a notification of S3 with ${count} events: S3 puts one into each. None of them was run. Send each in a message of its ` +
      'own.',
  }
}

function openRecord(record: Fields): OpenedEvent {
  const { eventVersion } = record
  const version = typeof eventVersion === 'string' ? eventVersion.slice(0, 20) : ''
  // S3 asks for the major version only: a new minor version adds fields.
  if (!/^2\.\d+$/.test(version)) {
    return {
      refusal: `a notification of S3 in version ${JSON.stringify(version)}: only 2.x is known. It was not run.`,
    }
  }
  const event = eventOfRecord(record)
  const request = requestOf(record)
  if (typeof event === 'string' || request === undefined) {
    const why = typeof event === 'string' ? event : 'its x-amz-request-id is no text'
    return { refusal: `a notification of S3 that cannot be read: ${why}` }
  }
  const sentAt = toTime(event.eventTime)
  return {
    body: JSON.stringify(event),
    s3: record as object as S3EventRecord,
    event: {
      id: idOf(event, request),
      ...(sentAt !== undefined && { sentAt }),
      fingerprint: canonicalJson([event.size, event.eTag]),
    },
  }
}

/** Only events that create or delete have a sequencer. Two other events may differ only in their time and their request id. */
function idOf(
  { bucket, key, versionId = '', sequencer, eventName, eventTime }: S3ObjectEvent,
  request: string,
): string {
  const place = sequencer === undefined ? [eventTime, request] : [sequencer]
  return stableId('s3', bucket, key, versionId, eventName, ...place)
}

/** undefined: it is there, and no text. */
function requestOf({ responseElements }: Fields): string | undefined {
  if (!isObject(responseElements)) return ''
  const { 'x-amz-request-id': request = '' } = responseElements
  return typeof request === 'string' ? request : undefined
}

function openDetail(body: string, admitted: Admitted): OpenedEvent | undefined {
  const read = readEvent(body)
  if (read === undefined || 'refusal' in read) return read
  const { event, id, sentAt, takenAt } = read
  if (event?.source !== 'aws.s3') return undefined
  const { bucket } = event.detail
  const name = isObject(bucket) ? bucket['name'] : undefined
  if (typeof name !== 'string') return undefined
  if (!admitted.admits(name)) return notAdmitted(name, admitted)
  const payload = versionProblem(event) ?? eventOfDetail(event)
  if (typeof payload === 'string')
    return { refusal: `an event of S3 that cannot be read: ${payload}` }
  return {
    body: JSON.stringify(payload),
    eventBridge: event,
    event: {
      id,
      ...(sentAt !== undefined && { sentAt }),
      ...(takenAt !== undefined && { takenAt }),
      fingerprint: canonicalJson(payload),
    },
  }
}

/** The log shows the bucket of an unknown sender only if it has the form of a bucket's name. */
function notAdmitted(bucket: string, { names }: Admitted): OpenedEvent | undefined {
  if (!NAME.test(bucket)) return undefined
  return {
    unlisted: unlisted(
      `a notification of S3 from the bucket ${bucket}, and s3Events() names ${names}`,
    ),
  }
}
