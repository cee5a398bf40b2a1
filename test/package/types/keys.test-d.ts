import {
  idempotent,
  invocationHandler,
  lockTokens,
  onceForever,
  type InvocationContext,
  type Lock,
  type Store,
} from 'lineclear'
import { idempotency, jmespath } from 'lineclear/middy'
import { search } from '@aws-lambda-powertools/jmespath'
import { expectTypeOf, test } from 'vitest'

declare const store: Store

interface Order {
  readonly orderId: string
}

const ship = async ({ orderId }: Order): Promise<string> => orderId
const key = ({ orderId }: Order): string => orderId

test('an option by another name does not compile', () => {
  // @ts-expect-error the option is name
  idempotent({ store, key, scope: 'orders' }, ship)
  // @ts-expect-error the option is lease
  idempotent({ store, key, name: 'orders', lockTtl: '30s' }, ship)
  // @ts-expect-error replays always have their header, and onReplay can take it off
  idempotent({ store, key, name: 'orders', replayHeader: false }, ship)
  // @ts-expect-error a function with ctx is one of invocationHandler
  idempotent({ store, key, name: 'orders', effects: {} }, ship)
  // @ts-expect-error the option is key
  invocationHandler({ store, name: 'orders', id: key }, async (_order: Order) => 1)
  // @ts-expect-error the option is timeoutMargin
  idempotency({ store, name: 'orders', timeoutEarly: '2s' })
  // @ts-expect-error the option is name
  lockTokens({ store, scope: 'refunds' })
  // @ts-expect-error the option is name
  onceForever({ store, scope: 'callbacks' })
  idempotent({ store, key, name: 'orders', lease: '30s' }, ship)
  idempotency({ store, name: 'orders', timeoutMargin: '2s' })
})

test('the store is one of the options', () => {
  // @ts-expect-error one object
  lockTokens(store, { name: 'refunds' })
  // @ts-expect-error one object
  onceForever(store, { name: 'callbacks' })
})

test('a lock has five verbs', async () => {
  const lock = await lockTokens<string>({ store, name: 'refunds', takeOver: false }).begin(
    't',
    'me',
    1,
  )
  if (lock.existing !== undefined) return
  expectTypeOf(lock).toEqualTypeOf<Lock<string>>()
  expectTypeOf<keyof Lock<string>>().toEqualTypeOf<
    'existing' | 'fence' | 'endWithSuccess' | 'endWithError' | 'release'
  >()
  // @ts-expect-error endWithError(new TerminalError(…))
  void lock.fail
  // @ts-expect-error endWithError
  void lock.endWithThrown
})

test('only the handler of an invocation has ctx', () => {
  invocationHandler({ store, name: 'orders' }, async (_: Order, ctx) => {
    expectTypeOf(ctx).toExtend<InvocationContext>()
  })
  // @ts-expect-error the second argument is what the caller gives
  void idempotent(
    { store, key, name: 'orders' },
    async (_: Order, ctx: InvocationContext) => ctx,
  )({ orderId: '1' })
})

test('an expression names the library that reads it', () => {
  jmespath('orderId', { search })
  // @ts-expect-error the library is missing
  jmespath('orderId')
  // @ts-expect-error its search is missing
  jmespath('orderId', {})
})
