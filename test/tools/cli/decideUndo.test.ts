import { compensate, recordHandler, TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { deliver, emptyAll, receive, send, sendCopy } from '../../flow/flowHarness.ts'
import { countOf } from './counts.ts'
import { counting } from '../../flow/trip.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const Order = z.object({ id: z.string() })

/** Two orders whose seats are reserved and charged, and who then fail for good. */
async function deadOrders() {
  const harness = await operatorHarness(cloud)
  const seat = harness.tableName
  const broken = { is: true }
  const handler = recordHandler(
    {
      name: 'orders',
      ...harness.options,
      schema: Order,
      id: ({ id }) => id,
      undo: compensate(Order, {
        seat: (_order, ctx) =>
          ctx.write('free', { TableName: 'counts', Key: { id: seat }, add: { n: -1 } }),
        charge: (_order, ctx) => ctx.call('refund', () => 'refunded'),
      }),
    },
    async (_order, ctx) => {
      await ctx.write('seat', counting(seat))
      await ctx.call('charge', () => 'receipt')
      if (broken.is) throw new TerminalError('refused')
    },
  )
  await send(cloud, 'book', { id: 'r1' })
  await deliver(cloud, 'book', handler)
  return { harness, handler, broken, seat, run: () => deliver(cloud, 'book', handler) }
}

describe('lineclear decide ID undo', () => {
  it('shows its plan, then undoes a dead record; explain and ls say so all the way', async () => {
    const { harness, run, seat } = await deadOrders()
    const { cli, item } = harness
    const before = await cli('explain', 'orders/r1')
    expect(before.out).toContain('lineclear decide orders/r1 undo')
    expect(before.out).toContain('body: 11 bytes')
    expect(before.out).not.toContain('"id"')
    const plan = await cli('decide', 'orders/r1', 'undo')
    expect(plan.out).toContain('its effects are undone')
    expect(await item('lock#orders/r1', 'token')).toMatchObject({ status: 'error' })
    const applied = await harness.apply('decide', 'orders/r1', 'undo', '--why', 'wrong order')
    expect(applied).toMatchObject({ code: 0, err: '' })
    expect((await cli('ls')).out).toContain('dead: its effects are being undone')
    const during = await cli('explain', 'orders/r1')
    expect(during.out).toContain('its effects are being undone')
    expect(during.out).toContain('lineclear explain orders.undo/r1.undo1')
    expect((await cli('decide', 'orders/r1', 'again')).out).toContain('which is final')
    await run()
    expect(await countOf(cloud, seat)).toBe(0)
    const after = await cli('explain', 'orders/r1')
    expect(after.out).toContain('its effects are undone')
    expect(after.out).toContain('if delivered now: dropped as undone')
    expect((await cli('explain', 'orders.undo/r1.undo1')).out).toContain('undo orders.undo/r1')
    expect((await cli('ls')).out).toContain('Nothing is open')
    expect((await cli('decide', 'orders/r1', 'undo')).out).toContain('its effects are undone')
  })

  it('undoes or redrives, never both: the redriven dead letter runs nothing', async () => {
    const { harness, run, broken, seat } = await deadOrders()
    await harness.apply('decide', 'orders/r1', 'undo')
    broken.is = false
    const [letter] = await receive(cloud, 'dead')
    if (letter === undefined) throw new Error('no dead letter')
    await sendCopy(cloud, 'book', letter)
    await run()
    await run()
    expect(await countOf(cloud, seat)).toBe(0)
    expect(await harness.item('lock#orders/r1', 'token')).toMatchObject({ status: 'undone' })
    expect(await receive(cloud, 'dead')).toEqual([])
  })

  it('status then discards its dead letter, and not the other one of its group', async () => {
    const { harness, run } = await deadOrders()
    const { cli, apply } = harness
    await send(cloud, 'book', { id: 'r2' })
    await run()
    const letters = async () => {
      const { out } = await cli('status', '--json')
      const { findings } = JSON.parse(out) as { findings: { kind: string; next: string }[] }
      return findings.filter(({ kind }) => kind === 'dead letters').map(({ next }) => next)
    }
    expect(await letters()).toEqual([expect.stringMatching(/^lineclear dlq peek dead --group/)])
    await apply('decide', 'orders/r1', 'undo')
    const discard = (await letters()).find((next) => next.includes('discard')) ?? ''
    expect(discard).toMatch(/^lineclear dlq discard dead --id [\w-]{36}$/)
    expect(await apply(...discard.split(' ').slice(1))).toMatchObject({ code: 0 })
    expect(await letters()).toEqual([expect.stringMatching(/^lineclear dlq peek dead --group/)])
    expect((await cli('dlq', 'peek', 'dead')).out).toMatch(/^r2\n/)
  })

  it('asks again when its message is gone', async () => {
    const { harness, run, seat } = await deadOrders()
    await harness.apply('decide', 'orders/r1', 'undo')
    await emptyAll(cloud)
    const again = await harness.apply('decide', 'orders/r1', 'undo')
    expect(again).toMatchObject({ code: 0, err: '' })
    await run()
    expect(await countOf(cloud, seat)).toBe(0)
  })

  it.each([
    ['a request that is done', { status: undefined }, 'it is done'],
    ['one that runs', { status: 'inProgress' }, 'it is not dead'],
    ['one that died without the option undo', { undoable: 0 }, 'had no option undo'],
    ['one whose payload is forgotten', { input: 1 }, 'no longer kept'],
  ])('refuses %s, and changes nothing', async (_what, change, text) => {
    const { harness } = await deadOrders()
    const { input, ...set } = { input: undefined, ...change } as Record<string, unknown>
    const own = Object.entries(set)
    await harness.store.update([
      {
        key: { pk: 'lock#orders/r1', sk: 'token' },
        where: [],
        set: Object.fromEntries(own.filter(([, value]) => value !== undefined)) as never,
        remove: own.filter(([, value]) => value === undefined).map(([name]) => name),
      },
    ])
    if (input !== undefined) {
      const key = { pk: 'lock#orders/r1', sk: 'input' }
      await harness.store.update([{ key, where: [], set: { keptUntil: 1 } }])
    }
    const before = await harness.item('lock#orders/r1', 'token')
    const { out } = await harness.apply('decide', 'orders/r1', 'undo')
    expect(out).toContain(text)
    expect(await harness.item('lock#orders/r1', 'token')).toEqual(before)
  })
})
