import { absent, anyOf, atLeast, exists, newerThan } from 'lineclear'
import { describe, expect, it } from 'vitest'
import type { RecordContext } from '../../src/library/run/context/context.ts'
import { attemptOf, store as openStore } from './attemptOf.ts'

/** As JavaScript, or a cast, lets it through. */
interface Loose {
  get(target?: unknown): Promise<unknown>
  write(name?: unknown, write?: unknown): Promise<unknown>
}

const target = { TableName: 'stock', Key: { sku: 's' } }
class Money {
  readonly cents = 5
}

const MISTAKES: readonly [string, (ctx: Loose) => Promise<unknown>, string][] = [
  // Names of the AWS SDK, and slips.
  [
    'a write with Item',
    (ctx) => ctx.write('a', { ...target, Item: { a: 1 } }),
    `ctx.write('a') on table "stock": "Item" is not known here: expected TableName, Key, guard, put, set, add, remove, delete, check, raw. Nothing was written.`,
  ],
  [
    'a write with Set',
    (ctx) => ctx.write('a', { ...target, Set: { a: 1 } }),
    `ctx.write('a') on table "stock": "Set" is not known here: write 'set'. Nothing was written.`,
  ],
  [
    'write({ UpdateExpression })',
    (ctx) => ctx.write('a', { ...target, UpdateExpression: 'ADD n :n' }),
    `ctx.write('a') on table "stock": "UpdateExpression" is not known here: expected TableName, Key, guard, put, set, add, remove, delete, check, raw. Nothing was written.`,
  ],
  [
    'add with ConditionExpression',
    (ctx) => ctx.write('a', { ...target, add: { n: -1 }, ConditionExpression: 'n > 0' }),
    `ctx.write('a') on table "stock": "ConditionExpression" is not known here: expected TableName, Key, guard, put, set, add, remove, delete, check, raw. Nothing was written.`,
  ],
  [
    'a misspelt name',
    (ctx) => ctx.write('a', { ...target, set: { a: 1 }, gaurd: exists() }),
    `ctx.write('a') on table "stock": "gaurd" is not known here: write 'guard'. Nothing was written.`,
  ],
  [
    'get({ ConsistentRead })',
    (ctx) => ctx.get({ ...target, ConsistentRead: true }),
    `ctx.get: "ConsistentRead" is not known here: expected TableName, Key. Nothing was read.`,
  ],
  [
    'get({ tableName })',
    (ctx) => ctx.get({ tableName: 'stock', Key: { sku: 's' } }),
    `ctx.get: "tableName" is not known here: write 'TableName'. Nothing was read.`,
  ],
  // Nothing to write.
  [
    'an empty write',
    (ctx) => ctx.write('a', target),
    `ctx.write('a') on table "stock": there is nothing to write: expected { TableName, Key } with set, add, remove, put, delete: true or check, or a list of such; got TableName, Key. Nothing was written.`,
  ],
  [
    'an update of nothing',
    (ctx) => ctx.write('a', { ...target, set: { note: undefined }, remove: [] }),
    `ctx.write('a') on table "stock": there is nothing to write: set, add and remove name no attribute. Nothing was written.`,
  ],
  [
    'no write at all',
    (ctx) => ctx.write('a'),
    `ctx.write('a'): expected { TableName, Key } with set, add, remove, put, delete: true or check, or a list of such; got nothing. Nothing was written.`,
  ],
  ['an empty list', (ctx) => ctx.write('a', []), `ctx.write('a'): expected 1 to 99 writes`],
  [
    'too many writes',
    (ctx) =>
      ctx.write(
        'a',
        Array.from({ length: 100 }, () => ({ ...target, set: { a: 1 } })),
      ),
    'got 100',
  ],
  [
    'two writes on one item',
    (ctx) =>
      ctx.write('a', [
        { ...target, set: { a: 1 } },
        { ...target, add: { b: 1 } },
      ]),
    `ctx.write('a'): writes 0 and 1 are on one item of table "stock": make one write of them. Nothing was written.`,
  ],
  [
    'put and set in one write',
    (ctx) => ctx.write('a', { ...target, put: {}, set: { a: 1 } }),
    'put and set cannot be in one write; give a list of writes',
  ],
  [
    'a mistake in the second of a list',
    (ctx) =>
      ctx.write('a', [
        { ...target, set: { a: 1 } },
        { TableName: 'stock', Key: {} },
      ]),
    `ctx.write('a'), write 1 on table "stock": Key: expected the attributes of the table's key`,
  ],
  // Tables and keys.
  [
    'no table',
    (ctx) => ctx.write('a', { Key: { sku: 's' }, put: {} }),
    "ctx.write('a'): TableName: expected the name of a table (is its environment variable set?); got nothing. Nothing was written.",
  ],
  ['an empty table', (ctx) => ctx.get({ TableName: '', Key: { sku: 's' } }), 'got an empty text'],
  [
    'no key',
    (ctx) => ctx.write('a', { TableName: 'stock', delete: true }),
    `ctx.write('a') on table "stock": Key:`,
  ],
  [
    'a key that is not there',
    (ctx) => ctx.get({ TableName: 'stock', Key: { sku: undefined } }),
    `ctx.get on table "stock": Key: sku: expected a text that is not empty, a finite number or bytes; got nothing. Nothing was read.`,
  ],
  [
    'an empty key',
    (ctx) => ctx.write('a', { ...target, Key: { sku: '' }, put: {} }),
    'got an empty text',
  ],
  [
    'a key that is NaN',
    (ctx) => ctx.write('a', { ...target, Key: { n: Number.NaN }, put: {} }),
    'got NaN',
  ],
  [
    'a key of a boolean',
    (ctx) => ctx.write('a', { ...target, Key: { b: true }, put: {} }),
    'a boolean',
  ],
  // Values.
  [
    'a Date',
    (ctx) => ctx.write('a', { ...target, put: { at: new Date(0) } }),
    `ctx.write('a') on table "stock": at: expected a text or a number, such as toISOString() or getTime(); got a Date. Nothing was written.`,
  ],
  [
    'a Date deep inside',
    (ctx) => ctx.write('a', { ...target, set: { log: [{ at: new Date(0) }] } }),
    'log[0].at: expected a text or a number',
  ],
  [
    'a Map',
    (ctx) => ctx.write('a', { ...target, put: { prices: new Map() } }),
    'prices: expected a plain object, such as Object.fromEntries(map); got a Map',
  ],
  [
    'a forgotten await',
    (ctx) => ctx.write('a', { ...target, put: { order: Promise.resolve({}) } }),
    'order: expected a value; got a Promise (is an await missing?)',
  ],
  [
    'NaN',
    (ctx) => ctx.write('a', { ...target, put: { n: Number.NaN } }),
    'n: expected a finite number; got NaN',
  ],
  [
    'an infinity',
    (ctx) => ctx.write('a', { ...target, put: { n: 1 / 0 } }),
    'n: expected a finite number',
  ],
  ['a function', (ctx) => ctx.write('a', { ...target, put: { n: () => 1 } }), 'n: expected a text'],
  [
    'an object of a class',
    (ctx) => ctx.write('a', { ...target, put: { price: new Money() } }),
    'price: expected a plain object, such as { ...object }; got an object of class Money',
  ],
  [
    'nothing in a list',
    (ctx) => ctx.write('a', { ...target, put: { a: [undefined] } }),
    'a[0]: expected',
  ],
  [
    'a mixed Set',
    (ctx) => ctx.write('a', { ...target, put: { a: new Set([1, 'a']) } }),
    'a: expected a Set',
  ],
  [
    'put of a text',
    (ctx) => ctx.write('a', { ...target, put: 'a' }),
    'put: expected a plain object',
  ],
  [
    'put of a class',
    (ctx) => ctx.write('a', { ...target, put: new Money() }),
    'got an object of class Money',
  ],
  [
    'remove of a text',
    (ctx) => ctx.write('a', { ...target, remove: 'note' }),
    "such as ['note']; got a text",
  ],
  [
    'an amount that is a text',
    (ctx) => ctx.write('a', { ...target, add: { n: '5' } }),
    'add: n: expected a finite number; got a text',
  ],
  [
    'delete: 1',
    (ctx) => ctx.write('a', { ...target, delete: 1 }),
    'delete: expected true; got a number',
  ],
  // Guards.
  [
    'a guard that is none',
    (ctx) => ctx.write('a', { ...target, put: {}, guard: { newerThan: ['at', 5] } }),
    `ctx.write('a') on table "stock": guard: expected a guard, such as exists(), atLeast('available', 2) or newerThan('updatedAt', ctx.sentAt); got an object. Nothing was written.`,
  ],
  [
    'a guard that was not called',
    (ctx) => ctx.write('a', { ...target, put: {}, guard: exists }),
    'a function',
  ],
  [
    'a list within a list of guards',
    (ctx) => ctx.write('a', { ...target, put: {}, guard: [[exists()]] }),
    'got a list',
  ],
  [
    'a time that is a text',
    (ctx) => ctx.write('a', { ...target, put: {}, guard: newerThan('at', '5' as never) }),
    "guard: newerThan('at'): expected a time in epoch milliseconds (not seconds), such as ctx.sentAt; got a text",
  ],
  [
    'an order of booleans',
    (ctx) => ctx.write('a', { ...target, put: {}, guard: atLeast('a', true as never) }),
    "guard: atLeast('a'): expected a number, a text or bytes; got a boolean",
  ],
  [
    'no guard in a list',
    (ctx) => ctx.write('a', { ...target, put: {}, guard: [] }),
    'guard: expected at least one guard',
  ],
  [
    'newerThan in anyOf',
    (ctx) => ctx.write('a', { ...target, put: {}, guard: anyOf(newerThan('at', 5) as never) }),
    'put newerThan beside it in a list',
  ],
  [
    'check with guard',
    (ctx) => ctx.write('a', { ...target, check: exists(), guard: absent() }),
    "'check' is a guard itself",
  ],
  // Raw items.
  [
    'a raw item of two actions',
    (ctx) => ctx.write('a', { raw: { Put: {}, Delete: {} } }),
    "ctx.write('a'): raw: expected one of { Put }, { Update }, { Delete } or { ConditionCheck }",
  ],
  [
    'raw values in the form of the document client',
    (ctx) => ctx.write('a', { raw: { Put: { TableName: 't', Item: { id: 'a' } } } }),
    "raw: Put.Item.id: expected an AttributeValue, such as { S: 'a' }",
  ],
  [
    'raw beside other parts',
    (ctx) => ctx.write('a', { ...target, raw: { Delete: {} } }),
    '"TableName" is not known here',
  ],
  // Names.
  ['an empty name', (ctx) => ctx.write('', { ...target, set: { a: 1 } }), 'got an empty text'],
  ['no name', (ctx) => ctx.write({ ...target, set: { a: 1 } }), 'got an object'],
]

describe('refused at the call, before anything is written', () => {
  it.each(MISTAKES)('%s', async (_, call, text) => {
    const store = openStore()
    const { ctx, settled } = await attemptOf(store, 'first')
    const before = store.items()
    const refusal: unknown = await call(ctx as unknown as Loose).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'CONFIG', message: expect.stringContaining(text) })
    expect(store.items()).toEqual(before)
    expect(store.userItems('stock')).toEqual([])
    // Also a handler that swallows it has not done its work.
    await expect(settled()).rejects.toBe(refusal)
  })
})

describe('taken as it is meant', () => {
  interface Row {
    readonly status: string
    readonly note?: string | undefined
    readonly address?: { readonly city: string; readonly zip?: string | undefined }
  }
  const put = async (write: (ctx: RecordContext) => Promise<unknown>) => {
    const store = openStore()
    const { ctx } = await attemptOf(store, 'first')
    await write(ctx)
    return store.userItems('stock')
  }

  it('a row with optional fields: what is undefined is left out, also in a map', async () => {
    const row: Row = { status: 'new', note: undefined, address: { city: 'Berlin', zip: undefined } }
    const items = await put((ctx) => ctx.write('a', { ...target, put: row }))
    expect(items).toStrictEqual([{ sku: 's', status: 'new', address: { city: 'Berlin' } }])
  })

  it('a write keeps what it was given, also when it has to wait for its turn', async () => {
    const items = await put(async (ctx) => {
      const lines = ['a']
      const writes = [
        ctx.write('a', { ...target, put: {} }),
        ctx.write('b', { ...target, set: { lines } }),
      ]
      lines.push('b')
      await Promise.all(writes)
    })
    expect(items).toEqual([{ sku: 's', lines: ['a'] }])
  })

  it('parts and guards that are undefined are not there', async () => {
    const items = await put((ctx) =>
      ctx.write('a', {
        ...target,
        set: undefined,
        add: { n: 1 },
        remove: undefined,
        guard: undefined,
      }),
    )
    expect(items).toEqual([{ sku: 's', n: 1 }])
  })
})
