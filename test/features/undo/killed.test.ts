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
const STEPS = Array.from({ length: 16 }, (_, nth) => nth)

it.each(STEPS)(
  'killed at call %i of the delivery that supersedes: nothing is left behind, and nothing is undone twice',
  ALONE,
  async (nth) => {
    const life = { left: Number.POSITIVE_INFINITY }
    const { start, book, pay, settle, sweep, harness, parked } = orderFlow(cloud, {
      through: (store) => mortal(store, life),
    })
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'pay', pay)
    await start('r2', 'fig', 1)
    life.left = nth
    await deliver(cloud, 'book', book)
    life.left = Number.POSITIVE_INFINITY
    for (let round = 0; round < 3; round++) {
      harness.clock.advance(120_000)
      await sweep()
      await settle()
    }
    expect(harness.count('pear')).toBe(0)
    expect(harness.count('fig')).toBe(1)
    expect(harness.count('line:1')).toBe(1)
    expect(harness.count('shipped')).toBe(1)
    expect(parked('r1')).toMatchObject({ ending: 'superseded', undo: 'undone' })
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  },
)
