import { recordHandler } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { SqsHandler } from '../../../src/consumer/recordHandler.ts'
import { redriveDeadLetters } from '../../../src/tools/operator/dlq/redrive.ts'

import { type FlowHarness, flowHarness, sendCopy } from '../../flow/flowHarness.ts'
import { counting } from '../../flow/trip.ts'
import { notIn } from '../hostile/mode.ts'
import {
  count,
  deliver,
  emptyAll,
  receive,
  send,
  startDlqCloud,
} from '../../tools/operator/dlqHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const calm = notIn(
  ['twice', 'atOnce', 'lost', 'dying', 'ten', 'killed', 'clocks'],
  'it counts dead letters one by one',
)
const Callback = z.object({ tx: z.string(), nth: z.number() })

function consumer(
  harness: FlowHarness,
  { name = 'orders', refuses = false, formerNames = [] as string[] },
) {
  const schema = refuses ? Callback.refine(() => false) : Callback
  return recordHandler(
    { name, formerNames, schema, id: ({ tx }) => tx, ...harness.options },
    async (_callback, ctx) => {
      await ctx.applyOnce('sale', counting('sales'))
    },
  )
}

const WAYS = {
  'lineclear dlq redrive': () =>
    redriveDeadLetters({ queue: 'dead', sqs: cloud.sqs, to: 'orders', mode: 'apply' }),
  'the redrive of SQS': async () => {
    const messages = await receive(cloud, 'dead')
    await emptyAll(cloud)
    for (const queued of messages) await sendCopy(cloud, 'orders' as never, queued)
  },
}

describe.each(Object.entries(WAYS))('on the local cloud, by %s', (_way, redrive) => {
  const take = (handler: SqsHandler) => deliver(cloud, 'orders', handler)

  it('two calls of a provider that were both refused are one effect', calm, async () => {
    const harness = flowHarness(cloud)
    for (const nth of [1, 2]) await send(cloud, 'orders', { tx: 't', nth })
    await take(consumer(harness, { refuses: true }))
    expect(count(cloud, 'dead')).toBe(2)
    await redrive()
    await take(consumer(harness, {}))
    expect([harness.count('sales'), count(cloud, 'dead')]).toEqual([1, 0])
  })

  it('a call that was refused, and is repeated by the provider, is one effect', calm, async () => {
    const harness = flowHarness(cloud)
    await send(cloud, 'orders', { tx: 't', nth: 1 })
    await take(consumer(harness, { refuses: true }))
    await redrive()
    await send(cloud, 'orders', { tx: 't', nth: 2 })
    await take(consumer(harness, {}))
    expect([harness.count('sales'), count(cloud, 'dead')]).toEqual([1, 0])
  })

  it('a dead letter runs at its own consumer only, wherever it is sent', calm, async () => {
    const harness = flowHarness(cloud)
    await send(cloud, 'orders', { tx: 't', nth: 1 })
    await take(consumer(harness, { refuses: true }))
    for (let times = 0; times < 2; times++) {
      await redrive()
      await take(consumer(harness, { name: 'mail' }))
    }
    expect([harness.count('sales'), count(cloud, 'dead')]).toEqual([0, 1])
    await redrive()
    await take(consumer(harness, { name: 'mail', formerNames: ['orders'] }))
    expect([harness.count('sales'), count(cloud, 'dead')]).toEqual([1, 0])
  })
})
