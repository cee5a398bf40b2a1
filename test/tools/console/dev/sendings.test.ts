import { expect, test } from 'vitest'
import { sendingsOf } from '../../../../src/tools/console/dev/devRoutes.ts'

const CLOUD = {
  queues: { orders: {}, mails: {} },
  topics: { orders: { subscriptions: [{ queue: 'orders' }] }, news: {} },
}

test('times, copies, topics and ids become messages', () => {
  const body = { to: 'orders', times: 2, twice: true, bySns: 'orders', uniqueRequestId: 'o' }
  const each = { to: 'orders', copies: 2, bySns: 'orders' }
  expect(sendingsOf(body, CLOUD)).toEqual([
    { ...each, uniqueRequestId: 'o' },
    { ...each, uniqueRequestId: 'o-2' },
  ])
  expect(sendingsOf({ to: 'orders' }, CLOUD)).toEqual([{ to: 'orders' }])
  expect(sendingsOf({ to: 'news' }, CLOUD)).toEqual([{ to: 'news', bySns: 'news' }])
})

test.each([
  [{ to: 'unknown' }, 404],
  [{ to: 'orders', bySns: 'news' }, 404],
  [{ to: 'orders', uniqueRequestId: 'a b' }, 400],
])('%j is refused with %i', (body, status) => {
  expect(() => sendingsOf(body, CLOUD)).toThrow(expect.objectContaining({ status }))
})
