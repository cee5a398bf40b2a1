import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { emfMetrics, lockTokens, RetryableError, TerminalError } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { type Receipt, refundAtProvider } from './payments.ts'

const refunds = lockTokens<Receipt>({
  store: dynamoDbStore({ tableName: 'lineclear' }),
  name: 'refunds',
  metrics: emfMetrics(),
})

/** undefined: refunded, but without a receipt, such as by an operator who has resolved the token. */
export async function refund(paymentId: string, context: Context): Promise<Receipt | undefined> {
  const lock = await refunds.begin(paymentId, context, 10_000)
  if (lock.existing !== undefined) {
    const { status, result, error } = lock.existing
    if (status === 'inProgress') throw new RetryableError(`refund of ${paymentId}: under way`)
    if (status === 'complete' && error === undefined) return result
    throw new TerminalError(`refund of ${paymentId}: ${error ?? status}`)
  }
  try {
    const receipt = await refundAtProvider(paymentId, { idempotencyKey: paymentId })
    await lock.endWithSuccess(receipt)
    return receipt
  } catch (error) {
    await lock.endWithError(error)
    throw error
  }
}

const Refund = z.object({ paymentId: z.string().min(1).max(100) })

/** Refunds a payment once, however often and from wherever it is called: the payment has one lock token. */
export async function handler(event: APIGatewayProxyEventV2, context: Context) {
  const asked = Refund.safeParse(JSON.parse(event.body ?? 'null'))
  if (!asked.success) return { statusCode: 400, body: z.prettifyError(asked.error) }
  try {
    const receipt = await refund(asked.data.paymentId, context)
    return { statusCode: 200, body: JSON.stringify(receipt ?? {}) }
  } catch (error) {
    if (error instanceof RetryableError) return { statusCode: 409, body: error.message }
    if (error instanceof TerminalError) return { statusCode: 422, body: error.message }
    throw error
  }
}
