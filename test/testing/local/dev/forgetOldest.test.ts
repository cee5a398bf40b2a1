import { expect, test } from 'vitest'
import { forgetOldest } from '../../../../src/testing/local/dev/writtenAgain.ts'

test('what was put in first is taken out, and told', () => {
  const map = new Map([1, 2, 3, 4].map((number) => [number, `${number}`]))
  const forgotten: string[] = []
  forgetOldest(map, 2, (_, value) => forgotten.push(value))
  expect([...map.keys()]).toEqual([3, 4])
  expect(forgotten).toEqual(['1', '2'])
  forgetOldest(map, 2)
  expect([...map.keys()]).toEqual([3, 4])
})
