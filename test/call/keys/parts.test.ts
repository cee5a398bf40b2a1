import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  isExpression,
  type KeyReading,
  readKey,
  describeKey,
  eventPk,
  tokenPk,
} from '../../../src/library/entries/call/readKey.ts'
import {
  canonicalText,
  fingerprintOfRequest,
  hashParts,
} from '../../../src/library/entries/call/canonical.ts'
import { hashValue, NotComparableError } from '../../../src/library/base/hashValue.ts'
import { readHttpEvent } from '../../../src/library/entries/call/http/httpEvent.ts'
import { restEvent } from '../httpEvents.ts'

const read = (selected: unknown, form: 'sha256' | 'plain' = 'plain'): KeyReading =>
  readKey(() => selected, form, undefined)
const missing = (why: string): KeyReading => ({ kind: 'missing', why })

describe('a key', () => {
  it.each<[unknown, string]>([
    ['order/1', 'order%2F1'],
    [['100 %'], '100 %25'],
    [['order/1', 'a b'], 'order%2F1/a%20b'],
    [5, canonicalText(5)],
    [0, canonicalText(0)],
    [false, canonicalText(false)],
    [{ id: 1 }, canonicalText({ id: 1 })],
    [{ id: 1, name: '' }, canonicalText({ id: 1, name: '' })],
    [[['a', '']], canonicalText(['a', ''])],
    [new Date(5), canonicalText(new Date(5))],
  ])('of %j is used as it is but for slashes, or escaped beside other parts', (selected, key) => {
    expect(read(selected)).toEqual({ kind: 'key', key })
  })

  it('may be hashed', () => {
    expect(read(['a', 1], 'sha256')).toEqual({ kind: 'key', key: hashParts(['a', 1]) })
    expect(read('a', 'sha256')).toEqual({ kind: 'key', key: hashParts(['a']) })
  })

  it.each<[unknown, string]>([
    [undefined, 'it is missing'],
    [null, 'it is missing'],
    ['', 'it is missing'],
    [Number.NaN, 'it is missing'],
    [{}, 'it is missing'],
    [{ id: undefined, name: '' }, 'it is missing'],
    [[[]], 'it is missing'],
    [[], 'it has no parts'],
    [['a', undefined], 'part 2 of 2 is missing'],
    [[null, 'b', ''], 'part 1 of 3 is missing'],
  ])('of %o is missing', (selected, why) => {
    expect(read(selected)).toEqual(missing(why))
  })

  it('that cannot be read says why, and quotes no text that was parsed', () => {
    const failing = (error: Error): KeyReading =>
      readKey(
        () => {
          throw error
        },
        'plain',
        undefined,
      )
    const why = { kind: 'missing', why: 'it cannot be read' }
    expect(failing(new TypeError('no body'))).toEqual({ ...why, because: 'TypeError: no body' })
    expect(failing(new SyntaxError('"4111"'))).toEqual({ ...why, because: 'SyntaxError' })
  })
})

describe('a fingerprint', () => {
  it('is the same for equal values, whatever the order of their fields', () => {
    expect(hashValue({ a: 1, b: [2] })).toBe(hashValue({ b: [2], a: 1 }))
    expect(hashValue({ a: 1 })).not.toBe(hashValue({ a: 2 }))
    expect(hashParts(['a', 'bc'])).not.toBe(hashParts(['ab', 'c']))
    // Must never change: stored keys and fingerprints are compared with it.
    expect(hashParts(['a', 'b'])).toBe(hash('sha256', '3:S:a3:S:b', 'hex'))
  })

  it('keeps lone surrogates apart, which are the same as bytes', () => {
    expect(hashParts(['\ud800'])).not.toBe(hashParts(['\ud801']))
    expect(canonicalText('\ud800')).toMatch(/^"/)
    expect(canonicalText('a')).not.toMatch(/^"/)
  })

  it('is refused for what cannot be compared', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(() => hashValue(circle)).toThrow(NotComparableError)
    expect(() => hashValue({ client: new WeakMap() })).toThrow(NotComparableError)
  })

  const of = (body: unknown, more: object = {}): string => {
    const http = readHttpEvent({ ...restEvent({ body }), ...more })
    if (http === undefined) throw new Error('no HTTP event')
    return fingerprintOfRequest(http)
  }

  it('of a request is that of its method, path, query and content', () => {
    const base = of('{"a":1,"b":2}')
    expect(of('{ "b": 2, "a": 1 }')).toBe(base)
    expect(of('{ "b": 2, "a": 3 }')).not.toBe(base)
    expect(of('{"a":1,"b":2}', { httpMethod: 'PUT' })).not.toBe(base)
    expect(of('{"a":1,"b":2}', { path: '/refunds' })).not.toBe(base)
    expect(of('{"a":1,"b":2}', { queryStringParameters: { a: '1' } })).not.toBe(base)
  })

  it('also exists for a request without a body, or with one that is no JSON', () => {
    const bare = { body: null }
    expect(of('', bare)).toBe(of(''))
    expect(of('a=1')).not.toBe(of('a=2'))
    expect(of('', { queryStringParameters: { a: '1' } })).not.toBe(of(''))
    const query = { queryStringParameters: { a: '1' } }
    expect(of('a=1', query)).not.toBe(of('a=1'))
    expect(of('1', query)).not.toBe(of('"1"', query))
  })
})

describe('the partition key of an idempotency key', () => {
  it('is its own for each name, tenant and key', () => {
    expect(tokenPk('api', undefined, 'k')).toBe('key#api/k')
    expect(tokenPk('a/b', undefined, 'k/1')).toBe('key#a%2Fb/k/1')
    expect(tokenPk('api', 't@/', 'k')).toBe('key#api@t%40%2F/k')
    expect(eventPk('a/b', 'k')).toBe('once#a%2Fb/k')
  })

  it('is at most as long as DynamoDB allows, in bytes', () => {
    const most = 'ä'.repeat((2_048 - 'once#s/'.length - 1) / 2)
    expect(eventPk('s', `${most}a`)).toBe(`once#s/${most}a`)
    expect(eventPk('s', `${most}aa`)).toBeUndefined()
    expect(tokenPk('s', undefined, 'a'.repeat(2_048))).toBeUndefined()
  })

  it('holds no lone surrogate', () => {
    expect(eventPk('s', '\ud800')).toBeUndefined()
  })

  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [5, 'number'],
    ['', 'an empty text'],
    ['\ud800', 'a text with half a character (a lone surrogate)'],
    ['äb', '3 bytes'],
  ])('is not quoted: %j', (key, text) => {
    expect(describeKey(key)).toBe(text)
  })
})

it.each([
  [{ expression: 'a', select: Number }, true],
  [{ expression: 'a' }, false],
  [Object.assign(() => 1, { select: Number }), false],
  [null, false],
  [undefined, false],
  ['select', false],
])('an expression is an object that selects: %o', (selector, expected) => {
  expect(isExpression(selector)).toBe(expected)
})
