import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { deliver, emptyAll, startFlowCloud } from '../../flow/flowHarness.ts'
import { notIn } from '../../proof/hostile/mode.ts'
import { mortal } from './mortal.ts'
import { orderRecords } from './recordHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const ALONE = notIn(['killed', 'clocks'], 'it kills at each call itself')
const STEPS = Array.from({ length: 12 }, (_, nth) => nth)

it.each(STEPS)(
  'killed at call %i of the delivery that dies: it is undone by itself, once',
  ALONE,
  async (nth) => {
    const life = { left: nth }
    const { place, run, harness, later, token } = orderRecords(cloud, {
      undoDead: true,
      through: (store) => mortal(store, life),
    })
    await place('r1', 'pear')
    await run().catch(() => {})
    life.left = Number.POSITIVE_INFINITY
    await later()
    await later()
    expect(harness.count('pear')).toBe(0)
    expect(token()).toMatchObject({ status: 'undone', death: 1 })
  },
)

it.each(STEPS)('killed at call %i of the undo: it ends, once', ALONE, async (nth) => {
  const life = { left: Number.POSITIVE_INFINITY }
  const records = orderRecords(cloud, {
    through: (store) => mortal(store, life),
    before: ({ name }, ctx) => ctx.send(cloud.queueUrl('ship'), { name }),
  })
  const { place, run, apply, plan, harness, later, token, item } = records
  await place('r1', 'pear')
  await run()
  await apply(await plan())
  life.left = nth
  await run().catch(() => {})
  life.left = Number.POSITIVE_INFINITY
  // Otherwise nothing would show that it has ended.
  const settled = item('lock#orders.undo/r1.undo1')
  const isSettled = settled !== undefined && settled['status'] === undefined
  expect(isSettled ? token()?.['status'] : 'undone').toBe('undone')
  await later()
  expect(harness.count('pear')).toBe(0)
  expect(token()).toMatchObject({ status: 'undone' })
  expect(item('lock#orders.undo/r1.undo1')).not.toHaveProperty('status')
  const cancelled = await deliver(cloud, 'ship', async () => ({ batchItemFailures: [] }))
  expect(cancelled.came).toBeGreaterThanOrEqual(2)
})
