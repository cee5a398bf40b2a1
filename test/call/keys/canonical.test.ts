import { expect, it } from 'vitest'
import { hashValue } from '../../../src/library/base/hashValue.ts'

it.each([
  ['texts that run into each other', ['aSb', 'c'], ['a', 'bSc']],
  ['a field that looks like two', { a: 'bSc', d: 'e' }, { a: 'b', c: 'Sde' }],
  ['a text and a number', ['1'], [1]],
  ['a list and its only member', [['a']], ['a']],
])('different data have different hashes: %s', (_, one, other) => {
  expect(hashValue(one)).not.toBe(hashValue(other))
})
