import { RetryableError, recordHandler, type RecordHandlerOptions } from 'lineclear'
import { z } from 'zod'

const Notice = z.object({ noticeId: z.string(), partner: z.string(), text: z.string() })

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger'>

/** Posts notices to partners. After four attempts the webhook of the partner is disabled; the notice can be redriven. */
export function webhooks(given: Given, post: (partner: string, text: string) => Promise<boolean>) {
  return recordHandler(
    {
      ...given,
      name: 'webhooks',
      schema: Notice,
      id: ({ noticeId }) => noticeId,
      retry: { maxAttempts: 4 },
      onFailure: async (notice, ctx, end) => {
        // A notice that its schema refuses names no partner.
        if (notice === undefined) return
        const set = { webhook: 'disabled', because: end.error }
        await ctx.write('disable', {
          TableName: 'partners',
          Key: { partner: notice.partner },
          set,
        })
      },
    },
    async ({ partner, text }, ctx) => {
      await ctx.call('post', async () => {
        if (!(await post(partner, text))) throw new RetryableError(`${partner} does not answer`)
      })
    },
  )
}
