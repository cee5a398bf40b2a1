import { absent, anyOf, atLeast, atMost, equals, exists, newerThan, type Store } from 'lineclear'
import { type Guards, unchanged } from '../../../src/library/run/context/guard/guard.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkWrites } from '../../../src/library/run/context/guard/checkWrite.ts'
import { compileWrite } from '../../../src/library/run/context/guard/compileGuard.ts'
import type { Write } from '../../../src/library/run/context/guard/write.ts'
import { dynamoDbStore } from '../../../src/library/adapters/store/dynamodb/index.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import { createTables, type Engine, startDynoxide } from '../../store/dynoxide.ts'
import type { UserItem } from '../../../src/library/protocol/store/store.ts'

const ITEM: UserItem = {
  status: 'open',
  available: 5,
  big: 9_007_199_254_740_993n,
  name: 'Ärger',
  tags: new Set(['new', 'sale']),
  sizes: new Set([1, 2]),
  lines: ['a', 7],
  nothing: null,
  bytes: new Uint8Array([1, 2]),
}

/** Whether the guard holds of the item above, and of an item that is not there. */
const GUARDS: readonly [string, Guards, boolean, boolean][] = [
  ['exists()', exists(), true, false],
  ['exists(field)', exists('status'), true, false],
  ['exists(null)', exists('nothing'), true, false],
  ['exists(missing)', exists('note'), false, false],
  ['absent()', absent(), false, true],
  ['absent(field)', absent('status'), false, true],
  ['absent(missing)', absent('note'), true, true],
  ['equals', equals('status', 'open'), true, false],
  ['equals another', equals('status', 'closed'), false, false],
  ['equals another type', equals('available', '5'), false, false],
  ['equals a set', equals('tags', new Set(['sale', 'new'])), true, false],
  ['equals null', equals('nothing', null), true, false],
  ['equals beyond 2^53', equals('big', 9_007_199_254_740_993n), true, false],
  ['equals its neighbour', equals('big', 9_007_199_254_740_992n), false, false],
  ['atLeast, the same', atLeast('available', 5), true, false],
  ['atLeast, less', atLeast('available', 4), true, false],
  ['atLeast, more', atLeast('available', 6), false, false],
  ['atLeast of a text', atLeast('available', '4'), false, false],
  ['atLeast of what is missing', atLeast('note', 0), false, false],
  ['atMost, the same', atMost('available', 5), true, false],
  ['atMost, more', atMost('available', 6), true, false],
  ['atMost, less', atMost('available', 4), false, false],
  ['texts in order', atMost('name', 'Ö'), true, false],
  ['bytes in order', atLeast('bytes', new Uint8Array([1])), true, false],
  ['anyOf, one', anyOf(absent(), equals('status', 'open')), true, true],
  ['anyOf, none', anyOf(exists('note'), equals('status', 'closed')), false, false],
  ['several', [exists(), anyOf(atLeast('available', 9), exists('tags'))], true, false],
  ['several, one does not hold', [exists(), atMost('available', 1)], false, false],
  ['unchanged beside them', [unchanged('status', 'open'), exists('tags')], true, false],
  ['newerThan beside them', [exists(), newerThan('at', 5)], true, false],
]

let engine: Engine
const stores = new Map<string, { readonly store: Store; readonly userTable: string }>()
beforeAll(async () => {
  engine = await startDynoxide()
  const client = engine.client()
  const { tableName, userTable } = await createTables(client)
  stores.set('DynamoDB', { store: dynamoDbStore({ tableName, client }), userTable })
  stores.set('memory', { store: memoryStore(), userTable: 'stock' })
})
afterAll(() => engine.stop())

describe.each(['memory', 'DynamoDB'])('guards on %s', (name) => {
  let written = 0
  /** One transaction, as an attempt would make it, on an item that is there, or on none. */
  async function applied(item: UserItem | undefined, change: object): Promise<boolean> {
    const { store, userTable } = stores.get(name) ?? { store: memoryStore(), userTable: '' }
    const id = `item-${(written += 1)}`
    const key = { pk: id, sk: 'token' }
    await store.create([key])
    const target = { TableName: userTable, Key: { id } }
    const write = async (given: Write): Promise<string> => {
      const checked = checkWrites('ctx.write', given)
      const requester = { uniqueRequestId: 'r', now: 1_000 }
      const writes = checked.map((each) => compileWrite(each, requester))
      return (await store.transact({ key, where: [], set: { n: 1 } }, writes)).kind
    }
    if (item !== undefined) await write({ ...target, put: item })
    const kind = await write({ ...target, ...change } as never)
    const found = await store.readUser(target)
    if (kind === 'refused' && found?.['changed'] !== undefined)
      throw new Error('written all the same')
    return kind === 'applied'
  }

  it.each(GUARDS)('%s', async (_, guard, ofItem, ofNone) => {
    const set = { changed: true }
    expect(await applied(ITEM, { set, guard })).toBe(ofItem)
    expect(await applied(undefined, { set, guard })).toBe(ofNone)
  })

  it('stand on a put, a delete, an addition and a check alike', async () => {
    const guard = atLeast('available', 6)
    expect(await applied(ITEM, { put: { changed: true }, guard })).toBe(false)
    expect(await applied(ITEM, { delete: true, guard })).toBe(false)
    expect(await applied(ITEM, { add: { changed: 1 }, guard })).toBe(false)
    expect(await applied(ITEM, { check: guard })).toBe(false)
    expect(await applied(ITEM, { check: exists() })).toBe(true)
  })
})
