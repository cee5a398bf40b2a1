import { recordHandler, type Settlement } from 'lineclear'
import { type CrashCloud, type CrashOptions, exploreCrashes } from 'lineclear/testing'
import { describe, expect, it, vi } from 'vitest'
import type { Offload } from '../../../src/library/run/context/results/resultStore.ts'
import { ORDER, SOUND } from '../../testing/crashes/consumerOf.ts'

/** Those that concern what is stored and sent. */
const FAULTS: CrashOptions = {
  only: ['request lost', 'answer lost', 'killed on the wire'],
  together: 1,
}

type Protect = (offload: Offload) => Offload

/** One consumer sends a payload that does not fit, the other counts it. `maxBytes` keeps it small. */
function reports(rejected: () => void, protect: Protect = (offload) => offload) {
  return (cloud: CrashCloud) => {
    const { store, clients, clock, logger, queueUrl } = cloud
    const offload = protect(cloud.offload)
    const onSettled = (settlement: Settlement): void => {
      if (settlement.kind === 'deadLettered' && settlement.reason === 'rejected') rejected()
    }
    const common = { store, clients, clock, logger, offload, retry: { maxAttempts: 3 } }
    return {
      orders: recordHandler({ name: 'orders', ...common }, (order, ctx) =>
        ctx.send(queueUrl('reports'), { order, text: 'x'.repeat(600) }, { maxBytes: 600 }),
      ),
      reports: recordHandler({ name: 'reports', ...common, onSettled }, (_, ctx) =>
        ctx.write('sum', { TableName: 't', Key: { id: 'all' }, add: { n: 1 } }),
      ),
    }
  }
}

describe('a message whose payload is kept elsewhere', () => {
  it('runs once under every schedule with one such fault', async () => {
    const rejected = vi.fn<() => void>()
    const report = await exploreCrashes(reports(rejected), ORDER, FAULTS)
    expect(rejected).not.toHaveBeenCalled()
    expect(report).toMatchObject(SOUND)
    expect(report.schedules).toBeGreaterThan(50)
  })

  it.each<[string, Protect]>([
    [
      'the message is sent without waiting until its payload is stored',
      (offload) => ({
        ...offload,
        move: (payload) => {
          const moved = offload.move(payload)
          return { ...moved, store: async () => void moved.store().catch(() => {}) }
        },
      }),
    ],
    [
      'a payload that could not be stored is taken for stored',
      (offload) => ({
        ...offload,
        move: (payload) => {
          const moved = offload.move(payload)
          return { ...moved, store: () => moved.store().catch(() => {}) }
        },
      }),
    ],
  ])('is not there when %s', async (_, unprotected) => {
    const rejected = vi.fn<() => void>()
    await exploreCrashes(reports(rejected, unprotected), ORDER, FAULTS)
    expect(rejected).toHaveBeenCalled()
  })
})
