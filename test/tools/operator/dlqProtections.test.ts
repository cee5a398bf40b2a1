import { recordHandler, TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { editDeadLetter } from '../../../src/tools/operator/dlq/edit.ts'
import { redriveDeadLetters } from '../../../src/tools/operator/dlq/redrive.ts'
import type { PlannedLetter } from '../../../src/tools/operator/dlq/bound.ts'
import type { Store } from '../../../src/library/protocol/store/store.ts'
import { flowHarness } from '../../flow/flowHarness.ts'
import { count, deliver, emptyAll, send, startDlqCloud, text } from './dlqHarness.ts'

// Each protection of a plan for dead letters, and what happens without it.

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

describe('the message ids of a plan', () => {
  const redrive = (only?: readonly PlannedLetter[]) =>
    redriveDeadLetters({ queue: 'dead', to: 'orders', sqs: cloud.sqs, mode: 'apply', only })

  it('keep what has arrived since from being redriven', async () => {
    const only = [{ messageId: await send(cloud, 'dead', 'shown') }]
    await send(cloud, 'dead', 'arrived since')
    expect(await redrive(only)).toMatchObject({ moved: 1, stays: { notPlanned: 1 } })
    expect(count(cloud, 'dead')).toBe(1)
  })

  it('are needed: without them it is redriven unseen', async () => {
    await send(cloud, 'dead', 'shown')
    await send(cloud, 'dead', 'arrived since')
    expect(await redrive()).toMatchObject({ moved: 2 })
    expect(count(cloud, 'dead')).toBe(0)
  })
})

describe('the hash that an edit writes into the record', () => {
  /** A request that has died of its payload, and the corrected one, redriven. */
  async function corrected(through: (store: Store) => Store) {
    const { options } = flowHarness(cloud)
    const ran: unknown[] = []
    const handler = recordHandler({ name: 'orders', ...options }, (payload) => {
      const { total } = payload as { total: number }
      if (total < 0) throw new TerminalError('a negative total')
      ran.push(total)
    })
    const attributes = { uniquerequestid: text('r1') }
    await send(cloud, 'orders', { total: -1 }, { attributes })
    await deliver(cloud, 'orders', handler)
    const result = await editDeadLetter({
      queue: 'dead',
      id: 'r1',
      sqs: cloud.sqs,
      store: through(options.store),
      edit: () => '{"total":1}',
      args: [],
      offer: async (plan) => plan.apply(),
    })
    expect(result).toEqual({ offered: { outcome: 'applied' } })
    await redriveDeadLetters({ queue: 'dead', to: 'orders', sqs: cloud.sqs, mode: 'apply' })
    await deliver(cloud, 'orders', handler)
    return { ran, dead: count(cloud, 'dead') }
  }

  it('lets the corrected payload run', async () => {
    expect(await corrected((store) => store)).toEqual({ ran: [1], dead: 0 })
  })

  it('is needed: without it the corrected payload is refused as a conflict', async () => {
    const without = (store: Store): Store => ({
      ...store,
      update: async (updates) => updates.map(() => ({ kind: 'applied', item: {} })),
    })
    expect(await corrected(without)).toEqual({ ran: [], dead: 1 })
  })
})
