import { defineFlow, idempotent, type Logger, producer, recordHandler, type Store } from 'lineclear'
import { memoryStore, sqsRecord } from 'lineclear/testing'
import { z } from 'zod'
import { lambdaContext } from '../../deliver/lambdaContext.ts'

/** One unit of work, the `nth`. Each entry is set up once, as outside a handler, and without the option `sqs`. */
type Work = (nth: number) => Promise<unknown>

const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/1/work'
const Order = z.object({ orderId: z.string() })
const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** As a table whose items expire, and so that clients are made: `renew` takes all items away. */
export function forgetfulStore(): { readonly store: Store; renew(): void } {
  let now = memoryStore()
  return {
    renew: () => {
      now = memoryStore()
    },
    store: {
      create: (items) => now.create(items),
      update: (updates) => now.update(updates),
      read: (keys, options) => now.read(keys, options),
      due: (query) => now.due(query),
      transact: (claim, writes) => now.transact(claim, writes),
      readUser: (key) => now.readUser(key),
    },
  }
}

function shop(store: Store) {
  return defineFlow({
    name: 'shop',
    store,
    logger,
    key: ({ orderId }) => orderId,
    stages: { reserve: { schema: Order, queueUrl }, ship: { schema: Order, queueUrl } },
    awaitingSteps: { payment: { schema: Order, id: ({ orderId }) => orderId, queueUrl } },
  })
}

export const ENTRIES: Readonly<Record<string, (store: Store) => Work>> = {
  recordHandler(store) {
    const handler = recordHandler({ name: 'orders', store, logger }, async (_, ctx) => {
      await ctx.call('charge', () => 1)
      await ctx.send(queueUrl, { n: 1 })
    })
    return (nth) => handler({ Records: [sqsRecord({ nth })] }, lambdaContext())
  },
  flow(store) {
    const flow = shop(store)
    const reserve = flow.stageHandler('reserve', async (order, ctx) => ctx.next('ship', order))
    return async (nth) => {
      await flow.start({ orderId: `order-${nth}` })
      await reserve({ Records: [sqsRecord({ orderId: `order-${nth}` })] }, lambdaContext())
    }
  },
  idempotent(store) {
    const options = { store, logger, name: 'charges', key: (id: number) => `${id}` }
    const charge = idempotent(options, async (id: number) => ({ receipt: id }))
    return (nth) => charge(nth)
  },
  producer() {
    const orders = producer({ schema: Order, id: ({ orderId }) => orderId })
    return (nth) => orders.send(queueUrl, { orderId: `order-${nth}` })
  },
  answers(store) {
    const flow = shop(store)
    const reserve = flow.stageHandler('reserve', ({ orderId }, ctx) =>
      ctx.awaitStep('payment', orderId, () => {}),
    )
    const paid = flow.answerHandler('payment', () => {})
    return async (nth) => {
      const order = { orderId: `order-${nth}` }
      await reserve({ Records: [sqsRecord(order)] }, lambdaContext())
      await flow.answer('payment', order)
      await paid({ Records: [sqsRecord(order)] }, lambdaContext())
    }
  },
}
