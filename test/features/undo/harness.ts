import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  compensate,
  defineFlow,
  type MadeEffect,
  type RecordContext,
  type RecordHandlerOptions,
  type Store,
  sweepHandler,
} from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { z } from 'zod'
import { deliver, flowHarness, type Time } from '../../flow/flowHarness.ts'

export const Order: StandardSchemaV1<OrderPlaced, OrderPlaced> = z.object({
  key: z.string(),
  sku: z.string(),
})
export interface OrderPlaced {
  readonly key: string
  readonly sku: string
}

export const stock = (sku: string, by: number) =>
  ({ TableName: 'counts', Key: { id: sku }, add: { n: by } }) as const

export interface Behaviour {
  readonly onConflict?: 'supersede' | 'defer'
  readonly undoDead?: boolean
  /** The store of the handlers. Default: that of the harness. */
  readonly through?: (store: Store) => Store
  /** What the stages do after their effects. */
  readonly after?: (stage: 'book' | 'pay', order: OrderPlaced) => unknown
  /** What the undo does before its effects. */
  readonly before?: (made: MadeEffect, ctx: Pick<RecordContext, 'send'>) => unknown
}

/** Where the flow of a test runs: in memory, or on an engine of DynamoDB. */
export interface Place {
  readonly store: Store
  readonly clock: Time
  readonly options: Pick<RecordHandlerOptions, 'clock' | 'logger' | 'onSettled' | 'clients'>
}

/** Books and charges an order over two stages whose effects can be undone, and ships it. */
export function orderFlow(cloud: LocalCloud, behaviour: Behaviour = {}) {
  const harness = flowHarness(cloud)
  return {
    ...ordersIn(cloud, harness, behaviour),
    harness,
    parked: (id: string) => harness.store.items().find(({ sk }) => sk === `dead#${id}`),
  }
}

export function ordersIn(cloud: LocalCloud, place: Place, behaviour: Behaviour = {}) {
  const { store, clock, options } = place
  const undone: MadeEffect[] = []
  const note = async (made: MadeEffect, ctx: RecordContext): Promise<void> => {
    await behaviour.before?.(made, ctx)
    undone.push(made)
  }
  const flow = defineFlow({
    ...options,
    store: behaviour.through?.(store) ?? store,
    name: 'trip',
    key: ({ key }) => key,
    onConflict: behaviour.onConflict ?? 'supersede',
    ...(behaviour.undoDead === undefined ? {} : { undoDead: behaviour.undoDead }),
    retry: { delay: () => 0, maxAttempts: 2 },
    stages: {
      book: {
        schema: Order,
        queueUrl: cloud.queueUrl('book'),
        undo: compensate(Order, {
          reserve: async ({ sku }, ctx, made) => {
            await note(made, ctx)
            await ctx.write('release', stock(sku, -1))
          },
          'line:*': async (_order, ctx, made) => {
            await note(made, ctx)
            await ctx.write('release', stock(made.name, -1))
          },
          note: 'keep',
        }),
      },
      pay: {
        schema: Order,
        queueUrl: cloud.queueUrl('pay'),
        undo: compensate(Order, {
          charge: async (_order, ctx, made) => {
            await note(made, ctx)
            await ctx.call('refund', () => `refund of ${String(made.answer)}`)
          },
        }),
      },
      ship: { schema: Order, queueUrl: cloud.queueUrl('ship'), final: true },
    },
  })
  const book = flow.stageHandler('book', async (order, ctx) => {
    await ctx.write('reserve', stock(order.sku, 1))
    await ctx.write('line:1', stock('line:1', 1))
    await ctx.write('line:2', stock('line:2', 1))
    await ctx.write('note', stock('notes', 1))
    await behaviour.after?.('book', order)
    await ctx.next('pay', order)
  })
  const pay = flow.stageHandler('pay', async (order, ctx) => {
    await ctx.call('charge', () => `receipt of ${order.sku}`)
    await behaviour.after?.('pay', order)
    await ctx.next('ship', order)
  })
  const ship = flow.stageHandler('ship', (_order, ctx) => ctx.write('ship', stock('shipped', 1)))
  const at = clock.now() - 10_000
  const { logger } = options
  const sweepThrough = (through: Store) =>
    sweepHandler({ store: through, clock, logger, clients: { sqs: cloud.sqs } })()
  return {
    flow,
    book,
    pay,
    ship,
    undone,
    sweep: () => sweepThrough(store),
    sweepThrough,
    start: (id: string, sku: string, later = 0): Promise<unknown> =>
      flow.start({ key: 'k', sku }, { uniqueRequestId: id, sentAt: at + later }),
    names: () => undone.map(({ name }) => name),
    /** Delivers whatever waits, until nothing is left to do. */
    settle: async (): Promise<void> => {
      for (let round = 0; round < 6; round++) {
        await deliver(cloud, 'book', book)
        await deliver(cloud, 'pay', pay)
        await deliver(cloud, 'ship', ship)
      }
    },
  }
}
