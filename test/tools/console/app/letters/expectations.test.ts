import { expect, it } from 'vitest'
import { expectationsOf } from '../../../../../src/tools/console/app/pages/letters/expectations.ts'

const ERROR =
  'RejectedError: the schema refuses the payload: total: Invalid input: expected number, received string; lines[0].sku: Invalid input: expected string, received undefined; at: Invalid input: expected date, received string'

it('tells which values are what the schema has asked for', () => {
  expect(expectationsOf(ERROR, { total: '7.50', lines: [{ sku: 'a' }] })).toEqual([
    { path: 'total', expected: 'number', met: false },
    { path: 'lines[0].sku', expected: 'string', met: true },
    { path: 'at', expected: 'date', met: undefined },
  ])
})

it.each([
  ['number', 750, true],
  ['int', 7.5, false],
  ['boolean', 'true', false],
  ['array', {}, false],
  ['object', [], false],
  ['object', {}, true],
  ['null', null, true],
])('%s: %j', (expected, total, met) => {
  const error = `total: Invalid input: expected ${expected}, received string`
  expect(expectationsOf(error, { total })).toEqual([{ path: 'total', expected, met }])
})

it('knows nothing of an error in other words, and climbs no prototype', () => {
  expect(expectationsOf('TypeError: carrier: no tariff', {})).toEqual([])
  const error = 'constructor.name: Invalid input: expected string, received undefined'
  expect(expectationsOf(error, {})).toMatchObject([{ met: false }])
})
