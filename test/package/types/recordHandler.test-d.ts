import { SNSClient } from '@aws-sdk/client-sns'
import type { SQSBatchResponse, SQSHandler } from 'aws-lambda'
import {
  circuitBreaker,
  producer,
  recordHandler,
  type RecordHandlerOptions,
  snsTopic,
  type Written,
} from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import * as v from 'valibot'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'

const store = memoryStore()
const OrderPlaced = z.object({ orderId: z.string(), quantity: z.coerce.number() })

test('the payload has the type of the schema, without annotation', () => {
  recordHandler({ name: 'orders', store, schema: OrderPlaced }, (order) => {
    expectTypeOf(order).toEqualTypeOf<{ orderId: string; quantity: number }>()
  })
  recordHandler({ name: 'orders', store, schema: v.object({ id: v.string() }) }, (order) => {
    expectTypeOf(order).toEqualTypeOf<{ id: string }>()
  })
})

test('a client, a clock or a logger that may be undefined can be passed on', () => {
  const given: Pick<RecordHandlerOptions, 'clients' | 'clock' | 'logger'> = {}
  const { clients, clock, logger } = given
  const { sqs, sns } = clients ?? {}
  recordHandler({ name: 'orders', store, clients, clock, logger }, () => {})
  producer({ clients: { sqs, sns }, clock })
  recordHandler({ name: 'orders', store, clients: { sns: new SNSClient() } }, () => {})
  // @ts-expect-error no client
  recordHandler({ name: 'orders', store, clients: { sns: {} } }, () => {})
})

test('a name of an earlier version is refused as any other that does not exist', () => {
  // @ts-expect-error 'sqs' does not exist: it is in clients
  recordHandler({ name: 'orders', store, sqs: undefined }, () => {})
  // @ts-expect-error 'reserve' does not exist
  recordHandler({ name: 'orders', store, reserve: '1s' }, () => {})
  // @ts-expect-error 'brake' does not exist
  recordHandler({ name: 'orders', store, brake: undefined }, () => {})
  // @ts-expect-error 'results' does not exist
  recordHandler({ name: 'orders', store, results: undefined }, () => {})
  // @ts-expect-error 'payloads' does not exist
  recordHandler({ name: 'orders', store, payloads: undefined }, () => {})
  // @ts-expect-error 'topics' does not exist
  recordHandler({ name: 'orders', store, topics: 'any' }, () => {})
  // @ts-expect-error a topic is named by snsTopic()
  recordHandler({ name: 'orders', store, envelopes: ['arn:aws:sns:eu-west-1:1:t'] }, () => {})
  // @ts-expect-error at least one topic
  snsTopic()
  // @ts-expect-error 'of' does not exist
  circuitBreaker({ after: 5, of: () => true })
})

test('without a schema the payload is unknown', () => {
  recordHandler({ name: 'orders', store }, (order) => {
    expectTypeOf(order).toEqualTypeOf<unknown>()
  })
})

test('id is given the payload of the schema', () => {
  recordHandler(
    {
      name: 'orders',
      store,
      schema: OrderPlaced,
      id: (order) => {
        expectTypeOf(order).toEqualTypeOf<{ orderId: string; quantity: number }>()
        return order.orderId
      },
    },
    () => {},
  )
})

test('the handler is one for Lambda', () => {
  const handler = recordHandler({ name: 'orders', store }, () => {})
  expectTypeOf(handler).returns.resolves.toEqualTypeOf<SQSBatchResponse>()
  const lambda: SQSHandler = handler
  expectTypeOf(lambda).toBeFunction()
})

test('a handler for another payload does not compile', () => {
  // @ts-expect-error the schema gives { orderId, quantity }
  recordHandler({ name: 'orders', store, schema: OrderPlaced }, (cart: { cartId: string }) => cart)
})

test('options that do not exist, or miss, do not compile', () => {
  // @ts-expect-error no name
  recordHandler({ store }, () => {})
  // @ts-expect-error no store
  recordHandler({ name: 'orders' }, () => {})
  // @ts-expect-error a misspelt option
  recordHandler({ name: 'orders', store, retries: { maxAttempts: 3 } }, () => {})
  // @ts-expect-error not a duration
  recordHandler({ name: 'orders', store, retention: '30 days' }, () => {})
})

test('what is called once gives its own type, and so does its replay', () => {
  recordHandler({ name: 'orders', store }, async (_, ctx) => {
    const receipt = await ctx.call('charge', ({ idempotencyKey }) => ({
      id: idempotencyKey,
      cents: 12,
    }))
    expectTypeOf(receipt).toEqualTypeOf<{ id: string; cents: number }>()
    await ctx.call('mail', () => 1, { ifUnknown: 'stop' })
    await ctx.call('refund', () => 1, { ifUnknown: () => ({ outcome: 'done', result: 2 }) })
    // @ts-expect-error 'repeat', 'stop' or a function that finds out
    await ctx.call('charge', () => 1, { ifUnknown: 'verify' })
    // @ts-expect-error it gives another result than the call
    await ctx.call('charge', () => 1, { ifUnknown: () => ({ outcome: 'done', result: 'a' }) })
    // @ts-expect-error the option is called ifUnknown
    await ctx.call('charge', () => 1, { effect: 'once' })
  })
})

test('a write is made once, under a name', () => {
  recordHandler({ name: 'orders', store }, async (_, ctx) => {
    const target = { TableName: 'stock', Key: { sku: 'a' } }
    const written = await ctx.write('reserve', { ...target, add: { reserved: 1 } })
    expectTypeOf(written).toEqualTypeOf<Written>()
    // @ts-expect-error a write without a name
    await ctx.write({ ...target, add: { reserved: 1 } })
    // @ts-expect-error every attempt would write again
    void ctx.put
    // @ts-expect-error every attempt would write again
    void ctx.update
    // @ts-expect-error every attempt would delete again
    void ctx.delete
    // @ts-expect-error throw new RetryableError('…', { retryAfter: '30s' })
    void ctx.defer
    // @ts-expect-error ctx.envelope.carried.resendNumber
    void ctx.retryCount
  })
})

test('the context cannot be changed', () => {
  recordHandler({ name: 'orders', store }, (_, ctx) => {
    // @ts-expect-error readonly
    ctx.attempt = 2
  })
})

test('a result that means failure or unfinished work does not compile', () => {
  const options = { name: 'orders', store } as const
  recordHandler(options, () => {})
  recordHandler(options, async (_, ctx) => ctx.write('a', { TableName: 't', Key: {}, put: {} }))
  recordHandler(options, (_, ctx) =>
    Promise.all([1, 2].map(() => ctx.get({ TableName: 't', Key: {} }))),
  )
  // @ts-expect-error a partial batch response
  recordHandler(options, async () => ({ batchItemFailures: [{ itemIdentifier: 'm' }] }))
  // @ts-expect-error an HTTP answer
  recordHandler(options, async () => ({ statusCode: 500 }))
  // @ts-expect-error a rejection may be among them
  recordHandler(options, () => Promise.allSettled([Promise.resolve()]))
  // @ts-expect-error promises that nothing waits for
  recordHandler(options, () => [Promise.resolve()])
  // @ts-expect-error a generator
  recordHandler(options, async function* () {})
  // @ts-expect-error a function
  recordHandler(options, () => () => {})
  // @ts-expect-error a Response may not be ok
  recordHandler(options, () => fetch('http://localhost'))
})
