import { describe, expect, it } from 'vitest'
import { filledIn, forcedIn } from '../../../../src/tools/console/app/parts/plans.ts'

it.each([
  [{ stays: { lostRecord: 1, otherSource: 2 } }, /^Also send those that stay/],
  [{ liveLease: '2026-01-01T00:00:00.000Z' }, /Take its lease away/],
])('%j asks for force', (answer, label) => {
  expect(forcedIn(answer)).toMatch(label)
})

it.each([{}, { stays: {} }])('%j does not', (answer) => {
  expect(forcedIn(answer)).toBeUndefined()
})

describe('what the person types', () => {
  const intent = {
    action: 'dlq.redrive',
    given: { queue: 'q' },
    title: '',
    ask: [
      { name: 'rate', label: 'Rate', kind: 'text', optional: true },
      { name: 'to', label: 'Queue', kind: 'text' },
    ],
  } as const

  it.each([
    [{ 1: ' x ' }, { given: { queue: 'q', to: 'x' } }],
    [{ 0: '50', 1: 'x' }, { given: { queue: 'q', rate: '50', to: 'x' } }],
    [{ 0: '50' }, { wrong: 'Queue: expected a value' }],
  ])('%o becomes %o', (typed, expected) => {
    expect(filledIn(intent, typed)).toEqual(expected)
  })
})
