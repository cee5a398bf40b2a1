import { recordHandler } from 'lineclear'
import { startLocalCloud } from 'lineclear/local'
import { memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { quietLogger, quietMapping, sendMany } from './helpers.ts'

const SETTINGS = [
  ['standard', 'with', true],
  ['standard', 'without', false],
  ['fifo', 'with', true],
  ['fifo', 'without', false],
] as const

it.each(SETTINGS)(
  'on a %s queue %s ReportBatchItemFailures each message is done once, and none is lost',
  async (kind, _, reportBatchItemFailures) => {
    const queue = kind === 'fifo' ? 'work.fifo' : 'work'
    await using cloud = await startLocalCloud({ queues: { [queue]: { visibilityTimeout: 2 } } })
    const done: unknown[] = []
    const tried = new Map<unknown, number>()
    const handler = recordHandler(
      {
        name: 'work',
        store: memoryStore(),
        sqs: cloud.sqs,
        logger: quietLogger(),
        reportBatchItemFailures,
        retry: { transport: 'visibility', delay: () => 100 },
      },
      (payload) => {
        const attempt = (tried.get(payload) ?? 0) + 1
        tried.set(payload, attempt)
        if (Number(payload) % 3 === 1 && attempt < 3) throw new Error('not yet')
        done.push(payload)
      },
    )
    const ids = await sendMany(cloud, queue, 12, kind === 'fifo' ? 'g' : undefined)
    const mapping = quietMapping({ cloud, queue, handler, reportBatchItemFailures })
    await mapping.drained()
    const order =
      kind === 'fifo' ? done : done.toSorted((one, other) => Number(one) - Number(other))
    expect(order).toEqual(ids.map((_id, nth) => nth))
    expect(mapping.counts.failedInvocations > 0).toBe(!reportBatchItemFailures)
  },
  60_000,
)
