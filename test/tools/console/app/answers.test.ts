import { describe, expect, it } from 'vitest'
import { pauseAfter } from '../../../../src/tools/console/app/answers.ts'
import { verdictsOn } from '../../../../src/tools/console/app/tasks/verdicts.ts'

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
      ...target,
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
      ...target,
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
})
