import fc from 'fast-check'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { payloadText } from '../../../src/library/protocol/record/envelope/payloadText.ts'

class Secret {
  readonly #amount = 5
  amount(): number {
    return this.#amount
  }
}
class Query extends Promise<void> {
  constructor() {
    super(() => {})
  }
}
class Order {
  readonly id = 'o'
}

const circle: Record<string, unknown> = {}
circle['self'] = { circle }
let deep: unknown = 1
for (let level = 0; level < 100_000; level++) deep = [deep]

const REFUSED: readonly [string, unknown, string][] = [
  ['nothing', undefined, '$ is undefined'],
  ['a function', () => 1, '$ is a function'],
  ['a symbol', { a: Symbol('s') }, '$.a is a symbol'],
  ['a Map', { a: [new Map([['k', 1]])] }, '$.a[0] is a Map'],
  ['a Set', new Set([1]), '$ is a Set'],
  ['NaN', { a: { b: Number.NaN } }, '$.a.b is NaN'],
  ['an infinity', [Number.NEGATIVE_INFINITY], '$[0] is -Infinity'],
  ['a bigint', { a: 1n }, '$.a is a bigint'],
  ['bytes', { a: new Uint8Array(2) }, '$.a is bytes'],
  ['a Buffer', { a: Buffer.from('ab') }, '$.a is bytes'],
  ['an ArrayBuffer', new ArrayBuffer(2), '$ is bytes'],
  ['a forgotten await', { a: Promise.resolve(1) }, '$.a is a Promise'],
  ['a query that was not awaited', new Query(), '$ is a Promise'],
  ['undefined in a list', { a: [1, undefined] }, '$.a[1] is undefined'],
  ['a hole in a list', { a: Array(1) }, '$.a[0] is undefined'],
  ['an invalid date', { at: new Date(Number.NaN) }, '$.at is an invalid Date'],
  ['half a surrogate pair', { a: 'x\ud800' }, '$.a is a text with half'],
  ['half a surrogate pair in a name', { a: { 'x\udc00': 1 } }, '$.a has a name with half'],
  ['an error', { a: new Error('no') }, '$.a is an Error'],
  ['an error with fields', Object.assign(new Error('no'), { code: 1 }), '$ is an Error'],
  ['a regular expression', { a: /x/ }, '$.a is a RegExp'],
  ['private fields', { a: new Secret() }, '$.a is an object of class Secret'],
  ['search parameters', new URLSearchParams('a=1'), '$ is an URLSearchParams'],
  ['headers', { a: new Headers() }, '$.a is a Headers'],
  ['a Map of another realm', { a: runInNewContext('new Map()') }, '$.a is a Map'],
  ['what contains itself', circle, '$.self.circle contains itself'],
  [
    'a toJSON that throws',
    {
      toJSON: () => {
        throw new Error('5 euros')
      },
    },
    'has a toJSON that throws',
  ],
  ['what is nested without end', deep, 'nested too deeply'],
  ['a toJSON that gives nothing', { a: { toJSON: () => undefined } }, '$.a has a toJSON'],
  ['a toJSON that gives no JSON', { a: { toJSON: () => ({ n: Number.NaN }) } }, '$.a.n is NaN'],
]

describe('refused, with the path and no value', () => {
  it.each(REFUSED)('%s', (_, payload, said) => {
    expect(() => payloadText("ctx.send('q')", payload)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(said) }),
    )
    expect(() => payloadText("ctx.send('q')", payload)).toThrow(/^ctx\.send\('q'\): .*Nothing was/)
  })
})

describe('sent', () => {
  const shared = { n: 1 }
  it.each<[string, unknown, string]>([
    ['a text', 'a', '"a"'],
    ['null', null, 'null'],
    ['an optional field without its value', { a: undefined, b: 1 }, '{"b":1}'],
    ['a date, by its own toJSON', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['a URL, by its own toJSON', new URL('https://a.example/'), '"https://a.example/"'],
    ['the fields of an object of a class', new Order(), '{"id":"o"}'],
    ['an object of another realm', runInNewContext('({ a: [1] })'), '{"a":[1]}'],
    ['one object at two places', [shared, shared], '[{"n":1},{"n":1}]'],
    ['one object under two names', { a: shared, 'a.b': shared }, '{"a":{"n":1},"a.b":{"n":1}}'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['empty things', [{}, [], ''], '[{},[],""]'],
    ['what JSON knows and queues do not', '\ufffe\uffff\u0000', '"\\ufffe\\uffff\\u0000"'],
    ['whole surrogate pairs', '🚂', '"🚂"'],
  ])('%s', (_, payload, text) => {
    expect(payloadText('ctx.send', payload)).toBe(text)
  })

  it('whatever JSON has, as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        expect(JSON.parse(payloadText('ctx.send', value))).toEqual(
          JSON.parse(JSON.stringify(value)),
        )
      }),
    )
  })
})
