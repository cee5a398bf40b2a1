import { expect, it } from 'vitest'
import { pauseAfter } from '../../../../src/tools/console/app/answers.ts'

it.each([
  ['a small table', 12, 30_000],
  ['100,000 items', 2_804, 280_400],
])('a page that follows %s asks again after a pause by its price', (_, units, pause) => {
  expect(pauseAfter(30_000, units)).toBe(pause)
})
