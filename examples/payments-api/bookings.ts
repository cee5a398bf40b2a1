import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda'
import { emfMetrics, invocationHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { charge } from './payments.ts'

const Payment = z.object({ cents: z.number().int().positive() })
const store = dynamoDbStore({ tableName: 'lineclear' })

/** Charges, books and tells, each once for each idempotency key. */
export const handler = invocationHandler(
  { name: 'bookings', store, metrics: emfMetrics() },
  async (event: APIGatewayProxyEvent | APIGatewayProxyEventV2, ctx) => {
    const payment = Payment.safeParse(JSON.parse(event.body ?? 'null'))
    if (!payment.success) return { statusCode: 400, body: z.prettifyError(payment.error) }
    const { cents } = payment.data
    const receipt = await ctx.call('charge', ({ idempotencyKey }) => charge(cents, idempotencyKey))
    const sum = { TableName: 'sales', Key: { id: 'payments' }, add: { count: 1, cents } }
    await ctx.write('book', sum)
    // Sent when the handler has returned. The answer is stored after that, and every later call gets it.
    await ctx.send(process.env['LEDGER_QUEUE'] ?? '', { transactionId: receipt.paymentId, cents })
    return { statusCode: 201, body: JSON.stringify(receipt) }
  },
)
