import { type CrashCloud, exploreCrashes } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { consumer } from './refunds.ts'

it('loses and doubles nothing, wherever it crashes', async () => {
  const record = { refundId: 'r1', orderId: 'o1', cents: 500 }
  const rows = { payments: [{ orderId: 'o1', refundable: 900 }] }
  const build = ({ store, clients, clock, logger, outside, queueUrl }: CrashCloud) =>
    consumer(
      { store, clients, clock, logger },
      {
        refund: (cents, idempotencyKey) => outside('refund', { idempotencyKey }, cents),
        mailQueueUrl: queueUrl('mail'),
      },
    )
  const report = await exploreCrashes(build, record, { rows, together: 1 })
  expect(report.text).toContain('nothing lost, doubled, stale or stuck')
  expect(report).toMatchObject({ lost: 0, doubled: 0, stale: 0, stuck: 0, complete: true })
}, 600_000)
