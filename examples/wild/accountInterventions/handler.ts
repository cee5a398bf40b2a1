import { newerThan, recordHandler, type RecordHandlerOptions } from 'lineclear'
import { z } from 'zod'

/**
 * After https://github.com/govuk-one-login/account-interventions-service (MIT): an intervention changes the state of an account, unless
 * a newer one has, and an audit event says which of the two. There it reads the account, decides and writes: two at once both decide.
 */
const Intervention = z.object({
  event_id: z.string(),
  event_name: z.enum(['SUSPENDED', 'UNSUSPENDED', 'BLOCKED', 'UNBLOCKED']),
  event_timestamp_ms: z.number(),
  user: z.object({ user_id: z.string() }),
})

type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger'>

export function interventions(given: Given, auditUrl: string) {
  return recordHandler(
    {
      ...given,
      name: 'interventions',
      schema: Intervention,
      id: ({ event_id }) => event_id,
      sentAt: ({ event_timestamp_ms }) => event_timestamp_ms,
    },
    async ({ event_name, user: { user_id } }, ctx) => {
      const { applied } = await ctx.write('state', {
        TableName: 'accounts',
        Key: { user_id },
        set: { state: event_name },
        guard: newerThan('changedAt', ctx.sentAt),
      })
      await ctx.send(auditUrl, { user_id, event_name, applied })
    },
  )
}
