import { atLeast, emfMetrics, recordHandler, type RecordHandlerOptions } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Refund = z.object({ refundId: z.string(), orderId: z.string(), cents: z.int().positive() })

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger' | 'metrics'>

/** The systems outside: a test gives its own. */
interface Outside {
  /** @returns the receipt, or `refused`, which no retry changes */
  refund(cents: number, idempotencyKey: string): Promise<string>
  readonly mailQueueUrl: string
}

export function consumer(given: Given, { refund, mailQueueUrl }: Outside) {
  return recordHandler(
    { name: 'refunds', schema: Refund, id: ({ refundId }) => refundId, ...given },
    async ({ refundId, orderId, cents }, ctx) => {
      const payment = { TableName: 'payments', Key: { orderId } }
      const take = {
        ...payment,
        add: { refundable: -cents },
        guard: atLeast('refundable', cents),
      }
      // A refusal is not remembered, and an answer depends on it: ctx.call keeps what the first attempt saw.
      const granted = await ctx.call('granted', async () => (await ctx.write('take', take)).applied)
      const receipt = granted
        ? await ctx.call('refund', ({ idempotencyKey }) => refund(cents, idempotencyKey))
        : 'refused'
      if (granted && receipt === 'refused') {
        await ctx.write('give back', { ...payment, add: { refundable: cents } })
      }
      await ctx.send(mailQueueUrl, { refundId, receipt })
    },
  )
}

/** In Lambda. */
const store = dynamoDbStore({ tableName: process.env['LINECLEAR_TABLE'] ?? 'lineclear' })

export const handler = consumer(
  { store, metrics: emfMetrics() },
  { refund: refundByProvider, mailQueueUrl: process.env['MAIL_QUEUE'] ?? '' },
)

/** An error is tried again. */
async function refundByProvider(cents: number, idempotencyKey: string): Promise<string> {
  const response = await fetch(`${process.env['PROVIDER_URL']}/refunds`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ cents }),
    signal: AbortSignal.timeout(5_000),
  })
  if (response.status === 422) return 'refused'
  if (!response.ok) throw new Error(`the provider answered ${response.status}`)
  return ((await response.json()) as { readonly id: string }).id
}
