import { classifyCall, idempotent } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { refundAtProvider } from '../payments-api/payments.ts'

const store = dynamoDbStore({ tableName: 'lineclear' })

export const refundOnce = idempotent(
  { store, name: 'refunds', key: (paymentId: string) => paymentId, classify: classifyCall },
  (paymentId: string) => refundAtProvider(paymentId, { idempotencyKey: paymentId }),
)
