import { handMade, NOW, record } from './consumerHarness.ts'
import type { Row } from './row.ts'

const GOOD = { id: 'bad', n: 7 }
const runs = { end: 'completed', ran: GOOD } as const
const packed = (text: string) => record(GOOD, { attributes: { lineclear: text } })
const POINTER = { sha256: 'a'.repeat(64), bytes: 9 }
const carrying = (fields: object) => packed(JSON.stringify({ format: 1, ...fields }))

/** The framework's own attribute, from any sender: what does not parse makes the record a first delivery. */
export const carriedRows: readonly Row[] = [
  { what: 'no JSON', record: packed('retry=1'), ...runs },
  { what: 'null', record: packed('null'), ...runs },
  { what: 'a list', record: packed('[1]'), ...runs },
  { what: 'a text', record: packed('"retry"'), ...runs },
  {
    what: 'of type Binary',
    record: handMade(GOOD, {
      messageAttributes: { lineclear: { dataType: 'Binary', binaryValue: 'e30=' } },
    }),
    ...runs,
  },
  {
    what: 'of type Number',
    record: handMade(GOOD, {
      messageAttributes: { lineclear: { dataType: 'Number', stringValue: '7' } },
    }),
    ...runs,
  },
  { what: '5,000 bytes', record: carrying({ error: 'x'.repeat(5_000) }), ...runs },
  {
    what: 'in capitals is an attribute like any other',
    record: record(GOOD, { attributes: { Lineclear: '{"format":1,"resendNumber":9}' } }),
    ...runs,
  },
  { what: 'a field of a newer version', record: carrying({ colour: 'blue' }), ...runs },
  { what: '__proto__', record: packed('{"__proto__":{"resendNumber":9}}'), ...runs },
  { what: 'a retry below nothing', record: carrying({ resendNumber: -1 }), ...runs },
  { what: 'a retry beyond all counts', record: carrying({ resendNumber: 1e15 }), ...runs },
  { what: 'a retry that is a text', record: carrying({ resendNumber: '3' }), ...runs },
  { what: 'a hop count with a fraction', record: carrying({ hops: 1.5 }), ...runs },
  { what: 'a thousand hops', record: carrying({ hops: 1_000 }), ...runs },
  { what: 'a wait of a thousand years', record: carrying({ notBefore: NOW + 3.2e13 }), ...runs },
  { what: 'a death that is zero', record: carrying({ death: 0 }), ...runs },
  {
    what: 'a death number without a request',
    record: carrying({ death: 3 }),
    end: 'deadLettered',
    text: 'lost record',
  },
  {
    what: 'a retry without a request',
    record: carrying({ resendNumber: 1 }),
    end: 'deadLettered',
    text: 'lost record',
  },
  { what: 'a reason that is an object', record: carrying({ reason: {} }), ...runs },
  { what: 'attempts that are a text', record: carrying({ attempts: 'six' }), ...runs },
  { what: 'a trace that is none', record: carrying({ traceparent: '00-0-0-00' }), ...runs },
  { what: 'a mark that is a text', record: carrying({ wrapped: 'true' }), ...runs },
  {
    what: 'a flow for a consumer without flows',
    record: carrying({
      flow: { name: 'trip', key: 'k', id: 'r', epoch: 1, sentAt: 1, from: 'first' },
    }),
    ...runs,
  },
  {
    what: 'a payload elsewhere, for a consumer that reads none',
    record: carrying({ payload: POINTER }),
    end: 'deadLettered',
    text: 'rejected',
  },
  {
    what: 'a payload at a path',
    record: carrying({ payload: { ...POINTER, sha256: '../../etc/passwd' } }),
    ...runs,
  },
  {
    what: "a payload in the sender's bucket",
    record: carrying({ payload: { s3BucketName: 'theirs', s3Key: 'k' } }),
    ...runs,
  },
  {
    what: 'a payload without an end',
    record: carrying({ payload: { ...POINTER, bytes: 1e300 } }),
    ...runs,
  },
]
