import { atLeast, ConfigError, recordHandler, type RecordContext } from 'lineclear'
import { type CrashCloud, exploreCrashes, memoryCloud, memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'

const STOCK = { rows: { stock: [{ sku: 'a', available: 1, bin: 7 }] } }
const Key = { sku: 'a' }

async function sell(ctx: RecordContext): Promise<string> {
  const sold = await ctx.call('sold', async () => {
    const guard = atLeast('available', 1)
    const write = { TableName: 'stock', Key, add: { available: -1 }, guard }
    return (await ctx.write('sell', write)).applied
  })
  return sold ? 'sold' : 'sold out'
}

describe.each([
  ['declared', { tables: { stock: { hash: 'sku' } } }],
  ['undeclared', {}],
])('rows of a %s table', (_what, tables) => {
  it('let a guard hold, until it does not', async () => {
    const cloud = memoryCloud({ ...tables, ...STOCK, queues: { orders: {} } })
    expect(cloud.store.userItems('stock')).toEqual(STOCK.rows.stock)
    const { store, clients, clock, logger } = cloud
    const answers: string[] = []
    const orders = recordHandler(
      { name: 'orders', store, clients, clock, logger },
      async (_order, ctx) => {
        answers.push(await sell(ctx))
      },
    )
    cloud.send('orders', { orderId: 'o1' })
    cloud.send('orders', { orderId: 'o2' })
    await cloud.drain({ orders })
    expect(answers.toSorted()).toEqual(['sold', 'sold out'])
    expect(cloud.store.userItems('stock')).toEqual([{ sku: 'a', available: 0, bin: 7 }])
  })

  it('stay apart from the given objects', () => {
    const row = { sku: 'a', tags: ['x'] }
    const store = memoryStore({ ...tables, rows: { stock: [row] } })
    row.tags.push('y')
    expect(store.userItems('stock')).toEqual([{ sku: 'a', tags: ['x'] }])
  })
})

describe('wrong rows', () => {
  const tables = { stock: { hash: 'sku' } }

  it.each([
    ['no object', { rows: [] }, 'rows: expected an object with a list of rows for each table'],
    ['no list', { rows: { stock: { sku: 'a' } } }, 'rows.stock: expected a list of rows'],
    ['a text', { rows: { stock: ['a'] } }, 'rows.stock[0]: expected a plain object; got a text'],
    ['a date', { rows: { stock: [{ sku: 'a', at: new Date() }] } }, 'rows.stock[0]: '],
    ['no key', { tables, rows: { stock: [{ id: 'a' }] } }, 'has "id", but no "sku"'],
    ['a key of numbers', { tables, rows: { stock: [{ sku: 1 }] } }, 'the table wants a text'],
    ['an undeclared table', { tables, rows: { orders: [{}] } }, 'does not exist'],
  ])('are refused at once: %s', (_what, options, expected) => {
    expect(() => memoryStore(options as never)).toThrow(ConfigError)
    expect(() => memoryStore(options as never)).toThrow(expected)
    expect(() => memoryCloud(options as never)).toThrow(expected)
  })

  it.each([
    ['two with one key', [{ sku: 'a' }, { sku: 'a', n: 1 }], 'rows with different keys'],
    ['one without the key', [{ id: 'a' }], 'rows with the key "sku"'],
  ])('of an undeclared table are refused when its key is known: %s', async (_what, rows, text) => {
    const store = memoryStore({ rows: { stock: rows } })
    await expect(store.readUser({ TableName: 'stock', Key })).rejects.toThrow(text)
  })

  it('are refused by exploreCrashes', async () => {
    const rows = { stock: 'a' } as never
    await expect(exploreCrashes(() => () => {}, {}, { rows })).rejects.toThrow('rows.stock')
  })
})

describe('exploreCrashes', () => {
  const build =
    (work: (ctx: RecordContext) => Promise<unknown>) =>
    ({ store, clients, clock, logger }: CrashCloud) =>
      recordHandler(
        { name: 'orders', store, clients, clock, logger, retry: { maxAttempts: 2 } },
        async (_order, ctx) => {
          await work(ctx)
        },
      )

  it('begins every schedule with the rows', async () => {
    const report = await exploreCrashes(build(sell), { orderId: 'o1' }, { ...STOCK, together: 1 })
    expect(report).toMatchObject({ lost: 0, doubled: 0, stale: 0, complete: true })
    expect(report.schedules).toBeGreaterThan(10)
  })

  it.each([
    [
      'changed',
      (ctx: RecordContext) => ctx.write('bin', { TableName: 'stock', Key, set: { bin: 8 } }),
    ],
    [
      'deleted',
      (ctx: RecordContext) => ctx.write('drop', { TableName: 'stock', Key, delete: true }),
    ],
    ['sold', sell],
  ])('excuses the row that a dead letter left as it was: %s', async (_what, work) => {
    const options = { ...STOCK, together: 1, only: ['killed each time'] } as const
    const report = await exploreCrashes(build(work), { orderId: 'o1' }, options)
    expect(report).toMatchObject({ lost: 0, doubled: 0, stale: 0 })
  })

  it('finds that a row was sold twice', async () => {
    const twice = (ctx: RecordContext): Promise<unknown> =>
      ctx.write(`sell ${ctx.attempt}`, { TableName: 'stock', Key, add: { available: -1 } })
    const report = await exploreCrashes(build(twice), { orderId: 'o1' }, { ...STOCK, together: 1 })
    expect(report.doubled).toBeGreaterThan(0)
  })
})
