import { recordHandler, type RecordHandlerOptions } from 'lineclear'
import { z } from 'zod'

/** A line of a supplier's file, such as `apple;120;EUR`. */
const Line = z
  .string()
  .regex(/^\w+;\d+;[A-Z]{3}$/)
  .transform((line) => {
    const [sku = '', cents = '', currency = ''] = line.split(';')
    return { sku, cents: Number(cents), currency }
  })

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger'> &
  Required<Pick<RecordHandlerOptions, 'deadLetterQueueUrl' | 'onSettled'>>

/** Every option that most consumers can do without. */
export function prices({ deadLetterQueueUrl, onSettled, ...given }: Given, name = 'prices') {
  return recordHandler(
    {
      ...given,
      name,
      // Its requests stay stored under the name that it had until spring, so that none of them runs again.
      formerNames: name === 'price-lines' ? [] : ['price-lines'],
      // The file has no JSON.
      parse: 'text',
      schema: Line,
      id: ({ sku }) => sku,
      // Two lines for one article in two currencies are a mistake of the supplier, not the same line twice.
      mustAgree: ['currency'],
      retention: '90d',
      retry: {
        maxAttempts: 4,
        delay: { base: '5s', max: '1h' },
        maxAge: '2d',
        // The copy of a resend would need sqs:SendMessage on the own queue.
        transport: 'visibility',
      },
      // Named, so that its role needs no sqs:GetQueueAttributes.
      deadLetterQueueUrl,
      // The shop's database takes two connections of this function.
      concurrency: 2,
      timeoutMargin: '3s',
      // The mapping has it: nothing has to be found out.
      reportBatchItemFailures: true,
      onSettled,
    },
    async ({ sku, cents, currency }, ctx) => {
      await ctx.write('price', { TableName: 'prices', Key: { sku }, put: { cents, currency } })
    },
  )
}
