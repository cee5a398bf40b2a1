import { expect, it } from 'vitest'
import { type Goal, GOALS } from './goals.ts'
import { judge, tableOfGoals } from './judge.ts'
import { readOptions } from './options.ts'
import { PARTS } from './parts.ts'
import { asMarkdown, asText } from './report.ts'

const GOAL: Goal = { part: 'cpu', figure: 'x', atMost: 0.5 }

it.each([
  ['at its limit', { x: 0.5 }, true],
  ['above it', { x: 0.51 }, false],
  ['not measured', {}, false],
  ['measured, but not a number', { x: Number.NaN }, false],
])('a goal that is %s', (_, figures, met) => {
  expect(judge([GOAL], figures)).toMatchObject([{ met }])
})

it('every goal is about a part', () => {
  const names = PARTS.map(({ name }) => name)
  expect(GOALS.filter(({ part }) => !names.includes(part))).toEqual([])
})

it('says of each goal what was seen', () => {
  const table = tableOfGoals(judge([GOAL, { ...GOAL, figure: 'y' }], { x: 0.123456 }))
  expect(asText(table)).toBe(`Goals: 1 of 2 are met
---------------------
figure  goal   seen
x       ≤ 0.5  0.123         met
y       ≤ 0.5  not measured  missed`)
  expect(asMarkdown(table)).toContain('| x | ≤ 0.5 | 0.123 | met |')
})

it.each([
  [['--only', 'cpu', 'cold', '--check'], { only: ['cpu', 'cold'], check: true, format: 'text' }],
  [['--quick', '--markdown'], { only: [], quick: true, format: 'markdown' }],
])('reads %j', (args, options) => {
  expect(readOptions(args, ['cpu', 'cold'])).toMatchObject(options)
})

it.each([
  [['--only', 'cpus'], 'no part is named cpus; parts: cpu, cold'],
  [['cpu'], 'expected --only before cpu'],
  [['--json', '--markdown'], 'not both'],
  [['--fast'], "Unknown option '--fast'"],
])('refuses %j', (args, message) => {
  expect(() => readOptions(args, ['cpu', 'cold'])).toThrow(message)
})
