import { handMade, record } from './consumerHarness.ts'
import type { Row } from './row.ts'

const GOOD = { id: 'bad', n: 7 }
const runs = { end: 'completed', ran: GOOD } as const
const having = (messageAttributes: unknown) => handMade(GOOD, { messageAttributes })
const one = (attribute: unknown) => having({ tenant: attribute })
const ten = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, 'x']))
const text = (stringValue: string) => ({ dataType: 'String', stringValue })
const traced = (AWSTraceHeader: unknown) =>
  handMade(GOOD, { attributes: { ...record(GOOD).attributes, AWSTraceHeader } })
/** The sender's attributes, and those of SQS. Unreadable ones are left out; the payload is not affected. */
export const attributeRows: readonly Row[] = [
  { what: 'no attributes at all', record: having(undefined), ...runs },
  {
    what: 'a traceparent of 200,000 characters',
    record: having({ traceparent: text(`00-${'a'.repeat(200_000)}`) }),
    ...runs,
  },
  {
    what: 'a traceparent of zeros',
    record: having({ traceparent: text(`00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`) }),
    ...runs,
  },
  { what: 'an X-Ray trace without a span', record: traced('Root=1-2-3;Parent=;Sampled='), ...runs },
  { what: 'an X-Ray trace that is an object', record: traced({ Root: '1' }), ...runs },
  { what: 'attributes that are null', record: having(null), ...runs },
  { what: 'attributes that are a list', record: having([1, 2]), ...runs },
  { what: 'attributes that are a text', record: having('tenant'), ...runs },
  { what: 'an attribute that is null', record: one(null), ...runs },
  { what: 'an attribute that is a text', record: one('x'), ...runs },
  { what: 'an attribute without a type', record: one({ stringValue: 'x' }), ...runs },
  { what: 'an attribute without a value', record: one({ dataType: 'String' }), ...runs },
  {
    what: 'an attribute of no known type',
    record: one({ dataType: 'Text', stringValue: 'x' }),
    ...runs,
  },
  {
    what: 'an attribute with a type in lower case',
    record: one({ dataType: 'string', stringValue: 'x' }),
    ...runs,
  },
  {
    what: 'an attribute whose type has 1,000 characters',
    record: one({ dataType: `String.${'x'.repeat(1_000)}`, stringValue: 'x' }),
    ...runs,
  },
  {
    what: 'a number that is no number',
    record: one({ dataType: 'Number', stringValue: 'seven' }),
    ...runs,
  },
  {
    what: 'a value that is a number',
    record: one({ dataType: 'Number', stringValue: 7 }),
    ...runs,
  },
  {
    what: 'bytes that are no base64',
    record: one({ dataType: 'Binary', binaryValue: '%%%' }),
    ...runs,
  },
  {
    what: 'bytes that are missing',
    record: one({ dataType: 'Binary', stringValue: 'x' }),
    ...runs,
  },
  {
    what: 'an attribute named __proto__',
    record: having(JSON.parse('{"__proto__":{"dataType":"String","stringValue":"x"}}')),
    ...runs,
  },
  {
    what: 'an attribute named constructor',
    record: having({ constructor: { dataType: 'String', stringValue: 'x' } }),
    ...runs,
  },
  {
    what: 'ten attributes and a payload that is refused',
    record: record('nonsense', { attributes: ten }),
    end: 'deadLettered',
    text: 'not JSON',
  },
  {
    what: '5,000 attributes that cannot be read',
    record: having(
      Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`a${index}`, null])),
    ),
    ...runs,
  },
  { what: 'no attributes of SQS', record: handMade(GOOD, { attributes: undefined }), ...runs },
  {
    what: 'no attributes of SQS, and a payload that is refused',
    record: handMade('nonsense', { attributes: undefined }),
    end: 'deadLettered',
    text: 'not JSON',
  },
  {
    what: 'a receive count that is no number',
    record: handMade(GOOD, { attributes: { ApproximateReceiveCount: 'many' } }),
    ...runs,
  },
  {
    what: 'a receive count below nothing',
    record: handMade(GOOD, { attributes: { ApproximateReceiveCount: '-1' } }),
    ...runs,
  },
  { what: 'a checksum that is none', record: handMade(GOOD, { md5OfBody: 7 }), ...runs },
  { what: 'no receipt handle', record: handMade(GOOD, { receiptHandle: undefined }), ...runs },
]
