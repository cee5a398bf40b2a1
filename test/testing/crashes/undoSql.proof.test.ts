import { compensate, defineFlow, recordHandler, sweepHandler } from 'lineclear'
import { type CrashCloud, exploreCrashes } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'

const Order = z.object({ key: z.string() })

/** Books an order in SQL, and while it waits for its payment the order is cancelled: the booking is deleted again. */
function cancelled({ store, clients, clock, logger, sql, queueUrl }: CrashCloud) {
  const flow = defineFlow({
    name: 'orders',
    store,
    clients,
    clock,
    logger,
    sql,
    key: ({ key }) => key,
    stages: {
      book: {
        schema: Order,
        queueUrl: queueUrl('book'),
        undo: compensate(
          Order,
          {
            book: ({ key }, ctx) =>
              ctx.sql('unbook', (tx) => tx.query('DELETE FROM bookings WHERE id = $1', [key])),
          },
          { sql },
        ),
      },
      pay: { schema: Order, queueUrl: queueUrl('pay') },
    },
    awaitingSteps: { paid: { schema: Order, id: ({ key }) => key } },
  })
  const sweep = sweepHandler({ store, clock, logger, clients, grace: 0 })
  return {
    book: flow.stageHandler('book', async (order, ctx) => {
      await ctx.sql('book', (tx) => tx.query('INSERT INTO bookings (id) VALUES ($1)', [order.key]))
      await ctx.next('pay', order)
    }),
    pay: flow.stageHandler('pay', async ({ key }, ctx) => {
      await ctx.awaitStep('paid', key, () => ctx.send(queueUrl('cancel'), { key }))
    }),
    cancel: recordHandler(
      { name: 'cancel', store, clients, clock, logger, schema: Order },
      async ({ key }) => {
        await flow.reset(key, { undo: true })
        await sweep()
      },
    ),
  }
}

it('what a run that is ended has booked in SQL is deleted once', async () => {
  const report = await exploreCrashes(
    cancelled,
    { key: 'a' },
    {
      only: ['answer lost', 'request lost', 'killed on the wire'],
      together: 1,
      limit: 3_000,
    },
  )
  expect(report).toMatchObject({ lost: 0, doubled: 0, stale: 0, stuck: 0 })
})
