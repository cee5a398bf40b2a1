import { type Receipt, refundAtProvider } from '../payments-api/payments.ts'
import { withIdempotency } from './withIdempotency.ts'

export const refundOnce = (paymentId: string): Promise<Receipt> =>
  withIdempotency(() => refundAtProvider(paymentId, { idempotencyKey: paymentId }), paymentId)
