import { expect, it } from 'vitest'
import { moved } from '../../../../src/tools/console/app/parts/moved.ts'

it.each([
  ['j', 3, 4],
  ['ArrowDown', 9, 9],
  ['k', 3, 2],
  ['ArrowUp', 0, 0],
  ['Home', 3, 0],
  ['End', 3, 9],
  ['x', 3, undefined],
])('%s moves from row %d to %o of ten', (key, from, to) => {
  expect(moved(key, from, 10)).toBe(to)
})

it('a key moves nowhere without rows', () => {
  expect(moved('j', 0, 0)).toBeUndefined()
})
