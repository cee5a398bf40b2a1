import { expect, it } from 'vitest'
import { isObject } from '../../../src/library/base/kindOf.ts'
import type { Store, Update, UserWrite } from '../../../src/library/protocol/store/store.ts'
import { items, KEY, openStore } from './openStore.ts'
import { operationOf, type Sent, textOf } from './recordingHandler.ts'

const BUMP: Update = {
  key: KEY,
  where: [
    { field: 'fence', is: '=', value: 3 },
    { any: [{ absent: 'a' }, { field: 'a', is: '<>', value: true }] },
    { all: [{ exists: 'b' }, { field: 'names', lacks: 'm' }] },
  ],
  set: { status: 'DONE', n: 1 },
  remove: ['c', 'd'],
  addTo: { field: 'names', member: 'm' },
}
const CHECK: Update = { key: KEY, where: [{ all: [] }, { any: [] }] }
const TableName = 'users'
const Key = { id: 'u' }
const WRITES: readonly UserWrite[] = [
  {
    TableName,
    Key,
    where: [{ absent: 'id' }],
    put: { n: 1n, list: [1, 'a', null], none: new Set<string>() },
  },
  { TableName, Key, where: [{ exists: 'id' }], delete: true },
  { TableName, Key, where: [], set: { map: { a: true } }, add: { n: 2 }, remove: ['x'] },
  { TableName, Key, where: [{ field: 'tags', is: '<>', value: 't' }] },
  { TableName, Key, where: [] },
]
const RAW = {
  raw: { ConditionCheck: { TableName, Key: { id: { S: 'r' } }, ConditionExpression: 'x' } },
}
const AFTER = { key: { pk: 'a b', sk: 's' }, dueAt: '5' }

const CALLS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  'one creation': (store) =>
    store.create(items(1, { n: 1, yes: true, names: new Set(['a']), none: new Set() })),
  'three creations': (store) => store.create(items(3, { n: 1, none: new Set() })),
  'one update': (store) => store.update([BUMP]),
  'one update whose item is not needed': (store) => store.update([{ ...BUMP, needsNoItem: true }]),
  'one check': (store) => store.update([CHECK]),
  'three updates': (store) =>
    store.update([
      BUMP,
      { ...BUMP, key: { pk: 'q', sk: 's' }, needsNoItem: true },
      { key: { pk: 'r', sk: 's' }, where: [], remove: ['c'] },
    ]),
  'one read': (store) => store.read([KEY], { consistent: true }),
  'two reads of three keys': (store) => store.read([...items(2), ...items(1)]),
  'the first page': (store) => store.due({ statusShard: 'OPEN#1', until: 9, most: 5 }),
  'a later page': (store) => {
    const { key, dueAt } = AFTER
    const after = `${dueAt} ${encodeURIComponent(key.pk)} ${key.sk}`
    return store.due({ statusShard: 'OPEN#1', from: 2, until: 9, most: 5, after })
  },
  'a transaction': (store) => store.transact(BUMP, [...WRITES, RAW]),
  'a transaction that creates the claim': (store) =>
    store.transact({ create: { ...KEY, n: 1 } }, []),
  'a row of the user’s': (store) => store.readUser({ TableName, Key }),
}

/** The SDK has an order of its own for the members, and the token of a transaction is random. */
function inputOf(sent: Sent): unknown {
  return JSON.parse(textOf(sent), (name, value: unknown) => {
    if (name === 'ClientRequestToken') return '…'
    return isObject(value) && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value
  })
}

it.each(Object.keys(CALLS))('%s: what is sent, without the SDK as through it', async (name) => {
  const sent: string[] = []
  for (const way of ['bySdk', 'store'] as const) {
    const opened = openStore()
    await CALLS[name]?.(opened[way])
    const texts = opened.requests.map(
      (one) => `${operationOf(one)} ${JSON.stringify(inputOf(one))}`,
    )
    sent.push(texts.join('\n'))
  }
  expect(sent[1]).toBe(sent[0])
  expect(sent[0]).toMatchSnapshot()
})
