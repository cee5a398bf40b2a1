import { recordHandler, storedDelays } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { deliver } from '../../deliver/deliver.ts'
import { emptyAll, send } from '../../flow/flowHarness.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

/** An order whose reminder waits for a day. */
async function reminded() {
  const harness = await operatorHarness(cloud)
  const ids: string[] = []
  const options = { name: 'orders', ...harness.options, delays: storedDelays() }
  const handler = recordHandler({ ...options, id: () => 'o1' }, async (order, ctx) => {
    const { uniqueRequestId } = await ctx.send(cloud.queueUrl('outside'), order, { delay: '24h' })
    ids.push(uniqueRequestId)
  })
  await send(cloud, 'book', { orderId: 'o1' })
  await deliver(cloud, 'book', handler)
  return { ...harness, id: `later/${ids[0]}` }
}

it('ls, stats and explain show what waits, when it is due and where it goes', async () => {
  const { cli, id } = await reminded()
  const listed = await cli('ls', '--status', 'later')
  expect(listed.out).toContain(id)
  expect(listed.out).toContain('to outside, for orders/o1')
  expect(listed.out).toMatch(/in (1 day|23 hours)/)
  expect((await cli('ls', '--consumer', 'orders')).out).toContain(id)
  expect((await cli('ls', '--count')).out).toMatch(/delayed messages +later +1 +0/)
  const explained = await cli('explain', id)
  expect(explained.out).toContain('waits: the sweeper sends it')
  expect(explained.out).toContain(`lineclear decide ${id} drop`)
  expect((await cli('explain', '--items', id)).out).toContain('st: due')
})

it('decide drop shows the plan, and with --apply the message is never sent', async () => {
  const { cli, apply, id, clock } = await reminded()
  const plan = await cli('decide', id, 'drop')
  expect(plan).toMatchObject({ code: 0 })
  expect(plan.out).toContain('Nothing was changed')
  expect(await apply('decide', id, 'drop', '--why', 'paid')).toMatchObject({ code: 0 })
  expect((await cli('explain', '--items', id)).out).toContain('operatorWhy: paid')
  clock.advance(25 * 3_600_000)
  expect((await cli('sweep', '--apply')).out).toMatch(/delayed +0 sent, 0 waiting/)
  expect((await cli('decide', id, 'drop')).out).toContain('it is void already')
  expect((await cli('explain', id)).out).toContain('it is never sent')
})

it('the preview of a sweep has what the sweep sends, whatever its grace', async () => {
  const { cli, clock } = await reminded()
  clock.advance(23 * 3_600_000)
  expect((await cli('sweep')).out).toContain('nothing is due')
  clock.advance(3_600_000)
  expect((await cli('sweep')).out).toContain('1 later')
  expect((await cli('sweep', '--apply')).out).toMatch(/delayed +1 sent/)
})

it('decide drop refuses what was sent, what is not there, and wrong arguments', async () => {
  const { cli, apply, id, clock } = await reminded()
  expect(await cli('decide', 'later/none', 'drop')).toMatchObject({ code: 4 })
  expect(await cli('delays', 'send', id)).toMatchObject({ code: 2 })
  clock.advance(25 * 3_600_000)
  expect((await cli('sweep', '--apply')).out).toMatch(/delayed +1 sent/)
  expect(await apply('decide', id, 'drop')).toMatchObject({ code: 1 })
})

it('a row of a newer version is left alone, and said to be', async () => {
  const { cli, apply, id, store, clock } = await reminded()
  const key = { pk: id.replace('/', '#'), sk: 'later' }
  await store.update([{ key, where: [], set: { format: 2 } }])
  clock.advance(25 * 3_600_000)
  const swept = await cli('sweep', '--apply')
  expect(swept).toMatchObject({ code: 1 })
  expect(swept.out).toContain('1 notKnown')
  expect(await apply('decide', id, 'drop')).toMatchObject({ code: 3 })
  expect((await cli('explain', id)).out).toContain('a newer version has written it')
})
