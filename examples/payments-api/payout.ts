import { lockTokens, TerminalError, UnknownOutcomeError } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { payOut, type Receipt } from './payments.ts'

/** A bank that takes no idempotency key: once a payout has a token, nothing but an operator lets it be tried again. */
const payouts = lockTokens<Receipt>({
  store: dynamoDbStore({ tableName: 'lineclear' }),
  name: 'payouts',
  takeOver: false,
  retention: 'forever',
})

/** @param host names this process to operators */
export async function payout(orderId: string, host: string): Promise<Receipt | undefined> {
  const lock = await payouts.begin(orderId, host, 100)
  if (lock.existing !== undefined) {
    const { status, result, error } = lock.existing
    if (status === 'complete' && error === undefined) return result
    if (status === 'unknown') throw new UnknownOutcomeError(`payout of ${orderId}: ${error}`)
    throw new TerminalError(`payout of ${orderId}: ${error ?? status}`)
  }
  const receipt = await payOut(orderId)
  await lock.endWithSuccess(receipt)
  return receipt
}
