import type { LocalCloud } from 'lineclear/local'
import { memoryStore } from 'lineclear/testing'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { discardDeadLetters } from '../../../src/tools/operator/dlq/discard.ts'
import { keepInTable, restoreDiscarded } from '../../../src/tools/operator/dlq/discarded.ts'
import { redriveDeadLetters } from '../../../src/tools/operator/dlq/redrive.ts'
import { flowHarness } from '../../flow/flowHarness.ts'
import { expectDeliveries } from '../../proof/hostile/expectDeliveries.ts'
import {
  count,
  deliver,
  dyingSale,
  emptyAll,
  receive,
  send,
  sendDeadLetter,
  startDlqCloud,
} from './dlqHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const NOW = Date.now()
const KEPT = { plan: '7f3a91c2', planned: 1 }

/** Discards into a table, and puts back. */
function openTable() {
  const store = memoryStore()
  const reader = {
    partition: async (pk: string) => store.items().filter((item) => item['pk'] === pk),
  }
  const keep = keepInTable(store, KEPT, NOW + 86_400_000)
  return {
    discard: (options: object = {}) =>
      discardDeadLetters({ queue: 'dead', keep, sqs: cloud.sqs, mode: 'apply', ...options }),
    restore: (options: object = {}) =>
      restoreDiscarded({
        ...KEPT,
        sqs: cloud.sqs,
        store,
        reader,
        now: NOW,
        mode: 'apply',
        ...options,
      }),
  }
}

async function sendDeadLetters(many: number): Promise<void> {
  for (let n = 0; n < many; n++) {
    await sendDeadLetter(
      cloud,
      { n },
      { id: `r${n}`, reason: n % 2 === 0 ? 'terminal' : 'exhausted' },
    )
  }
}

it('keeps what is selected, and removes it; a plan does neither', async () => {
  const { discard } = openTable()
  await sendDeadLetters(25)
  expect(await discard({ mode: 'plan' })).toMatchObject({ looked: 25, selected: 25, archived: 0 })
  expect(count(cloud, 'dead')).toBe(25)
  expect(await discard({ reason: 'exhausted' })).toMatchObject({ looked: 25, archived: 12 })
  expect(count(cloud, 'dead')).toBe(13)
})

it('takes nothing off the queue that could not be stored', async () => {
  const { discard } = openTable()
  await sendDeadLetters(3)
  const keep = async (): Promise<void> => {
    throw new Error('throttled')
  }
  await expect(discard({ keep })).rejects.toThrow('throttled')
  expect(count(cloud, 'dead')).toBe(3)
})

it('is put back byte for byte, and once', async () => {
  const { discard, restore } = openTable()
  const attributes = {
    uniquerequestid: { DataType: 'String', StringValue: 'r1' },
    bytes: { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255, 7) },
  }
  await send(cloud, 'dead', 'a "quoted"\r\n\u2028line', { attributes, groupId: 'tenant' })
  await discard()
  expect(await restore()).toMatchObject({ restored: 1, ended: 'complete' })
  expect(await restore()).toMatchObject({ restored: 0, kept: 0 })
  expect(await receive(cloud, 'dead')).toMatchObject([
    {
      body: 'a "quoted"\r\n\u2028line',
      attributes: { MessageGroupId: 'tenant' },
      messageAttributes: {
        uniquerequestid: { stringValue: 'r1' },
        bytes: { binaryValue: 'AP8H' },
      },
    },
  ])
})

it('a request that was put back twice has its effect once', async () => {
  const { discard, restore } = openTable()
  const harness = flowHarness(cloud)
  const { handler, repair } = dyingSale(harness)
  await send(cloud, 'orders', { n: 1 })
  await deliver(cloud, 'orders', handler)
  await discard()
  repair()
  // As a command that is killed before it has marked what it has sent.
  await restore({ store: { ...memoryStore(), update: async () => [{ kind: 'applied' }] } })
  await restore()
  expect(count(cloud, 'dead')).toBe(2)
  await redriveDeadLetters({ queue: 'dead', to: 'orders', sqs: cloud.sqs, mode: 'apply' })
  await deliver(cloud, 'orders', handler)
  expectDeliveries(harness.settled.slice(1), ['completed', 'duplicate'])
  expect(harness.count('sales')).toBe(1)
})
