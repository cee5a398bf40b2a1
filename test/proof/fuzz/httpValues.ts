import fc from 'fast-check'
import { albEvent, functionUrlEvent, httpApiEvent, restEvent } from '../../call/httpEvents.ts'
import { body, name, text } from './values.ts'

const KEY_NAMES = [
  'Idempotency-Key',
  'idempotency-key',
  'IDEMPOTENCY-KEY',
  ' Idempotency-Key',
  'Idempotency_Key',
]
const headerName = fc.oneof(fc.constantFrom(...KEY_NAMES), name)
const key = fc.oneof(
  text,
  text.map((it) => `"${it}"`),
  fc.constantFrom('""', '"', '"a";x=1', '"a\\"b"', 'a, b', '\\'),
)
const headerValue = fc.oneof(
  { weight: 5, arbitrary: key },
  fc.constantFrom<unknown>(null, undefined, 7, [], {}, ['a', 'b']),
)
const headers = fc.oneof(
  { weight: 6, arbitrary: fc.dictionary(headerName, headerValue, { maxKeys: 4 }) },
  fc.constantFrom<unknown>(undefined, null, 'x', 7, []),
)
const form = fc.constantFrom(
  () => restEvent(),
  () => httpApiEvent(),
  () => functionUrlEvent(),
  () => albEvent(),
  () => albEvent({}, 'multi'),
)
/** An event of each API, with anything in the places that a client fills. */
export const httpEvent: fc.Arbitrary<object> = fc
  .record({
    form,
    headers,
    multiValueHeaders: fc.oneof(
      headers,
      fc.dictionary(headerName, fc.array(headerValue, { maxLength: 3 })),
    ),
    body: fc.oneof<fc.Arbitrary<unknown>[]>(body, fc.constantFrom(null, undefined, 7, {})),
    rawQueryString: fc.oneof<fc.Arbitrary<unknown>[]>(text, fc.constant(7)),
    queryStringParameters: fc.oneof<fc.Arbitrary<unknown>[]>(
      fc.dictionary(name, text),
      fc.constantFrom(null, 'x'),
    ),
    authorizer: fc.oneof<fc.Arbitrary<unknown>[]>(
      fc.dictionary(name, text),
      fc.constantFrom(null, 'x', { jwt: null }, { claims: { sub: 7 } }),
    ),
  })
  .map(({ form: make, authorizer, ...fields }): object => {
    const made = make()
    return { ...made, ...fields, requestContext: { ...made.requestContext, authorizer } }
  })
