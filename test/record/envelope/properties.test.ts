import fc from 'fast-check'
import type { SQSRecord } from 'aws-lambda'
import { expect, it } from 'vitest'
import type {
  Attributes,
  LineclearAttributes,
  Envelope,
} from '../../../src/library/protocol/record/envelope/envelope.ts'
import type { Topics } from '../../../src/library/protocol/record/envelope/readEnvelope.ts'
import {
  buildResend,
  type ResendForm,
} from '../../../src/library/protocol/record/envelope/buildResend.ts'
import { hasCode } from '../../../src/library/base/errors.ts'
import { sqsRecord } from '../../../src/testing/events/sqsEvent.ts'
import { bound } from '../../proof/depth.ts'
import { attributesOf, sendableText } from './arbitraries.ts'
import { handMade, listed, NOW, published, read, receive, STAMP, TOPIC } from './messages.ts'

const form = fc.constantFrom<ResendForm>('transparent', 'wrapped')
const arrivals: Record<string, (body: string, attributes: Attributes) => SQSRecord> = {
  direct: (body, attributes) => sqsRecord(body, { attributes }),
  raw: (body, attributes) => published(body, { attributes, raw: true }),
  published: (body, attributes) => published(body, { attributes }),
}

it('A7 body and attributes survive every way and three re-sends', () => {
  const way = fc.constantFrom(...Object.values(arrivals))
  const forms = fc.tuple(form, form, form)
  fc.assert(
    fc.property(way, sendableText, attributesOf(10), forms, (arrive, body, attributes, chosen) => {
      let record = arrive(body, attributes)
      for (const [resendNumber, wanted] of chosen.entries()) {
        const envelope = read(record)
        const outgoing = buildResend(record, envelope, { ...STAMP, resendNumber }, { form: wanted })
        expect(Object.keys(outgoing?.attributes ?? {}).length).toBeLessThanOrEqual(10)
        record = receive(outgoing ?? { body: 'lost', attributes: {} })
        const again = read(record)
        expect(again.body).toBe(body)
        expect(listed(again.attributes)).toEqual(listed(attributes))
        expect(again.carried).toMatchObject({ ...STAMP, resendNumber })
        expect(again.ignored).toEqual([])
      }
    }),
    { numRuns: 1_000 },
  )
})

it('the attributes of Lineclear are read as they were written', () => {
  const count = fc.nat(1_000_000)
  const carried = fc.record<LineclearAttributes>(
    {
      resendNumber: count,
      hops: count,
      sentAt: fc.integer({ min: 1, max: NOW + 300_000 }),
      notBefore: fc.integer({ min: 1, max: NOW + 366 * 86_400_000 }),
      death: fc.maxSafeNat().filter((epoch) => epoch > 0),
      attempts: count,
      reason: fc.string({ unit: 'binary', maxLength: 80 }),
      error: fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }),
    },
    { requiredKeys: ['resendNumber', 'hops'] },
  )
  const id = fc.stringMatching(/^[\x21-\x7e]{1,256}$/)
  fc.assert(
    fc.property(carried, id, form, (fields, uniqueRequestId, wanted) => {
      const record = sqsRecord('x')
      const stamp = { ...fields, uniqueRequestId }
      const outgoing = buildResend(record, read(record), stamp, { form: wanted })
      const carried = outgoing && read(receive(outgoing)).carried
      expect(carried).toEqual(wanted === 'wrapped' ? { ...stamp, wrapped: true } : stamp)
    }),
    { numRuns: 1_000 },
  )
})

const anything = fc.anything({ withNullPrototype: true, maxDepth: 2, maxKeys: 4 })
const scalar = fc.oneof(fc.string(), anything)
const key = fc.oneof(
  fc.constantFrom('uniquerequestid', 'lineclear', '__proto__', 'constructor', 'a', 'b'),
  fc.string(),
)
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value))
const packed = fc
  .record(
    {
      wrapped: fc.constantFrom(true, false, 1),
      resendNumber: fc.oneof(fc.integer(), fc.double(), fc.string()),
      sentAt: fc.oneof(fc.nat(), fc.double(), fc.constant(null)),
      error: fc.oneof(fc.string(), fc.nat()),
      traceparent: fc.string(),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.stringify(value))
const text = fc.oneof(
  packed,
  fc.constant('{"format":1,"wrapped":true}'),
  fc.base64String(),
  json,
  fc.string({ unit: 'binary' }),
)
const type = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('String', 'Number', 'Binary', 'Binary.x', 'Text') },
  { weight: 1, arbitrary: scalar },
)
const entries = <T>(entry: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.dictionary(key, fc.oneof(entry, entry, anything), { maxKeys: 6 }) },
    { weight: 1, arbitrary: anything },
  )
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 8 })
const recordEntry = fc.record(
  {
    dataType: type,
    stringValue: fc.oneof(text, text, anything),
    binaryValue: fc.oneof(text, anything),
  },
  { requiredKeys: ['dataType'] },
)
const publishedEntry = fc.record({ Type: type, Value: fc.oneof(text, text, anything) })
const mostly = <T>(value: T) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: scalar })
const wrapperOf = (Type: string) =>
  fc.record({
    Type: mostly(Type),
    TopicArn: mostly(TOPIC),
    MessageId: mostly('m-1'),
    Message: fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: scalar }),
    Timestamp: optional(fc.oneof(fc.date({ noInvalidDate: true }), scalar)),
    Subject: optional(scalar),
    MessageAttributes: optional(entries(publishedEntry)),
  })
const notification = wrapperOf('Notification')
/** Values such as BigInt have no JSON. */
const toJson = (value: unknown) =>
  JSON.stringify(value, (_key, held: unknown) => (typeof held === 'bigint' ? 'big' : held))
const body = fc.oneof(
  { weight: 3, arbitrary: notification.map(toJson) },
  { weight: 3, arbitrary: wrapperOf('lineclear').map(toJson) },
  {
    weight: 1,
    arbitrary: notification.map((inner) => toJson({ Type: 'lineclear', Message: toJson(inner) })),
  },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: anything },
)
const marker = fc.record({
  dataType: fc.constant('String'),
  stringValue: fc.oneof(fc.constant('{"format":1,"wrapped":true}'), packed),
})
const levelOfRecord = fc.oneof(
  entries(recordEntry),
  fc.tuple(fc.dictionary(key, recordEntry, { maxKeys: 4 }), marker).map(([others, lineclear]) => ({
    ...others,
    lineclear,
  })),
)
const hostileRecord = fc.record(
  {
    body,
    messageAttributes: levelOfRecord,
    attributes: fc.oneof(fc.record({ SentTimestamp: scalar }), anything),
    messageId: scalar,
  },
  { requiredKeys: ['body'] },
)
const topics = fc.constantFrom<Topics>([TOPIC], 'any', [], undefined)

/** Every payload that may be read from a record, by the shape of its body alone. */
function payloadsOf(outer: string): unknown[] {
  const inner = messageIn(outer)
  return [outer, inner, typeof inner === 'string' ? messageIn(inner) : undefined]
}

function messageIn(outer: string): unknown {
  try {
    return (JSON.parse(outer) as { Message?: unknown } | null)?.Message
  } catch {
    return undefined
  }
}

/** Undefined when the record was rejected; any other error comes through. */
function envelopeOf(record: SQSRecord, named: Topics): Envelope | undefined {
  try {
    return read(record, { topics: named })
  } catch (error) {
    if (hasCode(error, 'REJECTED')) return undefined
    throw error
  }
}

const RUNS = bound(1_500, 4_000, 10_000)

it('H1-H5 no record throws anything but a rejection, changes a prototype or its payload', () => {
  const before = Object.getOwnPropertyDescriptors(Object.prototype)
  const seen = { sns: 0, wrapped: 0, rejected: 0, ignored: 0 }
  fc.assert(
    fc.property(hostileRecord, topics, form, (fields, named, wanted) => {
      const record = handMade(fields)
      const outer: unknown = fields.body
      const envelope = envelopeOf(record, named)
      seen.rejected += envelope === undefined ? 1 : 0
      expect(envelope === undefined).toBe(typeof outer !== 'string')
      if (envelope === undefined || typeof outer !== 'string') return
      seen.sns += envelope.source === 'sns' ? 1 : 0
      seen.wrapped += envelope.carried.wrapped === true ? 1 : 0
      seen.ignored += envelope.ignored.length > 0 ? 1 : 0
      expect(payloadsOf(outer)).toContain(envelope.body)
      const outgoing = buildResend(record, envelope, STAMP, { form: wanted })
      const again = outgoing && envelopeOf(receive(outgoing), named)
      expect(again?.body).toBe(envelope.body)
      expect(again && listed(again.attributes)).toEqual(listed(envelope.attributes))
      expect(record.body).toBe(outer)
    }),
    { numRuns: RUNS },
  )
  expect(Object.getOwnPropertyDescriptors(Object.prototype)).toEqual(before)
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(RUNS * 0.03)
})
