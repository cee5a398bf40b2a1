import { expect, it } from 'vitest'
import { isoTime } from '../../../src/library/base/time.ts'

it('is the same text for the same time, after any number of others', () => {
  const times = Array.from({ length: 40 }, (_, index) => Date.UTC(2026, 0, 1) + index * 7)
  const texts = times.map((time) => new Date(time).toISOString())
  expect(times.map(isoTime)).toEqual(texts)
  expect(times.toReversed().map(isoTime)).toEqual(texts.toReversed())
  expect([...times, ...times].map(isoTime)).toEqual([...texts, ...texts])
})
