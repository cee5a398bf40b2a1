import {
  absent,
  anyOf,
  atLeast,
  equals,
  exists,
  newerThan,
  type RecordContext,
  type Write,
  type Written,
} from 'lineclear'
import { expectTypeOf, test } from 'vitest'

declare const ctx: RecordContext
const target = { TableName: 'stock', Key: { sku: 'a' } }

interface Line {
  readonly sku: string
  readonly quantity: number
}
interface Order {
  readonly status: string
  readonly note?: string
  readonly lines: readonly Line[]
  readonly seen?: ReadonlySet<string>
}
declare const order: Order
const lineOf = ({ sku, quantity }: Line) => ({
  TableName: 'lines',
  Key: { sku },
  set: { quantity },
})

test('rows may be declared by interface, with optional fields, lists and maps of interfaces', () => {
  void ctx.write('a', { ...target, put: order })
  void ctx.write('a', { ...target, put: { ...order, note: undefined } })
  void ctx.write('a', { ...target, set: order })
  void ctx.write('a', { ...target, set: { order }, guard: exists() })
  void ctx.write('a', { ...target, set: order, add: { count: 1 } })
})

test('what was read can be written again', async () => {
  const item = await ctx.get(target)
  expectTypeOf(item).toExtend<Readonly<Record<string, unknown>> | undefined>()
  const row = await ctx.get<Order>(target)
  expectTypeOf(row).toEqualTypeOf<Order | undefined>()
  if (item !== undefined) void ctx.write('a', { ...target, put: item })
  if (row !== undefined) void ctx.write('a', { ...target, put: row })
  void ctx.write('a', { ...target, put: { version: item?.['version'] ?? 0 } })
})

test('writes that were declared beforehand fit', () => {
  const put: Write = { ...target, put: { a: 1 } }
  const update: Write = { ...target, remove: ['a'] }
  const any = put as Write
  const many: readonly Write[] = [put, update]
  void ctx.write('a', put)
  void ctx.write('b', any)
  void ctx.write('c', [put, update])
  void ctx.write('d', many)
  void ctx.write('e', [...order.lines.map(lineOf), update])
  void ctx.write('f', [update, ...order.lines.map(lineOf), ...many])
})

test('guards stand on every write', () => {
  void ctx.write('a', { ...target, put: {}, guard: absent() })
  void ctx.write('a', { ...target, set: { a: 1 }, guard: [exists(), newerThan('at', 1)] })
  void ctx.write('a', { ...target, delete: true, guard: equals('status', 'old') })
  void ctx.write('a', { ...target, add: { n: -1 }, guard: atLeast('n', 1) })
  void ctx.write('a', { ...target, put: {}, guard: anyOf(absent(), exists('a')) })
})

test('a list of writes is one effect, and says what was not met', async () => {
  const written = await ctx.write('sell', [
    { ...target, add: { available: -2 }, guard: atLeast('available', 2) },
    { TableName: 'orders', Key: { id: 'o' }, put: order },
    { TableName: 'carts', Key: { id: 'c' }, delete: true },
    { TableName: 'customers', Key: { id: 'c' }, check: exists() },
    { raw: { Delete: { TableName: 't', Key: { id: { S: 'a' } } } } },
  ])
  expectTypeOf(written).toEqualTypeOf<Written>()
  if (!written.applied) expectTypeOf(written.index).toEqualTypeOf<number>()
})

test('names of the AWS SDK do not compile, also through a variable', () => {
  const item = { ...target, put: {}, Item: { a: 1 } }
  // @ts-expect-error "write 'put'"
  void ctx.write('a', item)
  const expression = { ...target, add: { n: -1 }, ConditionExpression: 'n > :one' }
  // @ts-expect-error "write 'guard', such as exists() or atLeast('available', 1)"
  void ctx.write('a', expression)
  const set = { ...target, set: { a: 1 }, Set: { b: 1 } }
  // @ts-expect-error "write 'set'"
  void ctx.write('a', set)
  const update = { ...target, set: { a: 1 }, UpdateExpression: 'ADD n :n' }
  // @ts-expect-error "write 'set', 'remove' or 'add'"
  void ctx.write('a', update)
})

test('nor do other names that do not exist, also in one write of a list', () => {
  const slip = { ...target, set: { a: 1 }, gaurd: exists() }
  // @ts-expect-error "'gaurd' is not known here"
  void ctx.write('a', slip)
  // @ts-expect-error "'gaurd' is not known here"
  void ctx.write('a', slip)
  // @ts-expect-error "'gaurd' is not known here"
  void ctx.write('a', [{ ...target, set: { a: 1 } }, slip])
  // @ts-expect-error "'gaurd' is not known here"
  void ctx.write('a', { ...target, delete: true, gaurd: exists() })
})

test('nor does a write of nothing', () => {
  // @ts-expect-error nothing is written
  void ctx.write('a', target)
  // @ts-expect-error a guard alone: say check
  void ctx.write('a', { ...target, guard: exists() })
  // @ts-expect-error nothing is written by the second one
  void ctx.write('a', [{ ...target, set: { a: 1 } }, target])
  // This is what the compiler says is missing.
  type Expected = Parameters<typeof ctx.write<typeof target>>[1]
  const missing: keyof Expected = 'put, set, remove, add, delete: true or check'
  void missing
})

test('nor do two writes in one', () => {
  // @ts-expect-error put, delete and check are a write each
  void ctx.write('a', { ...target, put: { a: 1 }, add: { n: 1 } })
  // @ts-expect-error put, delete and check are a write each
  void ctx.write('a', { ...target, set: { a: 1 }, delete: true })
  // @ts-expect-error put, delete and check are a write each
  void ctx.write('a', [{ ...target, put: {}, check: exists() }])
  // @ts-expect-error a check is a guard itself
  void ctx.write('a', { ...target, check: exists(), guard: absent() })
  const both = { ...target, put: { a: 1 }, add: { n: 1 } }
  // This is what the compiler says is missing.
  type Expected = Parameters<typeof ctx.write<typeof both>>[1]
  const missing: keyof Expected =
    'put, delete, check and raw are a write each: give a list of writes'
  void missing
})

test('nor do values that cannot be stored', () => {
  // @ts-expect-error a Date cannot be stored: use toISOString() or getTime()
  void ctx.write('a', { ...target, put: { at: new Date() } })
  // @ts-expect-error a Date cannot be stored: use toISOString() or getTime()
  void ctx.write('a', { ...target, set: { log: [{ at: new Date() }] } })
  // @ts-expect-error a Map cannot be stored: use Object.fromEntries(map)
  void ctx.write('a', { ...target, put: { prices: new Map<string, number>() } })
  // @ts-expect-error a Promise cannot be stored: is an await missing?
  void ctx.write('a', { ...target, put: { order: Promise.resolve(order) } })
  // @ts-expect-error a function cannot be stored
  void ctx.write('a', { ...target, put: { now: () => 1 } })
  // @ts-expect-error its type is unknown
  void ctx.write('a', { ...target, put: { payload: 1 as unknown } })
  // @ts-expect-error a Date cannot be stored: use toISOString() or getTime()
  void ctx.write('a', [{ ...target, put: { at: new Date() } }])
})

test('nor do keys that no table has', () => {
  const sku: string | undefined = Math.random() > 1 ? 'a' : undefined
  // @ts-expect-error it may be undefined
  void ctx.get({ TableName: 'stock', Key: { sku } })
  // @ts-expect-error no key is a boolean
  void ctx.write('a', { TableName: 'stock', Key: { sku: true }, put: {} })
  // @ts-expect-error the environment variable may be missing
  void ctx.write('a', { TableName: process.env['TABLE'], Key: { sku: 'a' }, put: {} })
})

test('nor do guards that are none', () => {
  // @ts-expect-error newerThan('at', 5)
  void ctx.write('a', { ...target, put: {}, guard: { newerThan: ['at', 5] } })
  // @ts-expect-error exists()
  void ctx.write('a', { ...target, put: {}, guard: exists })
  // @ts-expect-error a list is flat
  void ctx.write('a', { ...target, put: {}, guard: [[exists()]] })
  // @ts-expect-error newerThan writes its version, whichever of the others held
  void ctx.write('a', { ...target, put: {}, guard: anyOf(newerThan('at', 5), exists()) })
  // @ts-expect-error booleans have no order
  atLeast('open', true)
})
