import { expect, it } from 'vitest'
import { fold, withoutValues } from '../../../src/tools/console/hide.ts'

it('a text above 256 KB is folded, wherever it is: its size, and its beginning', () => {
  const large = 'é'.repeat(256 * 1_024 + 1)
  expect(fold({ letters: [{ body: large, id: 'x' }] })).toEqual({
    letters: [{ body: { bytes: 2 * large.length, start: 'é'.repeat(4_096) }, id: 'x' }],
  })
  const fits = 'x'.repeat(256 * 1_024)
  expect(fold([fits])).toEqual([fits])
})

it('items are shown without payloads, results and answers, and with what tells their state', () => {
  const item = {
    pk: 'flow#trip/t-1',
    sk: 'stage',
    payload: '{"a":1}',
    body: '{}',
    message: 'm',
    letter: 'l',
    result: 'r',
    answer: 'a',
    'step:charge': 'done:{"receipt":5}',
    'step:4711': 'waiting',
    attempt: 2,
  }
  const { body } = withoutValues({ status: 200, body: { items: [item] } })
  expect(body['items']).toEqual([
    {
      ...item,
      payload: { bytes: 7 },
      body: { bytes: 2 },
      message: { bytes: 1 },
      letter: { bytes: 1 },
      result: { bytes: 1 },
      answer: { bytes: 1 },
      'step:charge': { bytes: 18 },
    },
  ])
})
