import { expect, test } from 'vitest'
import { verdictOf } from '../../../../src/tools/console/dev/replayInChild.ts'

const CHARGED = 'charged once per order'

test.each([
  [
    [CHARGED],
    { red: ['other: x', `${CHARGED}: order-3`] },
    new RegExp(`^fails as the run did: ${CHARGED}: order-3$`),
  ],
  [[], { red: [] }, /^passes: the run was right$/],
  [
    [CHARGED],
    { red: [] },
    /^does not reproduce: the run had broken charged once per order, and it passes/,
  ],
  [
    [],
    { red: ['other: x'] },
    /^does not reproduce: the run was right, and it fails with: other: x$/,
  ],
  [[CHARGED], { red: ['other: x'] }, /^does not reproduce: .* and it fails with: other: x$/],
  [
    [],
    { error: 'SyntaxError:\n  it is\u2028broken' },
    /^could not be run: SyntaxError: it is broken$/,
  ],
])('books %j, and a replay that gave %j', (books, replayed, verdict) => {
  expect(verdictOf({ red: books, thrown: [] }, replayed)).toMatch(verdict)
})

test('a saved test says that it does not test what handlers threw', () => {
  const thrown = ['TypeError: no tariff at handlers.ts:12:9', 'Error: other']
  expect(verdictOf({ red: [], thrown }, { red: [] })).toBe(
    'passes, because no book was red: what handlers threw is not tested: TypeError: no tariff at handlers.ts:12:9, and 1 more',
  )
})
