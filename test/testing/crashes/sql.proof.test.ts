import { defineFlow, recordHandler, TerminalError } from 'lineclear'
import { type CrashCloud, exploreCrashes } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { bound, isWhole } from '../../proof/depth.ts'

const RIGHT = { lost: 0, doubled: 0, stale: 0, stuck: 0 }
const LIMIT = bound(0, 800, 60_000)
const INSERT = 'INSERT INTO entries (id) VALUES ($1)'

it('an effect in SQL happens once under every schedule of one fault, or the first ones', async () => {
  const orders = ({ store, clients, clock, logger, sql }: CrashCloud) =>
    recordHandler({ name: 'orders', store, clients, clock, logger, sql }, async (_order, ctx) => {
      await ctx.sql('book', (tx) => tx.query(INSERT, ['a']))
    })
  const report = await exploreCrashes(orders, { orderId: 'a' }, { limit: LIMIT })
  expect(report).toMatchObject({ ...RIGHT, complete: isWhole })
})

it('a handler that dies after its effect has it once after the redrive', async () => {
  const open =
    (isMended: boolean) =>
    ({ store, clients, clock, logger, sql }: CrashCloud) =>
      recordHandler({ name: 'orders', store, clients, clock, logger, sql }, async (_order, ctx) => {
        await ctx.sql('book', (tx) => tx.query(INSERT, ['a']))
        if (!isMended) throw new TerminalError('not yet')
      })
  const report = await exploreCrashes(
    open(false),
    { orderId: 'a' },
    { redrive: open(true), limit: LIMIT },
  )
  expect(report).toMatchObject({ ...RIGHT, complete: isWhole })
})

it('stages of a flow have their effects once', async () => {
  const schema = z.object({ key: z.string() })
  const report = await exploreCrashes(
    ({ store, clients, clock, logger, sql, queueUrl }) => {
      const flow = defineFlow({
        name: 'trip',
        store,
        clients,
        clock,
        logger,
        sql,
        key: ({ key }) => key,
        stages: {
          book: { schema, queueUrl: queueUrl('book') },
          pay: { schema, queueUrl: queueUrl('pay'), final: true },
        },
      })
      return {
        book: flow.stageHandler('book', async (trip, ctx) => {
          await ctx.sql('enter', (tx) => tx.query(INSERT, ['booked']))
          await ctx.next('pay', trip)
        }),
        pay: flow.stageHandler('pay', async (_trip, ctx) => {
          await ctx.sql('enter', (tx) => tx.query(INSERT, ['paid']))
        }),
      }
    },
    { key: 'a' },
    { together: 1, limit: LIMIT },
  )
  expect(report).toMatchObject({ ...RIGHT, complete: report.schedules < LIMIT })
})
