import { emfMetrics, recordHandler, type RecordHandlerOptions } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const schema = z.object({ orderId: z.string(), amount: z.number() })

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger' | 'metrics'>

/** A model of your payment provider: the same key makes one charge. */
const provider = async (amount: number, idempotencyKey: string): Promise<string> =>
  `receipt ${idempotencyKey} of ${amount}`

export function consumer(given: Given, charge = provider) {
  return recordHandler(
    { name: 'orders', schema, id: ({ orderId }) => orderId, ...given },
    async ({ amount }, ctx) => {
      await ctx.call('charge', ({ idempotencyKey }) => charge(amount, idempotencyKey))
    },
  )
}

const store = dynamoDbStore({ tableName: process.env['LINECLEAR_TABLE'] ?? 'lineclear' })

export const handler = consumer({ store, metrics: emfMetrics() })
