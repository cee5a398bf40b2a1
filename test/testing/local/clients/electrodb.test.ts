import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Entity, Service } from 'electrodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'

const table = 'store'
let cloud: LocalCloud
beforeAll(async () => {
  const strings = ['pk', 'sk', 'gsi1pk', 'gsi1sk']
  cloud = await startLocalCloud({
    tables: {
      [table]: {
        AttributeDefinitions: strings.map((AttributeName) => ({
          AttributeName,
          AttributeType: 'S',
        })),
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'gsi1',
            KeySchema: [
              { AttributeName: 'gsi1pk', KeyType: 'HASH' },
              { AttributeName: 'gsi1sk', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        BillingMode: 'PAY_PER_REQUEST',
      },
    },
  })
})
afterAll(() => cloud.stop())

function openShop() {
  const client = new DynamoDBClient()
  const Orders = new Entity(
    {
      model: { entity: 'order', version: '1', service: 'shop' },
      attributes: {
        customer: { type: 'string', required: true },
        order: { type: 'string', required: true },
        status: { type: ['open', 'paid'] as const, required: true, default: 'open' },
        total: { type: 'number', default: 0 },
        lines: { type: 'list', items: { type: 'string' } },
        tags: { type: 'set', items: 'string' },
      },
      indexes: {
        primary: {
          pk: { field: 'pk', composite: ['customer'] },
          sk: { field: 'sk', composite: ['order'] },
        },
        byStatus: {
          index: 'gsi1',
          pk: { field: 'gsi1pk', composite: ['status'] },
          sk: { field: 'gsi1sk', composite: ['order'] },
        },
      },
    },
    { client, table },
  )
  const Customers = new Entity(
    {
      model: { entity: 'customer', version: '1', service: 'shop' },
      attributes: {
        customer: { type: 'string', required: true },
        orders: { type: 'number', default: 0 },
      },
      indexes: {
        primary: {
          pk: { field: 'pk', composite: ['customer'] },
          sk: { field: 'sk', composite: [] },
        },
      },
    },
    { client, table },
  )
  return { Orders, Customers, shop: new Service({ Orders, Customers }, { client, table }) }
}

let shop: ReturnType<typeof openShop>
beforeEach(() => {
  for (const [name, value] of Object.entries(cloud.environment)) vi.stubEnv(name, value)
  shop = openShop()
})

it('creates once, gets, and deletes', async () => {
  const { Orders } = shop
  const order = { customer: 'ada', order: '1', lines: ['tea'], tags: ['new', 'gift'] }
  await Orders.create(order).go()
  const { data } = await Orders.get({ customer: 'ada', order: '1' }).go()
  expect(data).toEqual({
    ...order,
    tags: expect.arrayContaining(order.tags),
    status: 'open',
    total: 0,
  })
  await expect(Orders.create(order).go()).rejects.toThrow('The conditional request failed')
  await Orders.remove({ customer: 'ada', order: '1' }).go()
  expect((await Orders.get({ customer: 'ada', order: '1' }).go()).data).toBeNull()
})

it('updates on conditions, and moves an item in its index', async () => {
  const { Orders } = shop
  const key = { customer: 'bob', order: '2' }
  await Orders.create({ ...key, total: 5, tags: ['new'] }).go()
  const pay = Orders.patch(key)
    .set({ status: 'paid' })
    .add({ total: 2, tags: ['gift'] })
    .where(({ status }, { eq }) => eq(status, 'open'))
  const { data } = await pay.go({ response: 'all_new' })
  expect(data).toMatchObject({ status: 'paid', total: 7 })
  await expect(
    Orders.patch(key)
      .set({ total: 0 })
      .where(({ status }, { eq }) => eq(status, 'open'))
      .go(),
  ).rejects.toThrow('The conditional request failed')
  await expect(
    Orders.patch({ ...key, order: 'no' })
      .set({ total: 1 })
      .go(),
  ).rejects.toThrow('The conditional request failed')
  const paid = await Orders.query.byStatus({ status: 'paid' }).go()
  expect(paid.data).toMatchObject([{ ...key, total: 7 }])
})

it('queries by an index in pages, with a range and a filter', async () => {
  const { Orders } = shop
  const orders = Array.from({ length: 30 }, (_, at) => ({
    customer: 'eve',
    order: String(at).padStart(3, '0'),
    total: at,
  }))
  expect((await Orders.put(orders).go()).unprocessed).toEqual([])
  const pageFrom = (cursor: string | null) =>
    Orders.query.byStatus({ status: 'open' }).go({ cursor, limit: 12 })
  let page = await pageFrom(null)
  const pages = [page.data.length]
  while (page.cursor !== null) {
    page = await pageFrom(page.cursor)
    pages.push(page.data.length)
  }
  expect(pages).toEqual([12, 12, 6])
  const some = await Orders.query
    .primary({ customer: 'eve' })
    .between({ order: '010' }, { order: '020' })
    .where(({ total }, { gt }) => gt(total, 17))
    .go({ pages: 'all', order: 'desc' })
  expect(some.data.map(({ total }) => total)).toEqual([20, 19, 18])
  const got = await Orders.get(orders.slice(0, 3)).go()
  expect(got.data).toHaveLength(3)
})

it('writes two entities in one transaction, or neither', async () => {
  const { Orders, Customers, shop: service } = shop
  const place = (order: string) =>
    service.transaction
      .write(({ Orders: placed, Customers: counted }) => [
        placed.create({ customer: 'dan', order }).commit({ response: 'all_old' }),
        counted.upsert({ customer: 'dan' }).add({ orders: 1 }).commit(),
      ])
      .go()
  expect((await place('1')).canceled).toBe(false)
  const refused = await place('1')
  expect(refused.canceled).toBe(true)
  expect(refused.data).toMatchObject([
    { rejected: true, code: 'ConditionalCheckFailed', item: { customer: 'dan', order: '1' } },
    { rejected: false, code: 'None' },
  ])
  const { data } = await service.transaction
    .get(({ Orders: placed, Customers: counted }) => [
      placed.get({ customer: 'dan', order: '1' }).commit(),
      counted.get({ customer: 'dan' }).commit(),
    ])
    .go()
  expect(data.map(({ item }) => item)).toMatchObject([{ order: '1' }, { orders: 1 }])
  expect((await Orders.query.primary({ customer: 'dan' }).go()).data).toHaveLength(1)
  expect((await Customers.scan.go()).data).toEqual([{ customer: 'dan', orders: 1 }])
})
