import type { StandardSchemaV1 } from '@standard-schema/spec'
import { expect, it } from 'vitest'
import { consumerOf } from './consumerOf.ts'

it('each record of a batch is read once, however many share one id', async () => {
  let [reads, runs] = [0, 0]
  const schema: StandardSchemaV1<unknown, unknown> = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => {
        reads += 1
        return { value }
      },
    },
  }
  const { queue, sendStamped, deliver } = consumerOf(() => (runs += 1), { schema })
  const messages = Array.from({ length: 2_000 }, () => sendStamped('same'))
  await deliver(messages)
  expect([reads, runs, queue.messages.length]).toEqual([2_000, 1, 0])
})

it('a copy is claimed only after the record with the same id before it has ended', async () => {
  const order: string[] = []
  const { queue, sendStamped, deliver } = consumerOf(async (_payload, ctx) => {
    order.push(ctx.uniqueRequestId)
    await new Promise(setImmediate)
  })
  await deliver(['a', 'b', 'a', 'b', 'a'].map((id) => sendStamped(id)))
  expect([order.toSorted(), queue.messages]).toEqual([['a', 'b'], []])
})
