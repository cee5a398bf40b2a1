import { recordHandler, RetryableError, storedDelays, type Store } from 'lineclear'
import { type CrashCloud, exploreCrashes } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isProof } from '../../proof/depth.ts'
import { isDeep } from './deep.ts'
import { SOUND } from './consumerOf.ts'

const schema = z.object({ key: z.string() })

const retrying = ({ store, clients, clock, logger, queueUrl }: CrashCloud) =>
  recordHandler(
    { name: 'orders', store, clients, clock, logger, schema, delays: storedDelays() },
    async ({ key }, ctx) => {
      if (ctx.attempt === 1) throw new RetryableError('closed', { retryAfter: 7_200_000 })
      await ctx.write('book', { TableName: 'orders', Key: { id: key }, add: { n: 1 } })
      await ctx.send(queueUrl('booked'), { key })
    },
  )

/** Books an order, and has its reminder sent a day later. */
const reminding = ({ store, clients, clock, logger, queueUrl }: CrashCloud) =>
  recordHandler(
    { name: 'orders', store, clients, clock, logger, schema, delays: storedDelays() },
    async ({ key }, ctx) => {
      await ctx.write('book', { TableName: 'orders', Key: { id: key }, add: { n: 1 } })
      await ctx.send(queueUrl('reminders'), { key }, { delay: '24h' })
    },
  )

const LEAST = isDeep ? 3_000 : isProof ? 250 : 80

describe('handlers whose messages wait for hours', () => {
  it('a reminder a day later is sent once, whatever happens', async () => {
    const report = await exploreCrashes(reminding, { key: 'k' }, { limit: LEAST })
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject(SOUND)
  })

  it('a retry two hours later runs once', async () => {
    const report = await exploreCrashes(retrying, { key: 'k' }, { limit: LEAST })
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject(SOUND)
  })

  it('a row that is stored after the end is found lost', async () => {
    const late = (cloud: CrashCloud) => reminding({ ...cloud, store: storingLate(cloud.store) })
    const report = await exploreCrashes(late, { key: 'k' }, { limit: LEAST })
    expect(report.lost).toBeGreaterThan(0)
  })
})

/** Stores rows only once the request has ended. */
function storingLate(store: Store): Store {
  const rows: Parameters<Store['create']>[0][number][] = []
  return {
    ...store,
    create: (items) => {
      if (items.some(({ sk }) => sk !== 'later')) return store.create(items)
      rows.push(...items)
      return Promise.resolve(items.map((item) => ({ kind: 'applied', item })))
    },
    update: async (updates) => {
      const outcomes = await store.update(updates)
      const ended = updates.some(({ set }) => set?.['actualCompletion'] !== undefined)
      if (ended && rows.length > 0) await store.create(rows.splice(0))
      return outcomes
    },
  }
}
