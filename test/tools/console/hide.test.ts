import { expect, it } from 'vitest'
import { fold } from '../../../src/tools/console/hide.ts'

it('a text above 256 KB is folded, wherever it is: its size, and its beginning', () => {
  const large = 'é'.repeat(256 * 1_024 + 1)
  expect(fold({ letters: [{ body: large, id: 'x' }] })).toEqual({
    letters: [{ body: { bytes: 2 * large.length, start: 'é'.repeat(4_096) }, id: 'x' }],
  })
  const fits = 'x'.repeat(256 * 1_024)
  expect(fold([fits])).toEqual([fits])
})
