import type { Context } from 'aws-lambda'
import { lockTokens, RetryableError, TerminalError } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { type Receipt, refundAtProvider } from './payments.ts'

const refunds = lockTokens<Receipt>(dynamoDbStore({ tableName: 'lineclear' }), { scope: 'refunds' })

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
    await lock.endWithThrown(error)
    throw error
  }
}
