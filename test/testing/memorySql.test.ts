import { recordHandler, type RecordContext, type SqlContext } from 'lineclear'
import type { PostgresTransaction } from 'lineclear/postgres'
import { memoryCloud, type MemoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'

type SqlRecord = RecordContext & SqlContext<PostgresTransaction>

const INSERT = 'INSERT INTO entries (id) VALUES ($1)'
const open = (): MemoryCloud =>
  memoryCloud({
    queues: { orders: {}, receipts: {} },
    sqlRows: (text, [id]) => (text.startsWith('SELECT') ? [{ balance: `of ${String(id)}` }] : []),
  })

function ordersOn(
  { store, clients, clock, logger, sql }: MemoryCloud,
  work: (ctx: SqlRecord) => Promise<unknown>,
) {
  return recordHandler({ name: 'orders', store, clients, clock, logger, sql }, async (_, ctx) => {
    await work(ctx)
  })
}

function book(ctx: SqlRecord): Promise<unknown> {
  return ctx.sql('book', async (tx) => {
    const { rowCount } = await tx.query(INSERT, ['a'])
    const { rows } = await tx.query<{ balance: string }>('SELECT balance WHERE id = $1', ['a'])
    return { rowCount, ...rows[0] }
  })
}

it('commits the statements of a handler once, with the answers of the test', async () => {
  const cloud = open()
  const results: unknown[] = []
  const orders = ordersOn(cloud, async (ctx) => {
    results.push(await book(ctx))
    if (ctx.attempt === 1) throw new Error('the first attempt fails')
    await ctx.send(cloud.queueUrl('receipts'), results[0])
  })
  cloud.send('orders', {})
  await cloud.drain({ orders })
  const made = { rowCount: 1, balance: 'of a' }
  expect(results).toEqual([made, made])
  expect(cloud.statements).toEqual([{ text: INSERT, values: ['a'] }])
  expect(cloud.messages('receipts').map(({ payload }) => payload)).toEqual([made])
})

it('commits nothing of a function that throws', async () => {
  const cloud = open()
  const orders = ordersOn(cloud, (ctx) =>
    ctx.sql('book', async (tx) => {
      await tx.query(INSERT, ['a'])
      if (ctx.attempt === 1) throw new Error('rolled back')
      await tx.query({ text: INSERT, values: ['b'] })
    }),
  )
  cloud.send('orders', {})
  await cloud.drain({ orders })
  expect(cloud.statements.map(({ values }) => values)).toEqual([['a'], ['b']])
})

it('refuses the transaction that a later attempt has overtaken', async () => {
  const cloud = open()
  const ends: string[] = []
  let free = (): void => {}
  const blocked = new Promise<void>((resolve) => {
    free = resolve
  })
  const orders = ordersOn(cloud, async (ctx) => {
    const late = ctx.attempt === 1
    const made = ctx.sql('book', async (tx) => {
      await tx.query(INSERT, [ctx.attempt])
      if (late) await blocked
    })
    await made.catch((error: unknown) => {
      ends.push((error as Error).name)
      throw error
    })
  })
  cloud.send('orders', {})
  const first = cloud.deliver('orders', orders)
  await new Promise((resolve) => setTimeout(resolve, 50))
  cloud.clock.advance(3_600_000)
  await cloud.drain({ orders })
  free()
  await first
  expect(ends).toEqual(['SupersededError'])
  expect(cloud.statements.map(({ values }) => values)).toEqual([[2]])
})
