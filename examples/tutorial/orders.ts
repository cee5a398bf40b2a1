import { appendFileSync, existsSync, rmSync } from 'node:fs'
import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

export const handler = recordHandler(
  {
    name: 'orders',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: z.object({ orderId: z.string() }),
    id: ({ orderId }) => orderId,
    retry: { maxAttempts: 2, delay: '20s' },
  },
  async ({ orderId }, ctx) => {
    await ctx.write('reserve', { TableName: 'stock', Key: { sku: 'apple' }, add: { reserved: 1 } })
    await ctx.call('charge', ({ idempotencyKey }) => charge(orderId, idempotencyKey))
    crashIfAsked()
    await ctx.send(process.env['PAID_QUEUE'] ?? '', { orderId })
  },
)

/** The bank writes a line each time that it is asked. While there is a file `bank-down`, it refuses. */
function charge(orderId: string, key: string): void {
  if (existsSync('bank-down')) throw new Error('the bank is down')
  appendFileSync('bank.txt', `charge ${orderId}, key ${key}\n`)
}

/** A file `crash` ends the process of the function, once. */
function crashIfAsked(): void {
  if (!existsSync('crash')) return
  rmSync('crash')
  process.exit(1)
}
