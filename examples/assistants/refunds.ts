import {
  atLeast,
  emfMetrics,
  recordHandler,
  type RecordHandlerOptions,
  TerminalError,
} from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Refund = z.object({ refundId: z.string(), orderId: z.string(), cents: z.int().positive() })

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger' | 'metrics'>

/** The systems outside: a test gives its own. */
interface Outside {
  refund(cents: number, idempotencyKey: string): Promise<string>
  readonly mailQueueUrl: string
}

export function consumer(given: Given, { refund, mailQueueUrl }: Outside) {
  return recordHandler(
    { name: 'refunds', schema: Refund, id: ({ refundId }) => refundId, ...given },
    async ({ refundId, orderId, cents }, ctx) => {
      const take = {
        TableName: 'payments',
        Key: { orderId },
        add: { refundable: -cents },
        guard: atLeast('refundable', cents),
      }
      // A refusal is not remembered, and an answer depends on it: ctx.call keeps what the first attempt saw.
      const granted = await ctx.call('granted', async () => (await ctx.write('take', take)).applied)
      const receipt = granted
        ? await ctx.call('refund', ({ idempotencyKey }) => refund(cents, idempotencyKey))
        : 'refused'
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

/** An error is tried again; a TerminalError, for what no retry changes, is dead-lettered at once. */
async function refundByProvider(cents: number, idempotencyKey: string): Promise<string> {
  const response = await fetch(`${process.env['PROVIDER_URL']}/refunds`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ cents }),
    signal: AbortSignal.timeout(5_000),
  })
  if (response.status === 422) throw new TerminalError('the provider refuses it')
  if (!response.ok) throw new Error(`the provider answered ${response.status}`)
  return ((await response.json()) as { readonly id: string }).id
}
