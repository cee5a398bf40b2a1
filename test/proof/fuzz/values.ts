import type { SQSRecord } from 'aws-lambda'
import { sqsRecord } from 'lineclear/testing'
import fc from 'fast-check'

export const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:orders'
const OTHER = `${TOPIC}2`
/** The id of a good record: no forged record may take it. */
export const VICTIM = 'victim-1'

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'id', 'n', '']
export const name: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.string({ unit: 'binary', maxLength: 6 }),
)
const nasty = fc.constantFrom(
  '\ufeff',
  '\0',
  '\ud800',
  '\udfff',
  '\u2028',
  '{{',
  '%zz',
  '${x}',
  '"',
  '\\',
)
export const text: fc.Arbitrary<string> = fc.oneof(
  nasty,
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 20 }),
)
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 53 + 2, -0, 1e308, 5e-324))
const literal = fc.constantFrom(
  '1e999',
  '-0',
  '9007199254740993',
  '0.1e-400',
  'NaN',
  '01',
  '.5',
  '1_000',
)

/** JSON as a text, so that names may be there twice and numbers beyond all bounds. */
export const json: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom('null', 'true', 'false'),
      number.map((it) => JSON.stringify(it)),
      text.map((it) => JSON.stringify(it)),
      literal,
    ),
    fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join()}]`),
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 4 })
      .map((all) => `{${all.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`),
  ),
})).value

const deep = fc.nat(300).map((levels) => `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`)
const broken = fc.tuple(json, fc.nat(40)).map(([whole, end]) => whole.slice(0, end))
const payload = fc.oneof(
  { weight: 5, arbitrary: json },
  broken,
  deep,
  text,
  json.map((it) => `\ufeff${it}`),
)

const stamp = fc.oneof(
  fc.constantFrom('', 'a b', 'x'.repeat(257), '__proto__', 'ü'),
  fc.string({ maxLength: 10 }),
  fc.uuid(),
)
const field = fc.oneof(number, text, fc.constantFrom(null, true, {}, [], -1, 1, 1e15))
const FIELDS = [
  'retry',
  'hops',
  'sentAt',
  'notBefore',
  'death',
  'attempts',
  'traceparent',
  'reason',
  'error',
  'wrapped',
  'flow',
  'later',
]
const flow = fc.record(
  {
    name: fc.constantFrom('trip', 'tour', ''),
    key: text,
    id: stamp,
    epoch: field,
    sentAt: field,
    from: text,
    timeout: field,
  },
  { requiredKeys: [] },
)
export const packed: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .dictionary(fc.constantFrom(...FIELDS), field, { maxKeys: 6 })
      .map((it) => JSON.stringify(it)),
  },
  fc.record({ flow, retry: fc.nat(3) }, { requiredKeys: [] }).map((it) => JSON.stringify(it)),
  fc.constant('{"format":1,"wrapped":true}'),
  json,
  text,
)
const kind = fc.constantFrom(
  'String',
  'Number',
  'Binary',
  'String.Array',
  'Binary.gif',
  'string',
  'Text',
  '',
  'String.',
)
const attribute = fc.oneof(
  fc.record({ dataType: kind, stringValue: text }),
  fc.record({ dataType: kind, binaryValue: fc.oneof(fc.base64String({ maxLength: 20 }), text) }),
  fc.constantFrom(null, 'x', 7, [], {}),
)
const own = <T>(value: fc.Arbitrary<T>) =>
  value.map((stringValue) => ({ dataType: 'String', stringValue }))
const attributes = fc
  .record({
    others: fc.dictionary(
      fc.oneof(name, fc.constantFrom('Lineclear', 'UNIQUEREQUESTID', 'tenant')),
      attribute,
      { maxKeys: 12 },
    ),
    uniquerequestid: fc.option(fc.oneof(own(stamp), attribute), { nil: undefined, freq: 2 }),
    lineclear: fc.option(fc.oneof(own(packed), own(packed), attribute), {
      nil: undefined,
      freq: 2,
    }),
  })
  .map(({ others, ...ours }) => ({
    ...others,
    ...Object.fromEntries(Object.entries(ours).filter(([, value]) => value !== undefined)),
  }))

const chosen = { uniquerequestid: { Type: 'String', Value: VICTIM } }
const notification = fc
  .record({
    TopicArn: fc.constantFrom(TOPIC, OTHER),
    Message: fc.oneof(payload, payload, fc.constantFrom(null, 7)),
    Timestamp: fc.oneof(fc.constant(new Date().toISOString()), text),
    Subject: field,
  })
  .map((it) => ({
    Type: 'Notification',
    ...it,
    // Only SNS itself, by a topic that is named, may say who a request is.
    ...(it.TopicArn === OTHER
      ? { MessageId: VICTIM, MessageAttributes: chosen }
      : { MessageId: crypto.randomUUID() }),
  }))
const wrapper = payload.map((Message) => ({
  Type: 'lineclear',
  Message,
  MessageAttributes: chosen,
}))
export const body: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: payload },
  { weight: 2, arbitrary: notification.map((it) => JSON.stringify(it)) },
  { weight: 2, arbitrary: wrapper.map((it) => JSON.stringify(it)) },
)

/** A record with the fields of SQS, each with any value. */
export const hostileRecord: fc.Arbitrary<SQSRecord> = fc
  .record({
    body,
    messageAttributes: attributes,
    receiveCount: fc.constantFrom('1', '2', '99', 'x'),
  })
  .map(({ receiveCount, ...fields }) => {
    const record = sqsRecord('x')
    // The checksum is SQS's own.
    const md5OfBody = sqsRecord(fields.body).md5OfBody
    const system = { ...record.attributes, ApproximateReceiveCount: receiveCount }
    return { ...record, ...fields, md5OfBody, attributes: system } as SQSRecord
  })

/** Every payload that may be read from a body, by its shape alone. */
export function payloadsIn(outer: string): readonly unknown[] {
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
