import { type FailureEnd, type FlowEnd, sweepHandler, TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliver } from '../../deliver/deliver.ts'
import { emptyAll, receive, send, sendCopy } from '../../flow/flowHarness.ts'
import { counting, tripOn } from '../../flow/trip.ts'
import { countOf } from './counts.ts'
import { consumerOn, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const HOUR = 3_600_000

describe('a dead request that is dropped', () => {
  /** It dies, and takes back what it has made when it is dropped. */
  async function dead(more: { readonly onFailure?: false } = {}) {
    const harness = await operatorHarness(cloud)
    const ends: FailureEnd[] = []
    const ran: string[] = []
    const handler = consumerOn(
      harness,
      async (_order, ctx) => {
        ran.push('handler')
        await ctx.write('seat', counting(`${harness.tableName} seat`))
        throw new TerminalError('no such account')
      },
      {
        id: (order) => (order as { id: string }).id,
        ...(more.onFailure !== false && {
          onFailure: async (_order, ctx, end) => {
            ends.push(end)
            // One name for both ends.
            await ctx.write('tell', counting(`${harness.tableName} ${end.as}`))
            if (end.final) await ctx.write('seat', counting(`${harness.tableName} back`))
          },
        }),
      },
    )
    await send(cloud, 'book', { id: 'o-1' })
    await deliver(cloud, 'book', handler)
    harness.clock.advance(60_000)
    await deliver(cloud, 'book', handler)
    const redrive = async (): Promise<void> => {
      await harness.apply('dlq', 'redrive', 'dead', '--to', 'book', '--no-ramp')
      await deliver(cloud, 'book', handler)
    }
    return { harness, ends, ran, redrive }
  }

  it('does not run again: its redriven letter runs onFailure once more, which takes back', async () => {
    const { harness, ends, ran, redrive } = await dead()
    expect((await harness.cli('explain', 'orders/o-1')).out).toContain('decide orders/o-1 drop')
    harness.clock.advance(2 * HOUR)
    const plan = await harness.cli('decide', 'orders/o-1', 'drop')
    expect(plan.out).toContain('its onFailure runs with end.final when its dead letter is redriven')
    expect((await harness.apply('decide', 'orders/o-1', 'drop', '--why', 'cancelled')).code).toBe(0)
    const again = await harness.cli('decide', 'orders/o-1', 'drop')
    expect(again.out).toContain('it is dropped already')
    const explained = await harness.cli('explain', 'orders/o-1')
    expect(explained.out).toContain('it has not run since the request was dropped')
    expect(explained.out).toContain('to run its onFailure, and nothing else')
    for (const word of ['free', 'again']) {
      const decided = await harness.cli('decide', 'orders/o-1', word)
      expect(decided.out).toContain('make a new request')
    }

    await redrive()
    expect(ran).toEqual(['handler'])
    expect(ends).toMatchObject([
      { as: 'dead', final: false, reason: 'terminal' },
      { as: 'dropped', final: true, reason: 'terminal', made: [{ name: 'seat' }] },
    ])
    const counts = ['dead', 'dropped', 'seat', 'back'].map((id) =>
      countOf(cloud, `${harness.tableName} ${id}`),
    )
    expect(await Promise.all(counts)).toEqual([1, 1, 1, 1])
    expect(await harness.item('lock#orders/o-1', 'token')).toMatchObject({
      status: 'error',
      final: 'dropped',
      ttl: expect.any(Number),
    })
    expect((await harness.cli('ls')).out).not.toContain('o-1')
    expect((await harness.cli('explain', 'orders/o-1')).out).toContain('its death is final')
  })

  it('waits until no call of its attempts can land any more', async () => {
    const { harness } = await dead()
    const refused = await harness.apply('decide', 'orders/o-1', 'drop')
    expect(refused.code).toBe(1)
    expect(await harness.item('lock#orders/o-1', 'token')).not.toHaveProperty('final')
    expect((await harness.apply('decide', 'orders/o-1', 'drop', '--force')).code).toBe(0)
  })

  it('is refused while it lives, and where nothing would take back', async () => {
    const { harness, redrive } = await dead({ onFailure: false })
    harness.clock.advance(2 * HOUR)
    const untold = await harness.cli('decide', 'orders/o-1', 'drop')
    expect(untold.out).toContain('its consumer had no onFailure when it died')
    await harness.apply('decide', 'orders/o-1', 'again')
    const free = await harness.cli('decide', 'orders/o-1', 'drop')
    expect(free.out).toContain('it is not dead')
    await harness.apply('decide', 'orders/o-1', 'done')
    expect((await harness.cli('decide', 'orders/o-1', 'drop')).out).toContain('it is done')
    await redrive()
  })
})

describe('a dead run of a flow that is dropped', () => {
  async function dead(given: { readonly failures?: false } = {}) {
    const harness = await operatorHarness(cloud)
    const failures = { queueUrl: cloud.queueUrl('outside') }
    const trip = tripOn(cloud, harness as never, {
      retry: { maxAttempts: 1, delay: () => 0 },
      ...(given.failures !== false && { failures }),
    })
    const ends: FlowEnd[] = []
    let runs = 0
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      runs += 1
      await ctx.write('seat', counting(harness.tableName))
      throw new TerminalError('broken')
    })
    const failed =
      given.failures === false
        ? undefined
        : trip.failureHandler(async (end, ctx) => {
            ends.push(end)
            await ctx.write('told', counting(`${harness.tableName} ${end.as}`))
          })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    const [letter] = await receive(cloud, 'dead')
    if (letter === undefined) throw new Error('no dead letter')
    const { store, clock, options } = harness
    const sweep = sweepHandler({ store, clock, logger: options.logger, clients: options.clients })
    return {
      harness,
      ends,
      runs: () => runs,
      redrive: async () => {
        await sendCopy(cloud, 'book', letter)
        await deliver(cloud, 'book', book)
      },
      told: async () => {
        clock.advance(2 * HOUR)
        await sweep()
        if (failed !== undefined) await deliver(cloud, 'outside', failed)
      },
    }
  }
  const DROP = ['decide', 'trip/k', 'drop', '--request', 'r1'] as const

  it('is not redriven any more, and its failure handler may take back', async () => {
    const { harness, ends, runs, redrive, told } = await dead()
    await told()
    const plan = await harness.cli(...DROP)
    expect(plan.out).toContain('its failure handler gets its end')
    expect((await harness.apply(...DROP)).code).toBe(0)
    await redrive()
    expect(runs()).toBe(1)
    await told()
    await told()
    expect(ends).toMatchObject([
      { as: 'dead', final: false },
      {
        as: 'dropped',
        final: true,
        uniqueRequestId: 'r1',
        made: [{ stage: 'book', name: 'seat', outcome: 'made' }],
      },
    ])
    expect(await countOf(cloud, `${harness.tableName} dropped`)).toBe(1)
    const again = await harness.cli(...DROP)
    expect(again.out).toContain('it is no longer listed')
  })

  it('is refused once it was redriven', async () => {
    const { harness, redrive } = await dead()
    const plan = JSON.parse((await harness.cli(...DROP, '--json')).out) as { plan: string }
    await redrive()
    // It has died again: the plan is of another death.
    const applied = await harness.cli(...DROP, '--apply', plan.plan)
    expect(applied.code).not.toBe(0)
    expect(await harness.item('flow#trip/k', 'dead#r1')).not.toHaveProperty('dropped')
  })

  it('without a failure handler: nothing takes back, which the plan says', async () => {
    const { harness, runs, redrive } = await dead({ failures: false })
    expect((await harness.cli(...DROP)).out).toContain('nothing takes back what it has made')
    expect((await harness.apply(...DROP)).code).toBe(0)
    await redrive()
    expect(runs()).toBe(1)
  })
})
