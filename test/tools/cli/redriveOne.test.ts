import { TerminalError } from 'lineclear'
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

/** A request that has failed, and the cure of its cause. */
async function deadRequest() {
  const harness = await operatorHarness(cloud)
  const ran: unknown[] = []
  let isBroken = true
  const handler = consumerOn(
    harness,
    (order) => {
      if (isBroken) throw new TerminalError('no')
      ran.push(order)
    },
    { id: (order) => (order as { id: string }).id },
  )
  await send(cloud, 'book', { id: 'r1' })
  await deliver(cloud, 'book', handler)
  isBroken = false
  return { ...harness, ran, work: async () => deliver(cloud, 'book', handler) }
}

describe('lineclear redrive', () => {
  it.each(['orders/r1', 'r1'])('%s sends its dead letter back, by a plan', async (id) => {
    const { cli, apply, ran, work } = await deadRequest()
    const planned = await cli('redrive', id)
    expect(planned.code).toBe(0)
    expect(planned.out).toContain('1 dead letter would go to')
    expect(planned.out).toMatch(new RegExp(`lineclear .*redrive ${id} --apply [0-9a-f]{8}`))
    expect((await apply('redrive', id)).out).toContain('1 dead letter sent to')
    await work()
    expect(ran).toEqual([{ id: 'r1' }])
    // As after a plan of dlq redrive.
    const place = id === 'r1' ? 'all dead-letter queues:' : 'dead'
    const done = `dlq redrive +${place} r1 .*applied: 1 of 1`
    expect((await cli('explain', '--history', '--action', 'dlq redrive')).out).toMatch(
      new RegExp(done),
    )
    for (const of of ['r1', 'orders/r1']) {
      expect((await cli('explain', '--history', of)).out).toMatch(new RegExp(done))
    }
    expect((await cli('status', '--handover')).out).toMatch(
      /dlq redrive .*r1, plan \w+, applied: 1 of 1/,
    )
  })

  it('says what to type where there is no dead letter', async () => {
    const { cli, apply, work } = await deadRequest()
    await apply('redrive', 'orders/r1')
    await work()
    const done = await cli('redrive', 'orders/r1')
    expect(done).toMatchObject({ code: 1 })
    expect(done.out).toContain('no dead letter of it that could be sent back')
    expect(done.out).toContain('lineclear explain orders/r1')
    expect(await cli('redrive', 'never/seen')).toMatchObject({ code: 4 })
  })
})
