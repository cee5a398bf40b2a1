import { expect, it } from 'vitest'
import { toTime } from '../../src/library/base/time.ts'

const NOON = Date.UTC(2026, 0, 31, 12)

it.each([
  ['a Date', new Date(NOON), NOON],
  ['epoch milliseconds', NOON, NOON],
  ['parts of a millisecond', NOON + 0.7, NOON],
  ['a text in UTC', '2026-01-31T12:00:00Z', NOON],
  ['a text with parts of a second', '2026-01-31T12:00:00.250Z', NOON + 250],
  ['a text without seconds', '2026-01-31T12:00Z', NOON],
  ['a text with an offset', '2026-01-31T14:00:00+02:00', NOON],
  ['the 29th of February of a leap year', '2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
])('%s is a time', (_, given, time) => {
  expect(toTime(given)).toBe(time)
})

it.each([
  ['a text without a zone, which is another time elsewhere', '2026-01-31T12:00:00'],
  ['a day', '2026-01-31'],
  ['a day that does not exist', '2026-02-30T12:00:00Z'],
  ['a month that does not exist', '2026-13-01T12:00:00Z'],
  ['an hour that does not exist', '2026-01-31T24:00:00Z'],
  ['words', 'yesterday'],
  ['digits in a text', String(NOON)],
  ['an invalid Date', new Date(NaN)],
  ['not a number', NaN],
  ['infinity', Infinity],
  ['microseconds', NOON * 1_000],
  ['zero', 0],
  ['a time before 1970', -1],
  ['a Promise', Promise.resolve(NOON)],
  ['a bigint', BigInt(NOON)],
  ['nothing', undefined],
  ['null', null],
])('%s is none', (_, given) => {
  expect(toTime(given)).toBeUndefined()
})

it.each([1_790_000_000, 1e9, 9_999_999_999])('%d, which is seconds, is none', (seconds) => {
  expect(toTime(seconds)).toBeUndefined()
  expect(toTime(seconds * 1_000)).toBe(seconds * 1_000)
})
