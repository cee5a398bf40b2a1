import { emfMetrics, idempotent, type IdempotentOptions } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'

interface Refund {
  readonly refundId: string
  readonly amount: number
}

/** What differs between Lambda and a test. */
type Given = Pick<IdempotentOptions<[Refund], string>, 'store' | 'clock' | 'logger' | 'metrics'>

/** A model of your payment provider: the same key makes one refund. */
const provider = async (amount: number, idempotencyKey: string): Promise<string> =>
  `receipt ${idempotencyKey} of ${amount}`

/** Who calls again with the same id gets the first answer. */
export function refunder(given: Given, refund = provider) {
  return idempotent(
    { name: 'refunds', key: ({ refundId }: Refund) => refundId, ...given },
    ({ refundId, amount }: Refund) => refund(amount, refundId),
  )
}

const store = dynamoDbStore({ tableName: process.env['LINECLEAR_TABLE'] ?? 'lineclear' })

export const handler = refunder({ store, metrics: emfMetrics() })
