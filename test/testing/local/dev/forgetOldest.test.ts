import { expect, test } from 'vitest'
import { forgetOldest } from '../../../../src/testing/local/dev/outsideSystems.ts'

test('what was put in first is taken out, and told', () => {
  const map = new Map([1, 2, 3, 4].map((number) => [number, `${number}`]))
  const forgotten: string[] = []
  forgetOldest(map, 2, (_, value) => forgotten.push(value))
  expect([...map.keys()]).toEqual([3, 4])
  expect(forgotten).toEqual(['1', '2'])
  const set = new Set(['a', 'b'])
  forgetOldest(set, 1)
  forgetOldest(set, 1)
  expect([...set]).toEqual(['b'])
})
