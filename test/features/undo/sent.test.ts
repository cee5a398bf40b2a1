import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { deliver, emptyAll, startFlowCloud } from '../../flow/flowHarness.ts'
import { notIn } from '../../proof/hostile/mode.ts'
import { orderFlow } from './harness.ts'
import { mortal } from './mortal.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const ALONE = notIn(['killed', 'clocks'], 'it kills at each call itself')
const STEPS = Array.from({ length: 14 }, (_, nth) => nth)

it.each(STEPS)(
  'killed at call %i of the last undo: what its handlers send is not lost, and its record ends',
  ALONE,
  async (nth) => {
    const life = { left: Number.POSITIVE_INFINITY }
    const { start, book, harness, sweep, settle } = orderFlow(cloud, {
      through: (store) => mortal(store, life),
      before: ({ name }, ctx) => ctx.send(cloud.queueUrl('outside'), { name }),
    })
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await start('r2', 'fig', 1)
    await deliver(cloud, 'book', book)
    life.left = nth
    await deliver(cloud, 'book', book).catch(() => {})
    life.left = Number.POSITIVE_INFINITY
    for (let round = 0; round < 3; round++) {
      harness.clock.advance(120_000)
      await sweep()
      await settle()
    }
    const sent = new Set<string>()
    await deliver(cloud, 'outside', async ({ Records }) => {
      for (const { body } of Records) sent.add(body)
      return { batchItemFailures: [] }
    })
    expect(sent.size).toBe(3)
    const tokens = harness.store.items().filter(({ sk }) => sk === 'token')
    expect(tokens.filter(({ status }) => status !== undefined)).toEqual([])
  },
)
