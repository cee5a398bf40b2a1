import { expect, test } from 'vitest'
import { tableDefinition } from '../../../../src/library/adapters/store/dynamodb/index.ts'
import { defineDev, type Dev, type LocalCloud } from '../../../../src/testing/local/index.ts'

const cloud = { queues: { orders: {} }, topics: { placed: {} } }
const load = () => Promise.resolve({})

test('names of queues and topics are those of the cloud, and what is given stays', () => {
  const dev = defineDev({
    cloud,
    consumers: { orders: { load } },
    samples: { orders: {}, placed: (number: number) => ({ number }) },
  })
  expect(dev.cloud).toMatchObject(cloud)
  expect(Object.keys(dev.cloud.queues ?? {})).toEqual(['orders'])
})

test('queues that are given stand beside those that follow, and are as they say', () => {
  const dead = { deadLetter: { queue: 'failed', maxReceiveCount: 3 } }
  const dev = defineDev({
    cloud: {
      queues: { carrier: {}, failed: {}, pay: dead },
      topics: { placed: ['carrier', 'mail'] },
    },
    consumers: { orders: { load, functionTimeout: '3s' }, pay: { load } },
    samples: { carrier: {}, mail: {}, orders: {} },
  })
  expect(dev.cloud.queues).toEqual({
    carrier: {},
    failed: {},
    pay: dead,
    orders: { visibilityTimeout: 18, deadLetter: { queue: 'orders-dead', maxReceiveCount: 10 } },
    mail: {},
    'orders-dead': {},
  })
  expect(defineDev(dev).cloud).toEqual(dev.cloud)
})

test('a bus is one of the cloud', () => {
  const buses = { shop: { rules: [{ queue: 'orders', sources: ['my.shop'] }] } }
  const dev = defineDev({ cloud: { buses }, consumers: { orders: { load } } })
  expect(dev.cloud.buses).toEqual(buses)
})

test('the queues of consumers and topics follow from them, with dead-letter queues', () => {
  const dev = defineDev({
    cloud: { topics: { placed: ['orders', 'mail'] }, tables: { stock: { hash: 'sku' } } },
    consumers: {
      orders: { load, functionTimeout: '3s' },
      'audit.fifo': { load },
      bulk: { load, batchSize: 100, window: '10s', functionTimeout: '1s' },
    },
    samples: { mail: {} },
  })
  const dead = (queue: string) => ({ queue, maxReceiveCount: 10 })
  expect(Object.keys(dev.cloud.queues ?? {}).slice(0, 4)).not.toContainEqual(
    expect.stringContaining('dead'),
  )
  expect(dev.cloud.queues).toEqual({
    orders: { visibilityTimeout: 18, deadLetter: dead('orders-dead') },
    'orders-dead': {},
    'audit.fifo': { visibilityTimeout: 180, deadLetter: dead('audit-dead.fifo') },
    'audit-dead.fifo': {},
    bulk: { visibilityTimeout: 16, deadLetter: dead('bulk-dead') },
    'bulk-dead': {},
    mail: {},
  })
  expect(dev.cloud.topics).toEqual({
    placed: { subscriptions: [{ queue: 'orders' }, { queue: 'mail' }] },
  })
  expect(Object.keys(dev.cloud.tables ?? {})).toEqual(['lineclear', 'stock'])
  const again = defineDev(dev)
  expect(again.cloud).toEqual(dev.cloud)
})

test('a table with the index of Lineclear is the only one, whatever its name', () => {
  const tables = { payments: tableDefinition({ tableName: 'payments' }) }
  const dev = defineDev({ cloud: { tables }, consumers: { orders: { load } } })
  expect(dev.cloud.tables).toEqual(tables)
})

test('each part of the cloud is in the environment by its name, unless it is given', () => {
  const { environment } = defineDev({
    cloud: { topics: { placed: [] }, buckets: ['big-payloads'] },
    consumers: { 'late-orders.fifo': { load } },
    environment: (_, { payments = '' }) => ({ PLACED_TOPIC: 'mine', PAY: payments }),
  })
  const running = {
    queueUrl: (name: string) => `url of ${name}`,
    topicArn: (name: string) => `arn of ${name}`,
    busArn: (name: string) => `arn of bus ${name}`,
  }
  expect(environment?.(running as LocalCloud, { payments: 'http://payments' })).toEqual({
    LATE_ORDERS_QUEUE: 'url of late-orders.fifo',
    LATE_ORDERS_DEAD_QUEUE: 'url of late-orders-dead.fifo',
    PLACED_TOPIC: 'mine',
    LINECLEAR_TABLE: 'lineclear',
    BIG_PAYLOADS_BUCKET: 'big-payloads',
    PAYMENTS_URL: 'http://payments',
    PAY: 'http://payments',
  })
})

test.each([
  [{ consumers: {}, samples: { place: 1 } }, /samples\.place: the cloud has no queue or topic/],
  [{ consumers: { orders: {} } }, /consumers\.orders\.load: expected a function/],
  [
    { consumers: { orders: { load, faults: { kil: 1 } } } },
    /faults: "kil" is not known here: write 'kill'/,
  ],
  [
    { consumers: { orders: { load, timeout: 3 } } },
    /consumers\.orders: "timeout" is not known here/,
  ],
  [
    { consumers: {}, books: { 'one charge': true } },
    /books\.one charge: expected an object of options/,
  ],
  [{ consumers: {}, cloud: { topics: { paid: [1] } } }, /cloud\.topics\.paid: expected a list of/],
  [{ consumers: {}, cloud: { topics: 'paid' } }, /defineDev: cloud\.topics: expected an object/],
  [{ consumers: {}, cloud: [] }, /defineDev: cloud: expected an object/],
  [{}, /defineDev: consumers: expected an object of consumers/],
  [{ consumers: {}, book: {} }, /defineDev: "book" is not known here: write 'books'/],
])('%o is refused', (part, message) => {
  expect(() => defineDev({ cloud, ...part } as unknown as Dev)).toThrow(message)
})
