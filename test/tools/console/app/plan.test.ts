import { describe, expect, it } from 'vitest'
import { filledIn } from '../../../../src/tools/console/app/parts/filledIn.ts'
import { shownPlan } from '../../../../src/tools/console/app/parts/shownPlan.ts'

describe('a plan', () => {
  it('of one item shows it now and afterwards', () => {
    const shown = shownPlan({
      version: 1,
      action: 'tokens resolve',
      id: 'orders/1',
      outcome: 'planned',
      standing: ['parked as error'],
      plan: '7f3a91',
      changes: ['done'],
      liveLease: '2026-01-01T00:00:00.000Z',
    })
    expect(shown).toEqual({
      name: '7f3a91',
      action: 'tokens resolve',
      outcome: 'planned',
      because: undefined,
      id: 'orders/1',
      now: ['parked as error'],
      afterwards: ['done'],
      items: [],
      left: [],
      more: false,
      liveLease: '2026-01-01T00:00:00.000Z',
      rest: {},
    })
  })

  it('of many shows which, what is left out and why, and all else that is not nothing', () => {
    const shown = shownPlan({
      outcome: 'incomplete',
      plan: 'a1',
      changed: ['orders/1', 'orders/2'],
      left: [{ id: 'orders/3', because: 'it has changed' }],
      more: true,
      to: { 'http://queue': 2 },
      refused: 0,
      stays: { newer: 0 },
    })
    expect(shown).toMatchObject({
      items: ['orders/1', 'orders/2'],
      left: [{ id: 'orders/3', because: 'it has changed' }],
      more: true,
      rest: { to: { 'http://queue': 2 } },
    })
    expect(Object.keys(shown.rest)).toEqual(['to'])
  })

  it('without a name cannot be applied', () => {
    expect(shownPlan({ outcome: 'nothing', because: 'it is done' }).name).toBeUndefined()
  })
})

describe('what the person types', () => {
  const intent = {
    action: 'dlq.redrive',
    given: { queue: 'q' },
    title: '',
    ask: [
      { name: 'rate', label: 'Rate', kind: 'number', optional: true },
      { name: 'to', label: 'Queue', kind: 'text' },
    ],
  } as const

  it.each([
    [{ 1: ' x ' }, { given: { queue: 'q', to: 'x' } }],
    [{ 0: '50', 1: 'x' }, { given: { queue: 'q', rate: 50, to: 'x' } }],
    [{ 0: '50' }, { wrong: 'Queue: expected a value' }],
    [{ 0: '-1', 1: 'x' }, { wrong: 'Rate: expected a whole number from 1' }],
  ])('%o becomes %o', (typed, expected) => {
    expect(filledIn(intent, typed)).toEqual(expected)
  })
})
