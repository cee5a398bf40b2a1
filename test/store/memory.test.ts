import { describe, expect, it } from 'vitest'
import { applyUpdate } from '../../src/library/adapters/store/memory/ownItems.ts'
import { applyUserWrite, sum } from '../../src/library/adapters/store/memory/userWrite.ts'
import type { Item, UserItem } from '../../src/library/protocol/store/store.ts'
import { memoryStore } from '../../src/library/adapters/store/memory/memoryStore.ts'

const KEY = { pk: 'p', sk: 's', format: 1 }
const CLAIM = { key: KEY, where: [] }

describe('applyUpdate', () => {
  it('leaves what it was given as it was', () => {
    const names = new Set(['a'])
    const item: Item = Object.freeze({ ...KEY, n: 1, names })
    const update = { ...CLAIM, set: { n: 2 }, addTo: { field: 'names', member: 'b' } }
    const after = { ...KEY, n: 2, names: new Set(['a', 'b']) }
    expect(applyUpdate(item, update)).toEqual({ kind: 'applied', item: after })
    expect(item).toEqual({ ...KEY, n: 1, names: new Set(['a']) })
  })

  it('refuses a missing item, even one that may be missing', () => {
    const update = { ...CLAIM, where: [{ absent: 'n' }] }
    expect(applyUpdate(undefined, update)).toEqual({ kind: 'refused', item: undefined })
  })
})

describe('applyUserWrite', () => {
  const write = { TableName: 'stock', Key: { id: '1' }, where: [] }

  it('starts a sum from nothing, and an item from its key', () => {
    const outcome = applyUserWrite(undefined, { ...write, add: { total: 5 } })
    expect(outcome).toEqual({ kind: 'applied', item: { id: '1', total: 5 } })
  })

  it('leaves what it was given as it was', () => {
    const list: UserItem[] = [{ a: 1 }]
    const outcome = applyUserWrite({ id: '1', list }, { ...write, set: { n: 1 } })
    expect(outcome).toEqual({ kind: 'applied', item: { id: '1', list: [{ a: 1 }], n: 1 } })
    expect(Object.isFrozen(list)).toBe(false)
  })
})

describe('sum', () => {
  it.each([
    [0.1, 0.2, 0.3],
    [1.1, 2.2, 3.3],
    [-0.5, 0.5, 0],
    [Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER],
    [Number.MAX_SAFE_INTEGER, 2, 9_007_199_254_740_993n],
    [9_007_199_254_740_993n, -2, Number.MAX_SAFE_INTEGER],
    [2n ** 70n, 1, 2n ** 70n + 1n],
  ])('of %s and %s is %s', (one, other, expected) => {
    expect(sum(one, other)).toBe(expected)
  })
})

describe('memoryStore', () => {
  it('cannot be changed through what went in or came out', async () => {
    const store = memoryStore()
    const given = { ...KEY, names: new Set(['a']) }
    const [created] = await store.create([given])
    const [refused] = await store.create([given])
    const [updated] = await store.update([{ ...CLAIM, set: { n: 1 } }])
    const [found] = await store.read([KEY])
    const [listed] = store.items()
    given.names.add('given')
    for (const outcome of [created, refused, updated, found, { item: listed }]) {
      const item = outcome !== undefined && 'item' in outcome ? outcome.item : undefined
      expect(Object.isFrozen(item)).toBe(true)
      const names = item?.['names']
      if (names instanceof Set) names.add('changed')
    }
    expect(store.items()).toEqual([{ ...KEY, names: new Set(['a']), n: 1 }])
  })

  it('keeps the values of the user’s tables to itself, all the way down', async () => {
    const store = memoryStore()
    await store.create([KEY])
    const bytes = Buffer.from([1, 2])
    const put = { list: [{ bytes, set: new Set([1]) }] }
    await store.transact(CLAIM, [{ TableName: 'stock', Key: { id: '1' }, where: [], put }])
    bytes[0] = 9
    put.list.push({ bytes, set: new Set([2]) })
    const stored = { id: '1', list: [{ bytes: new Uint8Array([1, 2]), set: new Set([1]) }] }
    const found = await store.readUser({ TableName: 'stock', Key: { id: '1' } })
    expect(found).toEqual(stored)
    expect(Object.isFrozen(found?.['list'])).toBe(true)
    expect(store.userItems('stock')).toEqual([stored])
    expect(store.userItems('another')).toEqual([])
  })

  it('returns the item after an update, among one or three, unless the caller does not need it', async () => {
    const store = memoryStore()
    await store.create([KEY])
    const change = { ...CLAIM, set: { n: 1 } }
    const applied = { kind: 'applied', item: { ...KEY, n: 1 } }
    const untold = { kind: 'applied', item: undefined }
    const refused = { kind: 'refused', item: { ...KEY, n: 1 } }
    const lost = { ...change, where: [{ absent: 'n' }], needsNoItem: true } as const
    const unneeded = { ...change, needsNoItem: true } as const
    expect(await store.update([change])).toEqual([applied])
    expect(await store.update([unneeded])).toEqual([untold])
    expect(await store.update([change, lost, unneeded])).toEqual([applied, refused, untold])
  })

  it('knows a key of the user’s by its values, not by their order or type', async () => {
    const store = memoryStore()
    await store.create([KEY])
    const write = { TableName: 'stock', where: [], add: { total: 1 } }
    await store.transact(CLAIM, [{ ...write, Key: { id: 'a', n: 1 } }])
    await store.transact(CLAIM, [{ ...write, Key: { n: 1n, id: 'a' } }])
    await store.transact(CLAIM, [{ ...write, Key: { n: '1', id: 'a' } }])
    expect(store.userItems('stock').map(({ total }) => total)).toEqual([2, 1])
  })
})
