import { expect, test } from 'vitest'
import { defineDev } from '../../../../src/testing/local/index.ts'

const cloud = { queues: { orders: {} }, topics: { placed: {} } }
const load = () => Promise.resolve({})

test('names of queues and topics are those of the cloud', () => {
  const dev = {
    cloud,
    consumers: { orders: { load } },
    samples: { orders: {}, placed: (number: number) => ({ number }) },
  }
  expect(defineDev(dev)).toBe(dev)
})

test.each([
  [{ consumers: { order: { load } } }, /consumers\.order: the cloud has no queue "order"; it has/],
  [{ consumers: {}, samples: { place: 1 } }, /samples\.place: the cloud has no queue or topic/],
  [{ consumers: { orders: {} } }, /consumers\.orders\.load: expected a function that loads/],
  [{ consumers: { orders: { load, faults: { kil: 1 } } } }, /faults\.kil: unknown option/],
  [{ consumers: { orders: { load, timeout: 3 } } }, /consumers\.orders\.timeout: unknown option/],
  [{ consumers: {}, books: { 'one charge': true } }, /books\.one charge: expected a function, or/],
  [{ consumers: {}, book: {} }, /defineDev\.book: unknown option/],
])('%o is refused', (part, message) => {
  expect(() => defineDev({ cloud, ...part } as unknown as Parameters<typeof defineDev>[0])).toThrow(
    message,
  )
})
