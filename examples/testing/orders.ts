import { atLeast, recordHandler, type RecordHandlerOptions } from 'lineclear'

/** What differs between Lambda and a test: in Lambda only `store` is given. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger'>

export function orders(given: Given, mailQueueUrl: string) {
  return recordHandler({ name: 'orders', ...given }, async (_, ctx) => {
    const sale = {
      TableName: 'stock',
      Key: { sku: 's' },
      add: { available: -1 },
      guard: atLeast('available', 1),
    }
    const sold = await ctx.call('sold', async () => (await ctx.write('sell', sale)).applied)
    await ctx.send(mailQueueUrl, { sold })
  })
}
