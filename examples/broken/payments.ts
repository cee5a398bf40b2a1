import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { idempotent, lockTokens, RetryableError, UnknownOutcomeError } from 'lineclear'
import type { Shop } from './shop.ts'

/** An API that charges: it cannot tell whether the bank has heard it. */
export function payments({ options: { store, logger, clock }, isRepaired }: Shop) {
  return idempotent(
    { store, logger, clock, name: 'payments', tenant: 'none' },
    async (_event: APIGatewayProxyEventV2, _context: Context) => {
      if (!isRepaired('bank')) throw new UnknownOutcomeError('bank: connection reset')
      return { statusCode: 201, body: '{"receipt":"5"}' }
    },
  )
}

/** Half a day: as long as the nightly refunds may take. */
const LONGEST = 12 * 60 * 60_000

/** The nightly job that refunds; one process at a time has a payment. */
export function refunds({ options: { store, logger, clock } }: Shop) {
  const locks = lockTokens<string>({ store, name: 'refunds', logger, clock })
  return async (paymentId: string, work: () => Promise<string>): Promise<string | undefined> => {
    const lock = await locks.begin(paymentId, 'nightly refunds on host 7', LONGEST)
    if (lock.existing !== undefined) {
      const { status, result } = lock.existing
      if (status === 'complete') return result
      throw new RetryableError(`refund of ${paymentId}: ${status}`)
    }
    const receipt = await work()
    await lock.endWithSuccess(receipt)
    return receipt
  }
}
