import { recordHandler } from 'lineclear'
import { type CrashCloud, exploreCrashes } from 'lineclear/testing'
import { expect, it } from 'vitest'

const INSERT = 'INSERT INTO entries (id) VALUES ($1)'
const FEW = { only: ['answer lost', 'killed on the wire', 'request lost'], together: 1 } as const

const booking =
  (nameOf: (attempt: number) => string) =>
  ({ store, clients, clock, logger, sql }: CrashCloud) =>
    recordHandler({ name: 'orders', store, clients, clock, logger, sql }, async (_order, ctx) => {
      await ctx.sql(nameOf(ctx.attempt), (tx) => tx.query(INSERT, ['a']))
    })

it('a statement in ctx.sql is committed once, whatever is lost', async () => {
  const report = await exploreCrashes(
    booking(() => 'book'),
    { orderId: 'a' },
    FEW,
  )
  const right = { lost: 0, doubled: 0, stale: 0, stuck: 0, complete: true }
  expect(report).toMatchObject(right)
})

it('finds a name that differs from attempt to attempt', async () => {
  const report = await exploreCrashes(
    booking((attempt) => `book ${attempt}`),
    { orderId: 'a' },
    FEW,
  )
  expect(report.doubled).toBeGreaterThan(0)
  expect(report.text).toContain(`statement ${INSERT}`)
})
