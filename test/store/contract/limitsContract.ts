import { beforeEach, describe, expect, it } from 'vitest'
import * as DYNAMODB from '../../../src/library/base/limits/dynamodb.ts'
import type {
  Item,
  StoreKey,
  TransactOutcome,
  UserItem,
  UserWrite,
} from '../../../src/library/protocol/store/store.ts'
import type { OpenStore } from './openStore.ts'

const { partitionKeyBytes, sortKeyBytes } = DYNAMODB
const HALF = '\ud83d'
let tests = 0

/** Of this many bytes; characters of two bytes each show that they are counted in UTF-8. */
function bytes(count: number, start = ''): string {
  return start + 'é'.repeat((count - start.length) / 2) + 'x'.repeat((count - start.length) % 2)
}

const WRONG_KEYS: readonly [string, Item & StoreKey][] = [
  ['a partition key of 2,049 bytes', { pk: bytes(partitionKeyBytes + 1), sk: 's' }],
  ['a sort key of 1,025 bytes', { pk: 'p', sk: bytes(sortKeyBytes + 1) }],
  ['an empty partition key', { pk: '', sk: 's' }],
  ['an empty sort key', { pk: 'p', sk: '' }],
  ['half a character', { pk: `p${HALF}`, sk: 's' }],
]

/** A list in a list, and so on. */
function nested(levels: number): UserItem[string] {
  return levels === 0 ? 1 : [nested(levels - 1)]
}

const TOO_MUCH: readonly [string, UserItem][] = [
  ['a number of 39 digits', { n: 10n ** 38n + 1n }],
  ['1e126', { n: 1e126 }],
  ['-1e126 in a map', { m: { n: -1e126 } }],
  ['1e-131', { n: 1e-131 }],
  ['1e200 in a set', { s: new Set([1, 1e200]) }],
  ['one number twice in a set', { s: new Set([1, 1n]) }],
  ['33 levels', { deep: nested(32) }],
  ['an item of 401 KB', { text: 'x'.repeat(401 * 1024) }],
  ['many parts of 401 KB', { list: Array.from({ length: 401 }, () => 'x'.repeat(1024)) }],
  ['half a character', { text: `a${HALF}b` }],
  ['half a character in a list', { list: [{ text: HALF }] }],
  ['an empty set in a list', { list: [new Set<string>()] }],
  ['an empty name', { '': 1 }],
  ['a name of 64 KB', { ['n'.repeat(65_536)]: 1 }],
]

const JUST_ENOUGH: UserItem = {
  digits: 10n ** 38n - 1n,
  zeros: 10n ** 125n,
  least: 1e-130,
  fraction: 0.1,
  safe: Number.MAX_SAFE_INTEGER,
  unsafe: 2n ** 53n,
  odd: -(2n ** 53n + 1n),
  numbers: new Set([1, 2n ** 60n + 1n]),
  blobs: new Set([new Uint8Array([1]), new Uint8Array([2])]),
  deep: nested(31),
  list: [],
  map: {},
  text: '',
}

/** What DynamoDB accepts and refuses, on every store alike. */
export function limitsContract(open: () => OpenStore): void {
  const one = (): Item & StoreKey => ({ pk: `limit-${++tests}`, sk: 's', format: 1 })
  const store = (): OpenStore['store'] => open().store

  describe('limits of the framework’s items', () => {
    describe.each([1, 3])('among %i', (size) => {
      const others = (): (Item & StoreKey)[] => Array.from({ length: size - 1 }, one)

      it.each(WRONG_KEYS)('%s fails its own write only', async (_, wrong) => {
        const good = others()
        const created = await store().create([wrong, ...good])
        expect(created[0]).toMatchObject(FAILED)
        expect(created.slice(1).map(({ kind }) => kind)).toEqual(good.map(() => 'applied'))
        const updated = await store().update(
          [wrong, ...good].map((key) => ({ key, where: [], set: { a: 1 } })),
        )
        expect(updated[0]).toMatchObject(FAILED)
        expect(updated.slice(1).map(({ kind }) => kind)).toEqual(good.map(() => 'applied'))
      })

      it.each(WRONG_KEYS)('%s fails its own read only', async (_, wrong) => {
        const good = others()
        await store().create(good)
        const found = await store().read([wrong, ...good], { consistent: true })
        expect(found[0]).toMatchObject(FAILED)
        expect(found.slice(1)).toEqual(good.map((item) => ({ kind: 'found', item })))
      })

      it('an item of 400 KB is taken, one of a byte more is not', async () => {
        const [full, over] = [one(), one()].map((key) => filled(key))
        const good = others()
        const outcomes = await store().create([
          full ?? one(),
          { ...over, text: `${over?.text}x`, ...one() },
          ...good,
        ])
        expect(outcomes[0]).toEqual({ kind: 'applied', item: full })
        expect(outcomes[1]).toMatchObject(FAILED)
        expect(outcomes.slice(2).map(({ kind }) => kind)).toEqual(good.map(() => 'applied'))
      })
    })

    it('keys as long as they may be are taken', async () => {
      const start = one().pk
      const key = { pk: bytes(partitionKeyBytes, start), sk: bytes(sortKeyBytes) }
      expect(await store().create([key])).toEqual([
        { kind: 'applied', item: { ...key, format: 1 } },
      ])
      expect(await store().read([key])).toEqual([{ kind: 'found', item: { ...key, format: 1 } }])
    })

    it('an update may not make an item too large', async () => {
      const key = one()
      await store().create([{ ...key, a: 'x'.repeat(300 * 1024) }])
      const change = { key, where: [], set: { b: 'x'.repeat(101 * 1024) } }
      expect(await store().update([change])).toMatchObject([FAILED])
    })

    it('half a character in a value becomes U+FFFD', async () => {
      const key = one()
      await store().create([{ ...key, text: `a${HALF}` }])
      expect(await store().read([key], { consistent: true })).toEqual([
        { kind: 'found', item: { ...key, text: 'a\ufffd' } },
      ])
    })
  })

  describe('limits of the user’s items', () => {
    let claim: { key: Item & StoreKey; where: []; set: { touched: true } }
    beforeEach(async () => {
      const key = one()
      claim = { key, where: [], set: { touched: true } }
      await store().create([key])
    })
    const claimed = async (): Promise<boolean> => {
      const [found] = await store().read([claim.key], { consistent: true })
      return found?.kind === 'found' && found.item?.['touched'] === true
    }
    const target = (): { TableName: string; Key: UserItem; where: [] } => ({
      TableName: open().userTable,
      Key: { id: claim.key.pk },
      where: [],
    })
    const refused = async (write: UserWrite, code: string): Promise<string> => {
      const outcome = await store().transact(claim, [write])
      expect(outcome).toMatchObject({ kind: 'failed', error: { code } })
      expect(await claimed()).toBe(false)
      return messageOf(outcome)
    }

    it.each(TOO_MUCH)('%s is refused in a put, in a change and in a condition', async (_, item) => {
      await refused({ ...target(), put: item }, 'TERMINAL')
      await refused({ ...target(), set: item }, 'TERMINAL')
      expect(await store().readUser(target())).toBeUndefined()
    })

    it('what is just within them is taken, and comes back', async () => {
      expect(await store().transact(claim, [{ ...target(), put: JUST_ENOUGH }])).toEqual({
        kind: 'applied',
      })
      const item = await store().readUser(target())
      expect(item).toEqual({ ...target().Key, ...JUST_ENOUGH })
      await store().transact(claim, [{ ...target(), set: { again: item?.['odd'] ?? null } }])
      expect(await store().readUser(target())).toMatchObject({ again: JUST_ENOUGH['odd'] })
    })

    it.each<[UserItem[string], UserItem[string]]>([
      [5n, 5],
      [-0, 0],
      [2 ** 53, 2n ** 53n],
      [1e21, 10n ** 21n],
      [1e25, 10n ** 25n],
      [-1e25, -(10n ** 25n)],
      [1.5, 1.5],
      [0.1 + 0.2, 0.300_000_000_000_000_04],
      [5e-7, 5e-7],
      [new Set([1e25]), new Set([10n ** 25n])],
      [{ deep: [2n ** 63n] }, { deep: [2n ** 63n] }],
    ])('%s comes back as %s, and is equal to itself', async (given, back) => {
      await store().transact(claim, [{ ...target(), put: { value: given } }])
      expect(await store().readUser(target())).toEqual({ ...target().Key, value: back })
      for (const value of [given, back]) {
        const where = [{ field: 'value', is: '=', value } as const]
        const outcome = await store().transact(claim, [{ ...target(), where, set: { a: 1 } }])
        expect(outcome).toEqual({ kind: 'applied' })
      }
    })

    it('sums stay exact beyond 2^53, and take bigints', async () => {
      const write = { ...target(), add: { total: 2 ** 53 - 1, cents: 0.1 } }
      await store().transact(claim, [write])
      await store().transact(claim, [{ ...write, add: { total: 2, cents: 0.2 } }])
      await store().transact(claim, [{ ...write, add: { total: 10n ** 20n } }])
      const total = 2n ** 53n + 1n + 10n ** 20n
      expect(await store().readUser(target())).toEqual({ ...target().Key, total, cents: 0.3 })
    })

    it('what is undefined is not there, at the top and inside maps', async () => {
      const value = undefined as unknown as UserItem[string]
      await refused({ ...target(), Key: { id: value } }, 'TERMINAL')
      const put = { a: 1, gone: value, map: { b: 2, gone: value, list: [{ gone: value }] } }
      await store().transact(claim, [{ ...target(), put }])
      const after = { ...target().Key, a: 1, map: { b: 2, list: [{}] } }
      expect(await store().readUser(target())).toEqual(after)
      await store().transact(claim, [{ ...target(), set: { a: value, c: 3 } }])
      expect(await store().readUser(target())).toEqual({ ...after, c: 3 })
    })

    it('an empty set is left out of an item, and cannot be set', async () => {
      const none = new Set<string>()
      await store().transact(claim, [{ ...target(), put: { none, map: { none } } }])
      expect(await store().readUser(target())).toEqual({ ...target().Key, map: {} })
      const text = await store().transact(claim, [{ ...target(), set: { none } }])
      expect(messageOf(text)).toMatch(/none is an empty set/)
    })

    it('an error names the table, the attribute and the kind, and never the value', async () => {
      const secret = new Map([['card', '4111']]) as unknown as UserItem[string]
      const put = { order: { lines: [1, { paid: secret }] } }
      const text = await refused({ ...target(), put }, 'TERMINAL')
      expect(text).toContain(`"order.lines[1].paid" of table ${open().userTable}`)
      expect(text).toMatch(/got a Map/)
      expect(text).not.toMatch(/4111|card/)
      const long = await refused({ ...target(), put: { a: { b: 10n ** 38n + 7n } } }, 'TERMINAL')
      expect(long).toMatch(/table \S+: a\.b has 39 significant digits/)
    })

    it('more attributes than an expression takes are refused in an update, and taken in a put', async () => {
      const many = Object.fromEntries(Array.from({ length: 500 }, (_, nth) => [`a${nth}`, nth]))
      expect(await refused({ ...target(), set: many }, 'TERMINAL')).toMatch(/UpdateExpression/)
      const outcome = await store().transact(claim, [{ ...target(), put: many }])
      expect(outcome).toEqual({ kind: 'applied' })
    })

    it('an update may not make an item too large', async () => {
      await store().transact(claim, [{ ...target(), put: { a: 'x'.repeat(300 * 1024) } }])
      const set = { b: 'x'.repeat(101 * 1024) }
      expect(await store().transact(claim, [{ ...target(), set }])).toMatchObject(FAILED)
    })

    it.each<[string, UserItem]>([
      ['another name', { sku: 'a' }],
      ['one more name', { id: 'a', sku: 'b' }],
      ['no name', {}],
      ['another type', { id: 1 }],
      ['null', { id: null }],
      ['a set', { id: new Set(['a']) }],
      ['nothing in it', { id: '' }],
      ['2,049 bytes', { id: bytes(partitionKeyBytes + 1) }],
      ['half a character', { id: HALF }],
    ])('a key with %s is refused, written and read', async (_, Key) => {
      if (!('id' in Key && 'sku' in Key)) {
        await refused({ ...target(), Key, put: { a: 1 } }, 'TERMINAL')
      }
      await refused({ ...target(), Key, set: { a: 1 } }, 'TERMINAL')
      await refused({ ...target(), Key, delete: true }, 'TERMINAL')
      await refused({ ...target(), Key }, 'TERMINAL')
      await expect(store().readUser({ ...target(), Key })).rejects.toMatchObject({
        code: 'TERMINAL',
      })
    })

    it('what a put has in its key beyond the table’s key is an attribute like any other', async () => {
      const Key = { ...target().Key, sku: 'b' }
      const outcome = await store().transact(claim, [{ ...target(), Key, put: { a: 1 } }])
      expect(outcome).toEqual({ kind: 'applied' })
      expect(await store().readUser(target())).toEqual({ ...Key, a: 1 })
    })

    it('a key of a text and a number is one for every form of the number', async () => {
      const at = (
        line: number | bigint | string,
      ): { TableName: string; Key: UserItem; where: [] } => ({
        TableName: open().lines,
        Key: { order: claim.key.pk, line },
        where: [],
      })
      await store().transact(claim, [{ ...at(1), put: { a: 1 } }])
      await store().transact(claim, [{ ...at(1n), set: { b: 2 } }])
      expect(await store().readUser(at(1))).toEqual({ ...at(1).Key, a: 1, b: 2 })
      await expect(store().readUser(at('1'))).rejects.toMatchObject({ code: 'TERMINAL' })
      await expect(store().readUser(at(1e126))).rejects.toMatchObject({ code: 'TERMINAL' })
    })

    it('a table that does not exist fails the attempt, and is named', async () => {
      const missing = { ...target(), TableName: 'not-there' }
      expect(await refused({ ...missing, put: { a: 1 } }, 'RETRYABLE')).toMatch(/not-there/)
      await expect(store().readUser(missing)).rejects.toMatchObject({ code: 'RETRYABLE' })
    })
  })
}

const FAILED = { kind: 'failed', error: { code: 'TERMINAL' } }

/** Its name, and a number of one digit. */
const FORMAT_BYTES = 'format'.length + 2

/** Exactly 400 KB: names and values. */
function filled(key: StoreKey): Item & StoreKey & { text: string } {
  const used =
    'pk'.length + key.pk.length + 'sk'.length + key.sk.length + FORMAT_BYTES + 'text'.length
  return { ...key, text: 'x'.repeat(DYNAMODB.itemBytes - used) }
}

function messageOf(outcome: TransactOutcome): string {
  return outcome.kind === 'failed' ? outcome.error.message : ''
}
