import { eventBridgeEvent, s3Notification } from 'lineclear/testing'
import {
  EC2_TERMINATED,
  S3_OBJECT_CREATED,
  S3_PUT,
  S3_TEST_EVENT,
} from '../../record/events/samples.ts'
import { busDelivery as delivered } from '../../record/events/busDelivery.ts'
import { handMade, NOW, record } from './consumerHarness.ts'
import type { Row } from './row.ts'

const GOOD = { id: 'bad', n: 7 }
const event = (changes: object = {}) => ({
  ...eventBridgeEvent(GOOD, {
    source: 'my.shop',
    detailType: 'Placed',
    id: 'e-1',
    time: NOW - 5_000,
  }),
  ...changes,
})
const busDelivery = (data: unknown, system: object = {}) =>
  delivered(data, { 'aws:IngestionTime': new Date(NOW - 5_000).toJSON(), ...system })
const upload = (changes: object = {}) =>
  s3Notification({
    bucket: 'my-uploads',
    key: 'k',
    sequencer: '0A',
    eventTime: NOW - 5_000,
    ...changes,
  })
const [RECORD] = upload().Records
const seen = {
  eventName: 'ObjectCreated:Put',
  eventTime: new Date(NOW - 5_000).toISOString(),
  region: 'eu-west-1',
  bucket: 'my-uploads',
  key: 'k',
  size: 1_024,
  eTag: 'd41d8cd98f00b204e9800998ecf8427e',
  sequencer: '0A',
}

const runs = { to: 'events', end: 'completed', ran: GOOD } as const
const refused = {
  to: 'events',
  end: 'deadLettered',
  text: 'the schema refuses the payload',
} as const
const uploads = {
  to: 'uploads',
  end: 'deadLettered',
  text: 'the schema refuses the payload',
} as const

/** Events of EventBridge and S3, and what only looks like one. */
export const eventRows: readonly Row[] = [
  { what: 'an event of a named source', record: record(event()), ...runs },
  { what: 'an event of another source', record: record(event({ source: 'my.mill' })), ...refused },
  { what: 'an event of a service', record: record(EC2_TERMINATED), ...refused },
  {
    what: 'an event of another account',
    record: record(event({ account: '999999999999' })),
    ...refused,
  },
  {
    what: 'an event that looks to be from a list of accounts',
    record: record(event({ account: ['123456789012'] })),
    ...refused,
  },
  {
    what: 'an event of another version',
    record: record(event({ version: '1' })),
    to: 'events',
    end: 'deadLettered',
    text: 'version "1": only version 0 is known',
  },
  {
    what: 'an event with an id that no attribute can carry',
    record: record(event({ id: 'a b' })),
    ...refused,
  },
  {
    what: 'an event with an id as long as a body',
    record: record(event({ id: 'x'.repeat(100_000) })),
    ...refused,
  },
  {
    what: 'an event with the id of a prototype',
    record: record(event({ id: '__proto__' })),
    ...runs,
  },
  {
    what: 'an event that is stamped as a copy of a dead run',
    record: record(
      event({
        resources: [
          'uniquerequestid=r-1',
          `lineclear=${JSON.stringify({ format: 1, resendNumber: 9, death: 3, reason: 'x', sentAt: NOW + 9e9 })}`,
        ],
      }),
    ),
    ...runs,
  },
  {
    what: 'an event whose stamp cannot be read',
    record: record(event({ resources: ['uniquerequestid=', 'lineclear={', null, 7, {}] })),
    ...runs,
  },
  { what: 'an event of a Custom Event Bus', record: record(busDelivery(event())), ...runs },
  {
    what: 'an event of a Custom Event Bus that names no source',
    record: record(busDelivery(GOOD)),
    ...refused,
  },
  {
    what: 'an event of a Custom Event Bus without an id',
    record: record(busDelivery(event(), { 'aws:EventId': undefined })),
    to: 'events',
    end: 'deadLettered',
    text: 'its aws:EventId is missing, or no id',
  },
  {
    what: 'an event of a Custom Event Bus for a consumer that opens none',
    record: record(busDelivery(GOOD)),
    end: 'deadLettered',
    text: 'the schema refuses the payload',
  },
  {
    what: 'an event whose detail is a text',
    record: record(event({ detail: JSON.stringify(GOOD) })),
    ...refused,
  },
  { what: 'an event whose detail is empty', record: record(event({ detail: {} })), ...refused },
  {
    what: 'an event whose time is in the future',
    record: record(event({ time: '2999-01-01T00:00:00Z' })),
    ...runs,
  },
  { what: 'an event whose time is no time', record: record(event({ time: 'yesterday' })), ...runs },
  {
    what: 'a replay of an event whose token is gone',
    record: record(event({ time: '2020-01-01T00:00:00Z', 'replay-name': 'r' })),
    to: 'events',
    end: 'deadLettered',
    text: 'it was first sent',
  },
  {
    what: 'an event with the stamp of another request, whose payload differs',
    record: record(event(), { attributes: { uniquerequestid: 'another' } }),
    ...runs,
  },
  {
    what: 'an event for a consumer that opens none',
    record: record(event()),
    end: 'deadLettered',
    text: 'the schema refuses the payload',
  },
  {
    what: 'an event in a record without a queue that has an account',
    record: handMade(event(), { eventSourceARN: 'queue' }),
    ...refused,
  },
  {
    what: 'a notification of a named bucket',
    record: record(upload()),
    to: 'uploads',
    end: 'completed',
    ran: seen,
  },
  {
    what: 'a notification of another bucket',
    record: record(upload({ bucket: 'others' })),
    ...uploads,
  },
  {
    what: 'the notification of the documentation, of another bucket',
    record: record(S3_PUT),
    ...uploads,
  },
  {
    what: 'an event of S3 by EventBridge, of another bucket',
    record: record(S3_OBJECT_CREATED),
    ...uploads,
  },
  {
    what: 'the test event of a named bucket',
    record: record(S3_TEST_EVENT.replace('bucketname', 'my-uploads')),
    to: 'uploads',
    end: 'accepted',
  },
  { what: 'the test event of another bucket', record: record(S3_TEST_EVENT), ...uploads },
  {
    what: 'a notification of the next major version',
    record: record(JSON.stringify(upload()).replace('"2.6"', '"3.0"')),
    to: 'uploads',
    end: 'deadLettered',
    text: 'version "3.0": only 2.x is known',
  },
  {
    what: 'a notification with a key that is not encoded',
    record: record(JSON.stringify(upload()).replace('"key":"k"', '"key":"%ff"')),
    to: 'uploads',
    end: 'deadLettered',
    text: 's3.object.key is not URL-encoded',
  },
  {
    what: 'a notification with a key of 100,000 characters',
    record: record(upload({ key: 'k'.repeat(100_000) })),
    to: 'uploads',
    end: 'completed',
    ran: { ...seen, key: 'k'.repeat(100_000) },
  },
  {
    what: 'a notification without records',
    record: record({ Records: [], from: 'aws:s3' }),
    ...uploads,
  },
  {
    what: 'a notification of two services',
    record: record({ Records: [RECORD, { eventSource: 'aws:sns' }] }),
    ...uploads,
  },
  {
    what: 'a notification with two events',
    record: record({ Records: [RECORD, RECORD] }),
    to: 'uploads',
    end: 'deadLettered',
    text: 'S3 puts one into each',
  },
  {
    what: 'a notification with 1,000 events',
    record: record({ Records: Array.from({ length: 1_000 }, () => RECORD) }),
    to: 'uploads',
    end: 'deadLettered',
    text: 'S3 puts one into each',
  },
  {
    what: 'a payload as the handler would get it, sent directly',
    record: record({ ...seen, bucket: 'others' }),
    ...uploads,
  },
]
