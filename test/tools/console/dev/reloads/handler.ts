import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { VERSION } from './version.ts'

const schema = z.object({ number: z.number() })

const store = dynamoDbStore({ tableName: 'lineclear' })

/** Killed often: an order must not run out of attempts. */
const retry = { maxAttempts: 100 }

export const handler = recordHandler(
  { name: 'orders', store, schema, retry },
  async ({ number }, ctx) => {
    const Key = { sku: `sku-${number % 7}` }
    await ctx.write('count', { TableName: 'stock', Key, add: { counted: 1, version: VERSION } })
  },
)
