import { TerminalError, recordHandler, type RecordHandlerOptions } from 'lineclear'
import { z } from 'zod'

const Order = z.object({ orderId: z.string(), sku: z.string(), quantity: z.int() })

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger'>

/** The payment provider. */
export interface Bank {
  charge(orderId: string, idempotencyKey: string): Promise<'paid' | 'refused'>
  /** Voids what was charged with this key, and what may still come with it. */
  voidPayment(idempotencyKey: string): Promise<void>
}

/** Reserves and charges. An order that dies is taken back, and its letter never runs again. */
export function reservations(given: Given, bank: Bank) {
  return recordHandler(
    {
      ...given,
      name: 'reservations',
      schema: Order,
      id: ({ orderId }) => orderId,
      dead: 'final',
      onFailure: async (order, ctx, { made, keyOf }) => {
        if (order === undefined) return
        const { sku, quantity } = order
        const names = new Set(made.map(({ name }) => name))
        // Also when it is not known whether it was charged.
        if (names.has('charge')) await ctx.call('void', () => bank.voidPayment(keyOf('charge')))
        if (names.has('reserve')) {
          await ctx.write('release', { TableName: 'stock', Key: { sku }, add: { free: quantity } })
        }
      },
    },
    async ({ orderId, sku, quantity }, ctx) => {
      await ctx.write('reserve', { TableName: 'stock', Key: { sku }, add: { free: -quantity } })
      const charged = await ctx.call(
        'charge',
        ({ idempotencyKey }) => bank.charge(orderId, idempotencyKey),
        { ifUnknown: 'stop' },
      )
      if (charged === 'refused') throw new TerminalError(`the bank refuses order ${orderId}`)
    },
  )
}
