import { describe, expect, it } from 'vitest'
import { holds } from '../../src/library/protocol/store/condition.ts'
import type { UserItem, UserValue } from '../../src/library/protocol/store/store.ts'
import { canonical } from '../../src/library/protocol/store/value.ts'

// The contract tests what every store must answer; this tests the rule itself.
describe('holds', () => {
  const is = (item: UserItem | undefined, is: '=' | '<' | '>=' | '<>', value: UserValue): boolean =>
    holds({ field: 'a', is, value }, item)

  it('orders strings by their bytes, as DynamoDB does and JavaScript does not', () => {
    const two = ['\u{1F600}', '\uFFEE']
    expect(two.toSorted()).toEqual(two)
    expect(is({ a: '\uFFEE' }, '<', '\u{1F600}')).toBe(true)
    expect(is({ a: 'Z' }, '<', 'a')).toBe(true)
  })

  it('takes a whole number for the same, whatever its JavaScript type', () => {
    expect(is({ a: 1n }, '=', 1)).toBe(true)
    expect(is({ a: 2n ** 70n }, '=', 2 ** 70)).toBe(true)
    expect(is({ a: 2n ** 70n }, '>=', 1)).toBe(true)
    expect(is({ a: -0 }, '=', 0)).toBe(true)
  })

  it('knows no order of what DynamoDB does not order', () => {
    for (const value of [true, null, [1], { b: 1 }, new Set(['a'])]) {
      expect(is({ a: value }, '<', value)).toBe(false)
      expect(is({ a: value }, '>=', value)).toBe(false)
    }
    expect(is({ a: new Uint8Array([65]) }, '<', 'B')).toBe(false)
  })

  it('takes a missing item for one without attributes', () => {
    expect(holds({ absent: 'a' }, undefined)).toBe(true)
    expect(holds({ exists: 'a' }, undefined)).toBe(false)
    expect(holds({ field: 'a', lacks: 'x' }, undefined)).toBe(true)
    expect(is(undefined, '<>', 1)).toBe(true)
    expect(is(undefined, '=', 1)).toBe(false)
  })

  it('sees own attributes only', () => {
    expect(holds({ exists: 'toString' }, {})).toBe(false)
    expect(holds({ absent: '__proto__' }, {})).toBe(true)
  })
})

describe('canonical', () => {
  const DIFFERENT: UserValue[] = [
    '',
    'a',
    '1',
    'true',
    'null',
    1,
    1.5,
    -1,
    true,
    false,
    null,
    new Uint8Array([97]),
    new Set(['a']),
    new Set(['a', 'b']),
    new Set(['a,b']),
    new Set([1]),
    ['a'],
    ['a', 'b'],
    ['b', 'a'],
    ['a,b'],
    [['a'], 'b'],
    [],
    {},
    { a: 'b' },
    { a: 'b', c: 'd' },
    { a: 'b,c=d' },
    { a: { b: 1 } },
  ]

  it('is another text for every other value', () => {
    expect(new Set(DIFFERENT.map(canonical)).size).toBe(DIFFERENT.length)
  })

  it('is one text, whatever the order of members and names', () => {
    expect(canonical(new Set(['b', 'a']))).toBe(canonical(new Set(['a', 'b'])))
    expect(canonical({ b: 1, a: [2] })).toBe(canonical({ a: [2], b: 1 }))
  })
})
