import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context, Handler } from 'aws-lambda'
import { idempotent, lockTokens, onceForever } from 'lineclear'
import { jmespathOf } from './jmespathOf.ts'
import { idempotency } from 'lineclear/middy'
import { memoryStore } from 'lineclear/testing'
import { expect, expectTypeOf, it } from 'vitest'

interface Order {
  readonly id: string
  readonly amount: number
}
interface Receipt {
  readonly total: number
}

const store = memoryStore()
const charge = async (order: Order, currency: 'eur' | 'usd'): Promise<Receipt> => ({
  total: currency === 'eur' ? order.amount : 0,
})

/** Checked by the compiler: options infer the types of the function, and keep them. */
it('idempotent keeps arguments and result of its function', () => {
  const guarded = idempotent(
    { name: 'default', store, key: (order, currency) => [order.id, currency] },
    charge,
  )
  expectTypeOf(guarded).parameters.toEqualTypeOf<[order: Order, currency: 'eur' | 'usd']>()
  expectTypeOf(guarded).returns.resolves.toEqualTypeOf<Receipt>()
  expect(guarded).toBeTypeOf('function')
})

it('its options infer them without annotation', () => {
  idempotent(
    {
      name: 'default',
      store,
      key: (order) => {
        expectTypeOf(order).toEqualTypeOf<Order>()
        return order.id
      },
      tenant: (_, currency) => currency,
      payload: (order) => order.amount,
      when: (order) => order.amount > 0,
      validResponse: (receipt) => {
        expectTypeOf(receipt).toEqualTypeOf<Receipt>()
        return receipt.total > 0
      },
      onReplay: (receipt, { from }) => ({ total: receipt.total + from.length }),
    },
    charge,
  )
  idempotent(
    { name: 'default', store, key: jmespathOf('id'), validResponse: jmespathOf('total > `0`') },
    charge,
  )
  idempotent(
    { name: 'default', store, key: () => 'all', tenant: 'none', payload: 'ignore' },
    charge,
  )
  expect(() => idempotent({ name: 'default', store }, charge)).not.toThrow()
})

it('what does not fit does not compile', () => {
  // @ts-expect-error an order has no number
  idempotent({ name: 'default', store, key: (order) => typeof order.number }, charge)
  // @ts-expect-error not what the function returns
  idempotent({ name: 'default', store, onReplay: () => ({ sum: 1 }) }, charge)
  expect(() => {
    // @ts-expect-error a misspelt option
    idempotent({ name: 'default', store, keys: (order: Order) => order.id }, charge)
  }).toThrow(/keys/)
  expect(() => {
    // @ts-expect-error no store
    idempotent({ key: () => 'a' }, charge)
  }).toThrow(/store/)
  const guarded = idempotent({ name: 'default', store, key: (order) => order.id }, charge)
  // @ts-expect-error an argument is missing
  expectTypeOf(guarded).toBeCallableWith({ id: 'a', amount: 1 })
})

it('a Lambda handler stays one', () => {
  const handler = idempotent(
    { name: 'default', store, key: (event) => event.headers['x-request'] },
    async (event: APIGatewayProxyEvent, _context: Context): Promise<APIGatewayProxyResult> => ({
      statusCode: 200,
      body: event.path,
    }),
  )
  const lambda: Handler<APIGatewayProxyEvent, APIGatewayProxyResult> = handler
  expectTypeOf(handler).returns.resolves.toEqualTypeOf<APIGatewayProxyResult>()
  expect(lambda).toBe(handler)
})

it('a synchronous function becomes asynchronous', () => {
  const guarded = idempotent({ name: 'default', store, key: (n) => n }, (n: number) => n + 1)
  expectTypeOf(guarded).returns.resolves.toEqualTypeOf<number>()
  expect(guarded).toBeTypeOf('function')
})

it('the middleware types its options by the event they name', () => {
  const middleware = idempotency({ store, key: (event: APIGatewayProxyEvent) => event.body })
  expectTypeOf(middleware.before).returns.resolves.toEqualTypeOf<void>()
  // @ts-expect-error no such field
  idempotency({ store, key: (event: APIGatewayProxyEvent) => typeof event.payload })
  expect(middleware.after).toBeTypeOf('function')
})

it('lock tokens have the type of their result', async () => {
  const lock = await lockTokens<Receipt>({ store, name: 'default' }).begin('t', 'me', 1_000)
  if (lock.existing === undefined) {
    // @ts-expect-error not a receipt
    expectTypeOf(lock.endWithSuccess).toBeCallableWith({ sum: 1 })
    expectTypeOf(lock.fence).toEqualTypeOf<number>()
  } else {
    expectTypeOf(lock.existing.result).toEqualTypeOf<Receipt | undefined>()
  }
  expect(lock.existing).toBeUndefined()
})

it('onceForever returns what became of an event', () => {
  const once = onceForever({ store, name: 'default' })
  expectTypeOf(once.acquire).returns.resolves.toEqualTypeOf<boolean>()
  expectTypeOf(once.thenEnqueue).returns.resolves.toEqualTypeOf<
    'queued' | 'queued again' | 'duplicate'
  >()
  // @ts-expect-error no queue
  expectTypeOf(once.thenEnqueue).toBeCallableWith('a', {}, {})
  expect(once.acquire).toBeTypeOf('function')
})
