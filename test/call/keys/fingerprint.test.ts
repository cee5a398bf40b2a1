import { describe, expect, it } from 'vitest'
import { fingerprintOfText } from '../../../src/library/entries/call/canonical.ts'
import { hashValue, NotComparableError } from '../../../src/library/base/hashValue.ts'

describe('the fingerprint of a body', () => {
  it.each([
    ['{"cents":9007199254740992}', '{"cents":9007199254740993}'],
    ['[1e400]', '[1e500]'],
    ['{"a":"1"}', '{"a":1}'],
    ['{"a":null}', '{}'],
    ['{"a":{"b":1}}', '{"a":{"c":1}}'],
    ['[["a"],"b"]', '[["a","b"]]'],
    ['"a"', 'a'],
    ['"\\ud800"', '"\\ud801"'],
    ['{"__proto__":1}', '{"__proto__":2}'],
    ['1.0000000000000000001', '1'],
    ['0', '-0'],
    ['1e-400', '0'],
    ['10', '100'],
    ['1', '-1'],
  ])('differs for %s and %s', (one, other) => {
    expect(fingerprintOfText(one)).not.toBe(fingerprintOfText(other))
  })

  it.each([
    ['{"a":1,"b":[2,{"c":3}]}', '{ "b" : [2, {"c":3}],\n "a":1 }'],
    ['{"é":1}', '{"\\u00e9":1}'],
    ['{"a":10}', '{"a":10.0}'],
    ['[100,0.05,-0]', '[1e2,5E-2,-0.0]'],
    ['9007199254740993', '9007199254740993.0'],
  ])('is the same for %s and %s', (one, other) => {
    expect(fingerprintOfText(one)).toBe(fingerprintOfText(other))
  })

  it('of a body that is too long to be parsed is that of its text', () => {
    const long = JSON.stringify({ a: 'x'.repeat(70_000), b: 1 })
    const turned = JSON.stringify({ b: 1, a: 'x'.repeat(70_000) })
    expect(fingerprintOfText(long)).toBe(fingerprintOfText(long))
    expect(fingerprintOfText(long)).not.toBe(fingerprintOfText(turned))
  })

  it('takes a fraction of a second and little memory for the largest body, whatever it holds', () => {
    const empty = `[${'{},'.repeat(1_999_999)}{}]`
    const start = process.cpuUsage()
    const before = process.memoryUsage().heapUsed
    for (const body of [empty, JSON.stringify('x'.repeat(5_500_000)), '['.repeat(5_000_000)]) {
      expect(fingerprintOfText(body)).toMatch(/^[0-9a-f]{64}$/)
    }
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1_000).toBeLessThan(1_000)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000)
  })

  it('of a value with too many parts is refused, because it is not known', () => {
    const many = Array.from({ length: 200_000 }, () => ({}))
    expect(() => hashValue(many)).toThrow(NotComparableError)
  })

  it('of sets and maps does not depend on insertion order', () => {
    expect(hashValue(new Set(['a', 'b']))).toBe(hashValue(new Set(['b', 'a'])))
    const [one, other] = [
      new Map<unknown, unknown>([
        ['a', 1],
        ['b', 2],
      ]),
      new Map<unknown, unknown>([
        ['b', 2],
        ['a', 1],
      ]),
    ]
    expect(hashValue(one)).toBe(hashValue(other))
    expect(hashValue(one)).not.toBe(hashValue(new Map([['a', 1]])))
  })
})
