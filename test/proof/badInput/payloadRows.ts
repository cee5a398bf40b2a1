import { record } from './consumerHarness.ts'
import type { Row } from './row.ts'

const refusing = (text: string) => ({ end: 'deadLettered', text }) as const
const refused = refusing('the schema refuses the payload')
const order = (changes: object) => record({ id: 'bad', n: 7, ...changes })
const levels = 100_000
const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`

/** Payloads that the schema refuses, and odd JSON. */
export const payloadRows: readonly Row[] = [
  { what: 'null', record: record('null'), ...refused },
  { what: 'a bare number', record: record('7'), ...refused },
  { what: 'a bare text', record: record('"order"'), ...refused },
  { what: 'true', record: record('true'), ...refused },
  { what: 'a list', record: record('[]'), ...refused },
  { what: 'an empty object', record: record('{}'), ...refusing('id: ') },
  { what: 'a missing field', record: record({ id: 'bad' }), ...refusing('n: ') },
  { what: 'a field that is null', record: order({ n: null }), ...refusing('n: ') },
  { what: 'a number that is a text', record: order({ n: '7' }), ...refusing('n: ') },
  { what: 'a number with a fraction', record: order({ n: 7.5 }), ...refusing('n: ') },
  { what: 'a number below nothing', record: order({ n: -1 }), ...refusing('n: ') },
  { what: 'a number too large', record: order({ n: 1e9 }), ...refusing('n: ') },
  {
    what: 'a number beyond 2^53',
    record: record('{"id":"bad","n":9007199254740993}'),
    ...refusing('n: '),
  },
  {
    what: 'a number beyond all numbers',
    record: record('{"id":"bad","n":1e400}'),
    ...refusing('n: '),
  },
  { what: 'not a number', record: record('{"id":"bad","n":NaN}'), ...refusing('not JSON') },
  { what: 'an empty text', record: order({ id: '' }), ...refusing('id: ') },
  { what: 'a text that is an object', record: order({ id: {} }), ...refusing('id: ') },
  { what: 'a choice that does not exist', record: order({ kind: 'brick' }), ...refusing('kind: ') },
  {
    what: 'a list that is too long',
    record: order({ tags: ['a', 'b', 'c', 'd'] }),
    ...refusing('tags: '),
  },
  {
    what: 'a list with a stranger in it',
    record: order({ tags: ['a', 7] }),
    ...refusing('tags.1: '),
  },
  { what: 'a list that is an object', record: order({ tags: { 0: 'a' } }), ...refusing('tags: ') },
  {
    what: 'the same name twice: the last counts',
    record: record('{"id":"a","id":"bad","n":7}'),
    end: 'completed',
    ran: { id: 'bad', n: 7 },
  },
  {
    what: 'a name more',
    record: order({ colour: 'red' }),
    end: 'completed',
    ran: { id: 'bad', n: 7 },
  },
  {
    what: 'a name __proto__',
    record: record('{"id":"bad","n":7,"__proto__":{"kind":"book"}}'),
    end: 'completed',
    ran: { id: 'bad', n: 7 },
  },
  {
    what: 'a name __proto__ instead of the fields',
    record: record('{"__proto__":{"id":"bad","n":7}}'),
    ...refusing('id: '),
  },
  {
    what: 'a lone surrogate',
    record: record('{"id":"\\udc00","n":7}'),
    end: 'completed',
    ran: { id: '\udc00', n: 7 },
  },
  {
    what: 'a NUL in a text',
    record: record('{"id":"a\\u0000b","n":7}'),
    end: 'completed',
    ran: { id: 'a\0b', n: 7 },
  },
  { what: 'a comment', record: record('{"id":"bad",/* seven */"n":7}'), ...refusing('not JSON') },
  { what: 'a comma too many', record: record('{"id":"bad","n":7,}'), ...refusing('not JSON') },
  {
    what: 'two payloads',
    record: record('{"id":"a","n":1}\n{"id":"b","n":2}'),
    ...refusing('not JSON'),
  },
  { what: '100,000 levels, where a schema looks at none', record: record(deep), ...refused },
  {
    what: '100,000 levels, half of them',
    record: record(deep.slice(0, levels)),
    ...refusing('it ends too soon'),
  },
  {
    what: '200 KB of a text',
    record: order({ id: 'x'.repeat(200_000), n: 'y' }),
    ...refusing('n: '),
  },
  {
    what: 'more issues than the error names',
    record: record({ id: 7, n: 'x', kind: 7, tags: [7, 7, 7] }),
    ...refusing('and 1 more'),
  },
  {
    what: '__proto__ without a schema is data',
    to: 'no schema',
    record: record('{"__proto__":{"n":1}}'),
    end: 'completed',
    ran: JSON.parse('{"__proto__":{"n":1}}'),
  },
  {
    what: 'null without a schema',
    to: 'no schema',
    record: record('null'),
    end: 'completed',
    ran: null,
  },
  {
    what: 'no JSON without a schema',
    to: 'no schema',
    record: record('hello'),
    ...refusing('not JSON'),
  },
]
