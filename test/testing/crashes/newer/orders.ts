import { defineFlow, recordHandler, storedDelays, TerminalError } from 'lineclear'
import type { CrashCloud } from 'lineclear/testing'
import { z } from 'zod'

export const Order = z.object({ key: z.string(), quantity: z.number() })
export const FIRST = { key: 'k', quantity: 1 }
export const SECOND = { key: 'k', quantity: 10 }

const reserved = (by: number) =>
  ({ TableName: 'stock', Key: { id: 's' }, add: { reserved: by } }) as const

function clients({ store, clients, clock, logger }: CrashCloud) {
  return { name: 'orders', store, clients, clock, logger }
}

/** A newer order takes the place of the one before, and overwrites what that has written. */
export const superseding = (cloud: CrashCloud) => {
  const { queueUrl } = cloud
  const flow = defineFlow({
    ...clients(cloud),
    key: ({ key }) => key,
    onConflict: 'supersede',
    stages: {
      reserve: { schema: Order, queueUrl: queueUrl('reserve') },
      pay: { schema: Order, queueUrl: queueUrl('pay'), final: true },
    },
  })
  const written = (TableName: string, { key, quantity }: z.infer<typeof Order>) =>
    ({ TableName, Key: { id: key }, put: { quantity } }) as const
  return {
    reserve: flow.stageHandler('reserve', async (order, ctx) => {
      await ctx.write('reserve', written('reserved', order))
      await ctx.next('pay', order)
    }),
    pay: flow.stageHandler('pay', async (order, ctx) => {
      await ctx.write('pay', written('paid', order))
    }),
  }
}

/** Dies for good, at its first attempt already if one call fails. */
export const dying = (cloud: CrashCloud) =>
  recordHandler(
    { ...clients(cloud), schema: Order, retry: { maxAttempts: 1 } },
    async (_order, ctx) => {
      await ctx.write('reserve', reserved(1))
      await ctx.call('charge', (key) => cloud.outside('charge', key))
      throw new TerminalError('refused')
    },
  )

/** Its mail waits for two hours, and it dies unless its cause is fixed. */
export const delaying = (isFixed: boolean) => (cloud: CrashCloud) => {
  const { queueUrl } = cloud
  const flow = defineFlow({
    ...clients(cloud),
    key: ({ key }) => key,
    delays: storedDelays(),
    stages: { book: { schema: Order, queueUrl: queueUrl('book'), final: true } },
  })
  return {
    book: flow.stageHandler('book', async (order, ctx) => {
      await ctx.send(queueUrl('mails'), order, { delay: '2h' })
      await ctx.write('book', reserved(1))
      if (!isFixed) throw new TerminalError('down')
    }),
  }
}
