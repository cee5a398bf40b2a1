import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  DIGEST_LENGTH,
  digestOf,
  isVersion,
  later,
  requestIn,
  versionOf,
} from '../../../src/library/protocol/claim/stage/version.ts'

const times = fc.integer({ min: 0, max: 999_999_999_999_999 })
const ids = fc.string({ minLength: 1, maxLength: 40 })

it('orders by time, then by id', () => {
  fc.assert(
    fc.property(times, ids, times, ids, (one, oneId, other, otherId) => {
      const isEarlier = one === other ? oneId < otherId : one < other
      expect(versionOf(one, oneId) < versionOf(other, otherId)).toBe(isEarlier)
    }),
  )
})

it('orders two requests of one millisecond by their ids', () => {
  fc.assert(
    fc.property(times, ids, ids, (time, one, other) => {
      expect(versionOf(time, one) < versionOf(time, other)).toBe(one < other)
    }),
  )
})

it('reads the request id of a version, also when the id holds a #', () => {
  fc.assert(
    fc.property(times, ids, (time, id) => {
      expect(requestIn(versionOf(time, `${id}#${id}`))).toBe(`${id}#${id}`)
    }),
  )
})

it('keeps the later of two, and the only one', () => {
  expect(later(undefined, 'a')).toBe('a')
  expect(later('a', 'b')).toBe('b')
  expect(later('b', 'a')).toBe('b')
})

it('remembers ids of any length and letters in digests of one width that differ', () => {
  const digests = fc.sample(fc.uniqueArray(ids, { minLength: 200, maxLength: 200 }), 1)[0] ?? []
  const texts = digests.map(digestOf)
  expect(new Set(texts).size).toBe(200)
  expect(texts.every(({ length }) => length === DIGEST_LENGTH)).toBe(true)
})

it.each([
  5,
  undefined,
  '',
  'r1',
  '#r1',
  '5#r1',
  '000000000000005#',
  '1000000000000005#r1',
  'x000000000000005#r1',
  '00000000000000x#r1',
  ['000000000000005#r1'],
])('knows that %j is no version', (value) => {
  expect(isVersion(value)).toBe(false)
})

it('knows every version for one', () => {
  fc.assert(
    fc.property(times, ids, (time, id) => {
      expect(isVersion(versionOf(time, id))).toBe(true)
    }),
  )
})
