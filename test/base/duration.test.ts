import { expect, it } from 'vitest'
import { toMilliseconds } from '../../src/library/base/options.ts'
import type { Duration } from '../../src/library/base/time.ts'

it.each<[Duration, number]>([
  [0, 0],
  [1.5, 1.5],
  [500, 500],
  ['0s', 0],
  ['500ms', 500],
  ['10s', 10_000],
  ['1.5s', 1_500],
  ['12.25s', 12_250],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['30d', 2_592_000_000],
])('%j is %d ms', (duration, milliseconds) => {
  expect(toMilliseconds('retry.delay', duration)).toBe(milliseconds)
})

it.each<unknown>([
  -1,
  Number.NaN,
  Infinity,
  '',
  '10',
  's',
  '-1s',
  '1.s',
  '.5s',
  '1.x5s',
  'a10s',
  '10sec',
  '10 s',
  '10S',
  '10toString',
  null,
  undefined,
  {},
])('%j is none', (duration) => {
  const read = (): number => toMilliseconds('retry.delay', duration as Duration)
  expect(read).toThrow(
    /^retry\.delay: expected milliseconds or a text such as '10s' or '30d', got /,
  )
  expect(read).toThrow(expect.objectContaining({ code: 'CONFIG' }))
})
