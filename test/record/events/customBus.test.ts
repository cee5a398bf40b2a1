import { eventBridge, s3Events } from 'lineclear'
import { eventBridgeEvent } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import type { OpenedEvent } from '../../../src/library/protocol/record/envelope/envelope.ts'
import type { EventBridgeOptions } from '../../../src/library/protocol/record/events/eventBridge.ts'
import { busDelivery } from './busDelivery.ts'
import { BUS_DELIVERY, S3_OBJECT_CREATED } from './samples.ts'

const QUEUE = 'arn:aws:sqs:eu-west-1:111122223333:orders'
const TAKEN = Date.parse('2026-09-23T18:00:00.123Z')
const PUT = eventBridgeEvent(
  { orderId: 'o-1' },
  {
    source: 'my.shop',
    detailType: 'OrderPlaced',
    account: '111122223333',
    id: 'e-1',
    time: TAKEN - 5_000,
    resources: ['uniquerequestid=r-1'],
  },
)
const REPLAY = { 'aws:DeliveryType': 'REPLAY' }

function open(body: object | string, options?: EventBridgeOptions): OpenedEvent | undefined {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return eventBridge(options).open(text, QUEUE, Date.now())
}

describe('an event of a Custom Event Bus', () => {
  it('gives what was put, the id and the time of the bus', () => {
    const opened = open(BUS_DELIVERY)
    expect(opened?.body).toBe('{ "orderId": "12345", "priority": "high" }')
    const time = Date.UTC(2026, 8, 23, 18)
    expect(opened?.event).toMatchObject({
      id: 'a1b2c3d4-5678-90ab-cdef-EXAMPLE11111',
      sentAt: time,
      takenAt: time,
    })
  })

  it('gives detail and time of the event of PutEvents in it, and its stamp', () => {
    const opened = open(busDelivery(PUT))
    expect(opened).toMatchObject({
      body: '{"orderId":"o-1"}',
      event: { id: 'b-1', sentAt: Date.parse(PUT.time), takenAt: TAKEN },
      eventBridge: PUT,
      stamp: { id: 'r-1' },
    })
  })

  it('with payload: event gives the event of PutEvents, else all that came', () => {
    const [put, raw] = [busDelivery(PUT), busDelivery({ n: 1 }, {}, { tenant: 'acme' })]
    expect(open(put, { payload: 'event' })?.body).toBe(JSON.stringify(PUT))
    expect(open(raw, { payload: 'event' })?.body).toBe(JSON.stringify(raw))
  })

  it.each([['a text'], [7], [null], [[1, 2]]])('gives %j as it was put', (data) => {
    expect(open(busDelivery(data))?.body).toBe(JSON.stringify(data))
  })

  it('is compared by what was put, with its metadata, and not by how it is delivered', () => {
    const fingerprint = (...args: Parameters<typeof busDelivery>) =>
      open(busDelivery(...args))?.event?.fingerprint
    const first = fingerprint({ a: 1, b: 2 }, {}, { tenant: 'acme' })
    expect(fingerprint({ b: 2, a: 1 }, REPLAY, { tenant: 'acme' })).toBe(first)
    expect(fingerprint({ a: 1, b: 3 }, {}, { tenant: 'acme' })).not.toBe(first)
    expect(fingerprint({ a: 1, b: 2 }, {}, { tenant: 'other' })).not.toBe(first)
  })

  it('without its time is as old as the queue says', () => {
    const event = open(busDelivery({}, { 'aws:IngestionTime': undefined }))?.event
    expect(event).toEqual({ id: 'b-1', fingerprint: expect.any(String) as string })
  })

  it('replayed is the same request, or with replays: again another one, which every replay is', () => {
    expect(open(busDelivery(PUT, REPLAY))).toEqual(open(busDelivery(PUT)))
    const [live, one, other] = [{}, REPLAY, { ...REPLAY, 'aws:SequenceNumber': '9' }].map(
      (system) => open(busDelivery({ n: 1 }, system), { replays: 'again' }),
    )
    expect(live?.event?.id).toBe('b-1')
    expect(one?.event?.id).not.toBe('b-1')
    expect(one?.event?.id).toBe(other?.event?.id)
    expect(one?.event).not.toHaveProperty('takenAt')
  })

  it('of S3 is a notification of its bucket, under the id of the bus', () => {
    const delivery = JSON.stringify(busDelivery(JSON.parse(S3_OBJECT_CREATED)))
    const opened = s3Events({ buckets: ['DOC-EXAMPLE-BUCKET1'] }).open(delivery, QUEUE, Date.now())
    expect(JSON.parse(opened?.body ?? '{}')).toMatchObject({ key: 'example-key' })
    expect(opened?.event).toMatchObject({ id: 'b-1', takenAt: TAKEN })
  })
})

describe('the filter', () => {
  it.each([
    ['what names no account, by default', {}, {}, true],
    ['what names no account, for any', {}, { accounts: 'any' }, true],
    ['what names no account, for a list', {}, { accounts: ['111122223333'] }, false],
    ['what names no source', {}, { sources: ['my.shop'] }, false],
    ['the source of the bus', { 'aws:Source': 'my.shop' }, { sources: ['my.shop'] }, true],
    ['another source', { 'aws:Source': 'my.mill' }, { sources: ['my.shop'] }, false],
  ] as const)('%s', (_what, system, options, admitted) => {
    const opened = open(busDelivery({}, system), options)
    expect(opened?.event?.id).toBe(admitted ? 'b-1' : undefined)
    expect(opened?.unlisted?.includes('eventBridge() opens')).toBe(admitted ? undefined : true)
  })

  it('believes the bus, and not the event in it, about its source', () => {
    const forged = busDelivery(PUT, { 'aws:Source': 'my.mill' })
    expect(open(forged, { sources: ['my.shop'] })?.unlisted).toContain('the source my.mill')
  })

  it('leaves an event of another account as payload', () => {
    const opened = open(busDelivery({ ...PUT, account: '999999999999' }))
    expect(opened).toEqual({ unlisted: expect.stringContaining('999999999999') as string })
  })
})

const GOOD = busDelivery({ n: 1 })
const { SystemMetadata } = GOOD

/** What users send: each remains payload. */
const OTHERS: readonly (readonly [what: string, body: object])[] = [
  ['only Data', { Data: { n: 1 } }],
  ['Data and Metadata', { Data: { n: 1 }, Metadata: {} }],
  ['system metadata of its own', { Data: 1, SystemMetadata: { 'aws:EventId': 'b-1' } }],
  ['system metadata that is a text', { Data: 1, SystemMetadata: '"aws:DeliveryType"' }],
  ['no Data', { SystemMetadata }],
  ['a delivery inside', { event: GOOD }],
  ['a list of deliveries', [GOOD]],
]

it.each(OTHERS)('a payload with %s is no event', (_what, body) => {
  expect(open(body)).toBeUndefined()
})

/** What may be an event, and is not known well enough to run. */
const UNREADABLE: readonly (readonly [what: string, body: object, why: string])[] = [
  ['no id', busDelivery({}, { 'aws:EventId': undefined }), 'its aws:EventId is missing, or no id'],
  ['an id with a space', busDelivery({}, { 'aws:EventId': 'a b' }), 'its aws:EventId is missing'],
  ['an id that is a number', busDelivery({}, { 'aws:EventId': 7 }), 'its aws:EventId is missing'],
  ['another delivery type', busDelivery({}, { 'aws:DeliveryType': 'COPY' }), 'is not known'],
  ['a further field', { ...GOOD, Trace: {} }, 'it has fields that are not known'],
]

it.each(UNREADABLE)('an event with %s is refused, not run', (_what, body, why) => {
  expect(open(body)?.refusal).toContain(why)
  expect(s3Events({ buckets: 'any' }).open(JSON.stringify(body), QUEUE, 0)?.refusal).toContain(why)
})

it('an event of another version in it is refused, and one that is nested too deep', () => {
  expect(open(busDelivery({ ...PUT, version: '1' }))?.refusal).toContain('only version 0 is known')
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const body = JSON.stringify(busDelivery('deep')).replace('"deep"', deep)
  expect(open(body)?.refusal).toBe('the event is nested more than 64 levels deep')
})
