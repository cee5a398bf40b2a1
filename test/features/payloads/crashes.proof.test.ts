import { recordHandler } from 'lineclear'
import { type CrashCloud, exploreCrashes } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { ORDER, SOUND } from '../../testing/crashes/consumerOf.ts'

/** The second consumer answers by a payload that does not fit either. */
function reports({ store, clients, clock, logger, offload, queueUrl }: CrashCloud) {
  const common = { store, clients, clock, logger, offload, retry: { maxAttempts: 3 } }
  const large = (order: unknown) => ({ order, text: 'x'.repeat(600) })
  return {
    orders: recordHandler({ name: 'orders', ...common }, (order, ctx) =>
      ctx.send(queueUrl('reports'), large(order), { maxBytes: 600 }),
    ),
    reports: recordHandler({ name: 'reports', ...common }, async (order, ctx) => {
      await ctx.write('sum', { TableName: 't', Key: { id: 'all' }, add: { n: 1 } })
      await ctx.send(queueUrl('done'), large(order), { maxBytes: 600 })
    }),
  }
}

it('payloads that are kept elsewhere, under every schedule of one fault of any kind, side by side', async () => {
  const report = await exploreCrashes(reports, ORDER)
  console.log(`large payloads: ${report.schedules} schedules`)
  expect(report).toMatchObject({ ...SOUND, complete: true })
})
