import { defineFlow, type RecordHandlerOptions, recordHandler, TerminalError } from 'lineclear'
import { type CrashCloud, exploreCrashes } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bound, isWhole } from '../../proof/depth.ts'
import { Key, ORDER, SOUND } from './consumerOf.ts'

type Act = NonNullable<RecordHandlerOptions['onFailure']>

/** Charges, then dies. */
function dying(
  act: (cloud: CrashCloud) => Act,
  more: Pick<RecordHandlerOptions, 'dead'> = {},
): (cloud: CrashCloud) => ReturnType<typeof recordHandler> {
  return (cloud) => {
    const { store, clients, clock, logger, outside } = cloud
    const given = { store, clients, clock, logger, retry: { maxAttempts: 4 }, ...more }
    return recordHandler({ ...given, name: 'orders', onFailure: act(cloud) }, async (_, ctx) => {
      await ctx.write('reserve', { TableName: 't', Key, add: { free: -1 } })
      await ctx.call('charge', ({ idempotencyKey }) => outside('charge', { idempotencyKey }))
      throw new TerminalError('refused')
    })
  }
}

const ALONE = { together: 1, limit: bound(150, 700, 40_000) } as const
const EXPLORED = { ...ALONE, expectedFailures: ['terminal: TerminalError: refused'] } as const

const reported: (cloud: CrashCloud) => Act =
  ({ outside }) =>
  async (_order, ctx) => {
    await ctx.call('mail', ({ idempotencyKey }) => outside('mail', { idempotencyKey }))
    await ctx.write('dead', { TableName: 't', Key: { id: 'dead' }, add: { n: 1 } })
  }

const takenBack: (cloud: CrashCloud) => Act =
  ({ outside }) =>
  async (_order, ctx, { made }) => {
    const names = new Set(made.map(({ name }) => name))
    if (names.has('charge')) {
      await ctx.call('void', ({ idempotencyKey }) => outside('void', { idempotencyKey }))
    }
    if (names.has('reserve')) {
      await ctx.write('release', { TableName: 't', Key, add: { free: 1 } })
    }
  }

describe('what follows a death, killed at every call,', () => {
  it('happens once: a report', async () => {
    const report = await exploreCrashes(dying(reported), ORDER, EXPLORED)
    expect(report, report.text).toMatchObject({ ...SOUND, complete: isWhole })
  })

  it('happens once: what takes back', async () => {
    const report = await exploreCrashes(dying(takenBack, { dead: 'final' }), ORDER, EXPLORED)
    expect(report, report.text).toMatchObject({ ...SOUND, complete: isWhole })
  })

  it('is found to happen twice where it does not go through ctx', async () => {
    const careless = dying(({ outside }) => async () => {
      await outside('mail', { idempotencyKey: String(Math.random()) })
    })
    const report = await exploreCrashes(careless, ORDER, EXPLORED)
    expect(report.finding?.anomaly).toBe('doubled')
  })
})

const Trip = z.object({ orderId: z.string() })

/** Charges, and then resets its run, or dies. */
function flow(ends: 'reset' | 'dead', hasMemory: boolean) {
  return (cloud: CrashCloud) => {
    const { store, clients, clock, logger, outside, queueUrl } = cloud
    const trip = defineFlow({
      store,
      clients,
      clock,
      logger,
      name: 'trip',
      key: ({ orderId }) => orderId,
      stages: { pay: { schema: Trip, queueUrl: queueUrl('pay') } },
      failures: { queueUrl: queueUrl('failures') },
    })
    return {
      pay: trip.stageHandler('pay', async (_trip, ctx) => {
        await ctx.write('reserve', { TableName: 't', Key, add: { free: -1 } })
        await ctx.call('charge', ({ idempotencyKey }) => outside('charge', { idempotencyKey }))
        if (ends === 'dead') throw new TerminalError('refused')
        await ctx.reset()
      }),
      failures: trip.failureHandler(async ({ made = [], final }, ctx) => {
        const idempotencyKey = hasMemory ? ctx.idempotencyKey('mail') : String(Math.random())
        await outside('mail', { idempotencyKey })
        if (!made.some(({ name }) => name === 'reserve')) throw new TerminalError('made nothing?')
        if (final) await ctx.write('release', { TableName: 't', Key, add: { free: 1 } })
      }),
    }
  }
}

describe('what follows the bad end of a run, killed at every call,', () => {
  it.each(['reset', 'dead'] as const)('happens once: %s', async (ends) => {
    const report = await exploreCrashes(flow(ends, true), ORDER, ends === 'dead' ? EXPLORED : ALONE)
    expect(report, report.text).toMatchObject(SOUND)
  })

  it('is found to happen twice where it does not go through ctx', async () => {
    const report = await exploreCrashes(flow('reset', false), ORDER, ALONE)
    expect(report.finding?.anomaly).toBe('doubled')
  })
})
