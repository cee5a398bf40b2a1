import { expect, it } from 'vitest'
import { arrivalsOf } from '../../../src/tools/operator/dlq/bound.ts'

it('counts each time once, the first in the first part and the last in the last one', () => {
  const hours = Array.from({ length: 25 }, (_, at) => at * 3_600_000)
  expect(arrivalsOf(hours)).toEqual([...Array.from({ length: 23 }, () => 1), 2])
})

it.each([
  ['one time', [7], [1]],
  ['equal times', [7, 7, 7], [3]],
  ['no time', [], [0]],
])('of %s', (_name, times, [first = 0]) => {
  expect(arrivalsOf(times)).toEqual([first, ...Array.from({ length: 23 }, () => 0)])
})
