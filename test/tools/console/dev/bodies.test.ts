import { expect, test } from 'vitest'
import { readFault, readSend } from '../../../../src/tools/console/dev/readBody.ts'

const CLOUD = {
  queues: { orders: {}, mails: {} },
  topics: { orders: { subscriptions: [{ queue: 'orders' }] }, news: {} },
}

test('times, copies, topics and ids become messages', () => {
  const body = { to: 'orders', times: 2, twice: true, bySns: true, uniqueRequestId: 'o' }
  const each = { to: 'orders', copies: 2, bySns: 'orders' }
  expect(readSend(body, CLOUD)).toMatchObject({
    payload: undefined,
    sendings: [
      { ...each, uniqueRequestId: 'o' },
      { ...each, uniqueRequestId: 'o-2' },
    ],
  })
  expect(readSend({ to: 'orders', payload: null }, CLOUD)).toMatchObject({
    payload: { is: null },
    sendings: [{ to: 'orders' }],
  })
  expect(readSend({ to: 'news' }, CLOUD).sendings).toEqual([{ to: 'news', bySns: 'news' }])
})

test.each([
  [null, 400],
  [{}, 400],
  [{ to: 'unknown' }, 404],
  [{ to: 'orders', time: 1 }, 400],
  [{ to: 'orders', times: 0 }, 400],
  [{ to: 'orders', times: 1_001 }, 400],
  [{ to: 'orders', times: 1.5 }, 400],
  [{ to: 'orders', twice: 'yes' }, 400],
  [{ to: 'mails', bySns: true }, 400],
  [{ to: 'orders', bySns: 'news' }, 404],
  [{ to: 'orders', uniqueRequestId: 'a b' }, 400],
])('%j is refused with %i', (body, status) => {
  expect(() => readSend(body, CLOUD)).toThrow(expect.objectContaining({ status }))
})

test.each([
  [{ consumer: 'orders', faults: { kill: 0.5 } }],
  [{ consumer: 'orders', killNext: null }],
  [{ consumer: 'orders', killNext: { action: 'UpdateItem', nth: 2, when: 'before' } }],
  [{ outside: 'payments', state: 'slow' }],
])('%j is a fault', (body) => {
  expect(readFault(body)).toEqual(body)
})

test.each([
  [{ consumer: 'orders' }],
  [{ faults: {} }],
  [{ consumer: 'orders', faults: { kill: 2 } }],
  [{ consumer: 'orders', faults: { kil: 0.5 } }],
  [{ consumer: 'orders', killNext: { call: 3 } }],
  [{ consumer: 'orders', killNext: { when: 'later' } }],
  [{ consumer: 'orders', killNext: { nth: 0 } }],
  [{ consumer: 'orders', killNext: { nth: '2' } }],
  [{ outside: 'payments', state: 'gone' }],
  [{ outside: 'payments', state: 'slow', slowMs: 10 }],
])('%j is none', (body) => {
  expect(() => readFault(body)).toThrow(expect.objectContaining({ status: 400 }))
})
