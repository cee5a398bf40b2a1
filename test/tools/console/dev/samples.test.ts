import { expect, test } from 'vitest'
import { samplesOf } from '../../../../src/tools/console/dev/devRoutes.ts'
import type { Described } from '../../../../src/tools/console/dev/protocol.ts'
import { newSession } from '../../../../src/tools/console/dev/session.ts'

function samples() {
  const session = newSession()
  for (const [to, payload] of [
    ['mine', 'sent'],
    ['plain', 'old'],
    ['plain', 'newest'],
  ] as const) {
    session.add({ to, payload }, { request: 'r', deliveries: [] })
  }
  const described: Described = {
    cloud: { queues: { mine: {}, plain: {}, other: {} }, topics: { plain: {}, news: {} } },
    samples: { mine: { payload: null, counts: false } },
    consumers: [],
    outside: [],
    books: [],
  }
  return samplesOf({ session, described: () => described })
}

test('the sample of the file goes before what was sent last', () => {
  expect(samples()).toMatchObject([
    { to: 'mine', payload: null, from: 'file' },
    { to: 'plain', payload: 'newest', from: 'sent' },
    { to: 'other', counts: false },
    { to: 'news' },
  ])
})

test('a topic with the name of a queue is no target of its own', () => {
  expect(samples().map(({ kind, to }) => `${kind} ${to}`)).toEqual([
    'queue mine',
    'queue plain',
    'queue other',
    'topic news',
  ])
})
