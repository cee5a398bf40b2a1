import { describe, expect, it } from 'vitest'
import { pauseAfter } from '../../../../src/tools/console/app/answers.ts'
import { isDoubt, verdictsOn } from '../../../../src/tools/console/app/tasks/verdicts.ts'

it.each([
  ['a small table', 12, 30_000],
  ['100,000 items', 2_804, 280_400],
])('a page that follows %s asks again after a pause by its price', (_, units, pause) => {
  expect(pauseAfter(30_000, { took: 400, units })).toBe(pause)
})

describe('the answers to an unknown outcome', () => {
  it('of a call of a request', () => {
    const target = { id: 'mails/mail-31' }
    const verdicts = verdictsOn({
      target,
      name: 'mails/mail-31',
      kind: 'request',
      calls: ['send'],
      notDone: ['send'],
    })
    expect(verdicts.map(({ title, intent }) => [title, intent?.action, intent?.given])).toEqual([
      ['It was made, with this result', 'decide', { ...target, decision: 'again' }],
      [
        'It was made, and so was the rest of the request',
        'decide',
        { ...target, decision: 'done' },
      ],
      ['It was not made', 'decide', { ...target, decision: 'free', notDone: ['send'] }],
      ['Not known yet', undefined, undefined],
    ])
    expect(verdicts[0]?.intent?.ask).toMatchObject([{ name: 'made', key: 'send', kind: 'json' }])
  })

  it('of a key, whose section is the call', () => {
    const target = { id: 'payments/df7c6ae3' }
    const verdicts = verdictsOn({
      target,
      name: 'payments/df7c6ae3',
      kind: 'key',
      calls: [],
      notDone: ['section'],
    })
    expect(verdicts.map(({ title, intent }) => [title, intent?.action, intent?.given])).toEqual([
      ['It was made', 'decide', { ...target, decision: 'done' }],
      ['It was not made', 'decide', { ...target, decision: 'free', notDone: ['section'] }],
      ['Not known yet', undefined, undefined],
    ])
    expect(verdicts[0]?.intent?.ask).toMatchObject([{ name: 'result', optional: true }])
  })

  it('of a group are given to all of it', () => {
    const target = { id: '6f3d9a1c' }
    const verdicts = verdictsOn({
      target,
      name: '2 requests',
      kind: 'request',
      calls: ['charge'],
      notDone: ['charge'],
    })
    for (const { intent } of verdicts.slice(0, 3)) expect(intent?.given).toMatchObject(target)
  })
})

it.each([
  ['unknown', [], true],
  ['exhausted', ['charge'], true],
  ['exhausted', [], false],
])('a group of %s with the calls %j is in doubt: %s', (reason, calls, is) => {
  const rest = { group: 'g', count: 1, of: 'orders', error: '', example: 'orders/1' }
  expect(isDoubt({ ...rest, reason, calls, notDone: calls })).toBe(is)
})
