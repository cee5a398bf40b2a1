import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliver } from '../../deliver/deliver.ts'
import { emptyAll, send } from '../../flow/flowHarness.ts'
import { consumerOn, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

/** A message cannot carry these as they are, so that they are stored as a hash. */
const IDS = ['Müller-17', 'order 17', `order-${'x'.repeat(300)}`, '日本-🧾']

describe.each(IDS)('the id %s, as it is typed,', (id) => {
  async function request(fails: boolean) {
    const harness = await operatorHarness(cloud)
    const handler = consumerOn(
      harness,
      () => {
        if (fails) throw new Error('no')
      },
      { id: (order) => (order as { id: string }).id, retry: { maxAttempts: 1 } },
    )
    await send(cloud, 'book', { id })
    await deliver(cloud, 'book', handler)
    return harness
  }

  it('names its request, also to a scan', async () => {
    const { cli } = await request(false)
    for (const args of [[`orders/${id}`], [id, '--scan']]) {
      const { code, out } = await cli('explain', ...args)
      expect([code, out]).toEqual([0, expect.stringMatching(/^ *done \(attempt 1/m)])
    }
  })

  it('names its dead letter, and its request is decided and redriven by it', async () => {
    const { cli, apply } = await request(true)
    const peeked = await cli('dlq', 'peek', 'dead', '--id', id)
    expect([peeked.code, peeked.out]).toEqual([0, expect.stringContaining('1 dead letter shown')])
    for (const of of [`orders/${id}`, id]) {
      expect((await cli('redrive', of)).out).toContain('1 dead letter would go to')
    }
    expect(await apply('decide', `orders/${id}`, 'done', '--why', 'w')).toMatchObject({ code: 0 })
  })
})

it('a long key of a flow is found as it was typed', async () => {
  const harness = await operatorHarness(cloud)
  const key = 'k'.repeat(600)
  const { storedKey } = await import('../../../src/library/entries/flow/messagePosition.ts')
  const run = { sk: 'stage', epoch: 1, fence: 1, uniquerequestid: 'r1', giveUpAt: 9e12 }
  await harness.store.create([{ pk: `flow#trip/${storedKey(key)}`, ...run }])
  expect((await harness.cli('explain', `trip/${key}`)).code).toBe(0)
})
