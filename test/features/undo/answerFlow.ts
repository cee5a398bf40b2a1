import {
  compensate,
  defineFlow,
  type HandlerResult,
  type MadeEffect,
  type RecordContext,
  type Store,
  sweepHandler,
} from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { z } from 'zod'
import { deliver } from '../../flow/flowHarness.ts'
import { Order, type Place, stock } from './harness.ts'

const Payment = z.object({ paymentId: z.string() })

interface Behaviour {
  readonly through?: (store: Store) => Store
  /** What `ship` does after its effect. */
  readonly afterShip?: (sku: string) => unknown
  readonly onTimeout?: (ctx: RecordContext) => HandlerResult
  readonly ids?: readonly string[]
  readonly timeout?: '1m'
}

/** Reserves, waits for a payment, books a ticket once it is paid, and ships. All of it can be undone. */
export function paidOrders(cloud: LocalCloud, place: Place, behaviour: Behaviour = {}) {
  const { store, clock, options } = place
  const undone: MadeEffect[] = []
  const payloads: unknown[] = []
  const undoing =
    (id: (payload: { readonly sku?: string; readonly paymentId?: string }) => string) =>
    async (payload: object, ctx: RecordContext, made: MadeEffect): Promise<void> => {
      await ctx.write('undo', stock(id(payload), -1))
      undone.push(made)
      payloads.push(payload)
    }
  const flow = defineFlow({
    ...options,
    store: behaviour.through?.(store) ?? store,
    name: 'trip',
    key: ({ key }) => key,
    onConflict: 'supersede',
    undoDead: true,
    retry: { delay: () => 0, maxAttempts: 2 },
    stages: {
      book: {
        schema: Order,
        queueUrl: cloud.queueUrl('book'),
        undo: compensate(Order, { reserve: undoing(({ sku }) => sku ?? '') }),
      },
      ship: {
        schema: Order,
        queueUrl: cloud.queueUrl('ship'),
        final: true,
        undo: compensate(Order, { pack: undoing(({ sku }) => `packed ${sku}`) }),
      },
    },
    awaitingSteps: {
      payment: {
        schema: Payment,
        id: ({ paymentId }) => paymentId,
        queueUrl: cloud.queueUrl('quotes'),
        grace: '3h',
        ...(behaviour.timeout && { timeout: behaviour.timeout }),
        undo: compensate(Payment, {
          ticket: undoing(({ paymentId }) => `ticket ${paymentId}`),
          mail: (_payment, _ctx, made) => {
            undone.push(made)
          },
          note: 'keep',
        }),
      },
    },
  })
  const book = flow.stageHandler('book', async ({ sku }, ctx) => {
    await ctx.write('reserve', stock(sku, 1))
    await ctx.awaitStep('payment', behaviour.ids ?? sku, () => {})
  })
  const pay = flow.answerHandler(
    'payment',
    async ({ paymentId }, ctx) => {
      await ctx.write('ticket', stock(`ticket ${paymentId}`, 1))
      await ctx.call('mail', () => `mail to ${paymentId}`)
      await ctx.next('ship', { key: ctx.key, sku: paymentId })
    },
    { onTimeout: (ctx) => behaviour.onTimeout?.(ctx) },
  )
  const ship = flow.stageHandler('ship', async ({ sku }, ctx) => {
    await ctx.write('pack', stock(`packed ${sku}`, 1))
    await behaviour.afterShip?.(sku)
  })
  const at = clock.now() - 10_000
  const { logger } = options
  const sweep = sweepHandler({ store, clock, logger, clients: { sqs: cloud.sqs } })
  return {
    flow,
    book,
    pay,
    ship,
    undone,
    payloads,
    names: () => undone.map(({ name }) => name),
    start: (id: string, sku: string, later = 0) =>
      flow.start({ key: 'k', sku }, { uniqueRequestId: id, sentAt: at + later }),
    count: async (id: string) =>
      (await store.readUser({ TableName: 'counts', Key: { id } }))?.['n'] ?? 0,
    parked: async (id: string) => {
      const [read] = await store.read([{ pk: 'flow#trip/k', sk: `dead#${id}` }], {
        consistent: true,
      })
      return read?.kind === 'found' ? read.item : undefined
    },
    /** Lets time pass, sweeps, and delivers whatever waits. */
    settle: async (after = 20 * 60_000): Promise<void> => {
      clock.advance(after)
      await sweep()
      for (let round = 0; round < 4; round++) {
        await deliver(cloud, 'book', book)
        await deliver(cloud, 'quotes', pay)
        await deliver(cloud, 'ship', ship)
      }
    },
  }
}
