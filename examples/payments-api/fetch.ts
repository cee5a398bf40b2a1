import { hash } from 'node:crypto'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { idempotentFetch } from './idempotentFetch.ts'
import { charge } from './payments.ts'

const Payment = z.object({ cents: z.number().int().positive() })

/** Set by what has checked the caller's token, never by the caller. */
const callerOf = (request: Request): string | null => request.headers.get('x-user-id')

/** Charges once per caller and key, in any front with web-standard handlers. */
export const pay = idempotentFetch(
  { store: dynamoDbStore({ tableName: 'lineclear' }), name: 'web-payments', tenant: callerOf },
  async (request) => {
    const payment = Payment.safeParse(await request.json())
    if (!payment.success) return new Response(z.prettifyError(payment.error), { status: 400 })
    const key = JSON.stringify([callerOf(request), request.headers.get('idempotency-key')])
    const receipt = await charge(payment.data.cents, hash('sha256', key, 'base64url'))
    return Response.json(receipt, { status: 201 })
  },
)
