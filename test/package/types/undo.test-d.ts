import { compensate, defineFlow } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { test } from 'vitest'
import { z } from 'zod'

const schema = z.object({ key: z.string(), sku: z.string() })
const stock = { TableName: 'stock', add: { reserved: -1 } } as const

test('a schema that is forgotten is one error, where the undo is given', () => {
  const handlers = compensate({
    reserve: ({ sku }, ctx) => ctx.applyOnce('release', { ...stock, Key: { sku } }),
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
    reserve: ({ sku }, ctx) => ctx.applyOnce('release', { ...stock, Key: { sku } }),
    // @ts-expect-error Type '(order: { price: number }) => number' is not assignable
    pay: (order: { price: number }) => order.price,
  })
})
