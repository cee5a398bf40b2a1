import { compensate, defineFlow, recordHandler } from 'lineclear'
import { postgresEffects } from 'lineclear/postgres'
import { memoryStore } from 'lineclear/testing'
import { Pool } from 'pg'
import { test } from 'vitest'
import { z } from 'zod'

const schema = z.object({ key: z.string(), sku: z.string() })
const stock = { TableName: 'stock', add: { reserved: -1 } } as const

test('a schema that is forgotten is one error, where the undo is given', () => {
  const handlers = compensate({
    reserve: ({ sku }, ctx) => ctx.write('release', { ...stock, Key: { sku } }),
    note: 'keep',
  })
  defineFlow({
    name: 'trip',
    store: memoryStore(),
    key: () => 'k',
    stages: {
      // @ts-expect-error Type 'GiveTheSchemaOfTheStageFirst' is missing the following properties
      book: { schema, queueUrl: 'https://sqs/1/book', undo: handlers },
    },
  })
})

test('with the schema the payload has its type, and a slip in it is one error', () => {
  compensate(schema, {
    reserve: ({ sku }, ctx) => ctx.write('release', { ...stock, Key: { sku } }),
    // @ts-expect-error Type '(order: { price: number }) => number' is not assignable
    pay: (order: { price: number }) => order.price,
  })
})

const store = memoryStore()
const undo = compensate(schema, {
  reserve: ({ sku }, ctx) => ctx.write('release', { ...stock, Key: { sku } }),
})

test('single records take the undo of their own payload', () => {
  recordHandler({ name: 'orders', store, schema, undo, undoDead: true }, () => {})
  const other = z.object({ orderId: z.string() })
  // @ts-expect-error Property 'orderId' is missing
  recordHandler({ name: 'orders', store, schema: other, undo }, () => {})
  // @ts-expect-error Type 'string' is not assignable to type 'boolean'
  recordHandler({ name: 'orders', store, schema, undo, undoDead: 'yes' }, () => {})
})

test('with the option sql the handlers of its undo have ctx.sql, without it they have not', () => {
  const sql = postgresEffects(new Pool())
  const inSql = compensate(
    schema,
    { book: ({ sku }, ctx) => ctx.sql('unbook', (tx) => tx.query('…', [sku])) },
    { sql },
  )
  recordHandler({ name: 'orders', store, schema, sql, undo: inSql }, () => {})
  compensate(schema, {
    // @ts-expect-error Argument of type '"unbook"' is not assignable to 'ctx.sql needs the option sql'
    book: (_order, ctx) => ctx.sql('unbook', () => {}),
  })
})
