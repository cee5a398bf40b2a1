import { callEffects, emfMetrics, idempotentFetch } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { charge } from './payments.ts'

const Payment = z.object({ cents: z.number().int().positive() })

/** Charges and books once per key, in any front with web-standard handlers. */
export const pay = idempotentFetch(
  {
    store: dynamoDbStore({ tableName: process.env['LINECLEAR_TABLE'] ?? 'lineclear' }),
    scope: 'web-payments',
    // Set by what has checked the caller's token, never by the caller.
    tenant: (request) => request.headers.get('x-user-id'),
    effects: callEffects(),
    metrics: emfMetrics(),
  },
  async (request, ctx) => {
    const { cents } = Payment.parse(await request.json())
    const receipt = await ctx.once('charge', ({ idempotencyKey }) => charge(cents, idempotencyKey))
    const sum = { TableName: 'sales', Key: { id: 'payments' }, add: { count: 1, cents } }
    await ctx.applyOnce('book', sum)
    return Response.json(receipt, { status: 201 })
  },
)
