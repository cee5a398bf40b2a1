import { describe, expect, it } from 'vitest'
import { filledIn, shownPlan } from '../../../../src/tools/console/app/parts/plans.ts'

describe('a plan', () => {
  it('shows its item now and afterwards, and what else the command says', () => {
    const shown = shownPlan({
      version: 2,
      action: 'decide done',
      id: 'orders/1',
      outcome: 'planned',
      plan: '7f3a91',
      now: ['parked as error'],
      after: ['done'],
      lines: ['receipt: x', ''],
      said: 'Nothing was changed.',
      liveLease: '2026-01-01T00:00:00.000Z',
      moved: 3,
      stays: { lostRecord: 1, otherSource: 2, tooLarge: 4 },
    })
    expect(shown).toEqual({
      name: '7f3a91',
      action: 'decide done',
      outcome: 'planned',
      said: 'Nothing was changed.',
      next: undefined,
      id: 'orders/1',
      now: ['parked as error'],
      after: ['done'],
      lines: ['receipt: x'],
      liveLease: '2026-01-01T00:00:00.000Z',
      held: 3,
    })
  })

  it('that runs on behind its answer is running', () => {
    expect(shownPlan({ action: 'dlq.redrive', running: true }).outcome).toBe('running')
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
