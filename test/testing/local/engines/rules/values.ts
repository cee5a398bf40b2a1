import {
  alternator,
  asks,
  at,
  dynalite,
  guide,
  KEY,
  puts,
  refused,
  type Row,
  type Rule,
  stored,
  taken,
  values,
} from './rule.ts'

const NUMBERS = alternator('number')
const DYNALITE = dynalite('putItem')
const ITEMS = alternator('item')
const LIMITS = alternator('limits')
const NAMES = guide('HowItWorks.NamingRulesDataTypes')

const number = (N: unknown, row: Row): Rule =>
  puts(`the number ${JSON.stringify(N)}`, { z: { N } }, row)

const sum = (text: string, a: string, b: string, row: Row): Rule =>
  asks(
    `the sum ${a} ${text} ${b}`,
    'UpdateItem',
    {
      Key: KEY,
      UpdateExpression: `SET z = :a ${text} :b`,
      ...values({ ':a': { N: a }, ':b': { N: b } }),
    },
    row,
  )

/** Each number, as it is returned. */
const written = (given: string, answers: string): Rule => ({
  ...asks(
    `${given} is returned as ${answers}`,
    'GetItem',
    { Key: KEY },
    {
      first: [stored({ ...KEY, z: { N: given } })],
      look: at('Item.z.N'),
      answers,
      source: NUMBERS,
    },
  ),
})

const nested = (levels: number): object => (levels === 0 ? { S: 'x' } : { L: [nested(levels - 1)] })

const serialization = (source: string, native?: unknown): Row => ({
  answers: 'SerializationException',
  source,
  ...(native !== undefined && { native }),
})

export const VALUES: readonly Rule[] = [
  // Numbers
  ...['NaN', 'Infinity', 'dog', ' 1', '1 ', ''].map((N) => number(N, refused(NUMBERS))),
  ...['-17.4E37', '+3', '.123', '0001.23', '1e+5'].map((N) => number(N, taken(NUMBERS))),
  number(3, serialization(NUMBERS)),
  number('1e126', refused(DYNALITE)),
  number('1e-131', refused(DYNALITE)),
  number(`9.${'9'.repeat(37)}e125`, taken(NUMBERS)),
  number('1e-130', taken(NUMBERS)),
  number('123456789012345678901234567890123456789', refused(DYNALITE)),
  sum('+', '9e125', '9e125', refused(NUMBERS)),
  sum('+', '1e50', '1', refused(NUMBERS)),
  sum('-', '1', '1e-40', refused(NUMBERS)),
  written('0100', '100'),
  written('1.50', '1.5'),
  written('1e2', '100'),
  written('-0', '0'),
  // Types
  puts('two types in one value', { z: { S: 'a', BOOL: true } }, refused(DYNALITE)),
  puts('a value without a type', { z: {} }, refused(DYNALITE)),
  puts('NULL that is false', { z: { NULL: false } }, refused(DYNALITE)),
  puts('base64 without its padding', { b: { B: 'YQ' } }, serialization(DYNALITE)),
  puts('base64 with another character', { b: { B: 'YW_=' } }, serialization(DYNALITE)),
  puts('a set of no texts', { z: { SS: [] } }, refused(DYNALITE)),
  puts('a set of no bytes', { z: { BS: [] } }, refused(DYNALITE)),
  puts('a text twice in a set', { z: { SS: ['a', 'a'] } }, refused(DYNALITE)),
  puts('a number twice in a set', { z: { NS: ['1', '1.0'] } }, refused(DYNALITE)),
  puts('an empty text in a set', { z: { SS: [''] } }, taken(NAMES)),
  puts('an empty text', { z: { S: '' } }, taken(ITEMS)),
  puts('no bytes', { z: { B: '' } }, taken(ITEMS)),
  puts('an attribute without a name', { '': { S: 'a' } }, refused(LIMITS, 'accepted')),
  // Sizes
  puts('a name of 65,535 bytes', { ['x'.repeat(65_535)]: { N: '1' } }, taken(LIMITS)),
  puts('a name of 65,536 bytes', { ['x'.repeat(65_536)]: { N: '1' } }, refused(LIMITS, 'accepted')),
  puts('31 lists around a text', { z: nested(31) }, taken(guide('Constraints'))),
  puts('32 lists around a text', { z: nested(32) }, refused(guide('Constraints'))),
  puts('an item of 400 KiB and a byte', { z: { S: 'x'.repeat(409_600 - 5) } }, refused(DYNALITE)),
  puts('a partition key of 2,048 bytes', { p: { S: 'x'.repeat(2_048) } }, taken(LIMITS)),
  puts('a partition key of 2,049 bytes', { p: { S: 'x'.repeat(2_049) } }, refused(LIMITS)),
  puts(
    'a key of an index of 2,049 bytes',
    { g: { S: 'x'.repeat(2_049) } },
    refused(alternator('gsi'), 'accepted'),
  ),
  // Keys
  puts('a key of another type', { c: { S: '1' } }, refused(ITEMS)),
  puts('a key that is missing', { c: undefined }, refused(DYNALITE)),
  puts('an empty key', { p: { S: '' } }, refused(ITEMS)),
  puts('a key of an index of another type', { g: { N: '1' } }, refused(alternator('gsi'))),
  puts('an empty key of an index', { g: { S: '' } }, refused(alternator('gsi'))),
  asks('half a key', 'GetItem', { Key: { p: KEY.p } }, refused(ITEMS)),
  asks(
    'a key and an attribute more',
    'GetItem',
    { Key: { ...KEY, n: { N: '1' } } },
    refused(ITEMS),
  ),
  asks(
    'the key 1.0 of the item 1',
    'GetItem',
    { Key: { ...KEY, c: { N: '1.0' } } },
    {
      look: at('Item.g.S'),
      answers: 'g',
      source: NUMBERS,
    },
  ),
]
