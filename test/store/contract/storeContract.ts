import { beforeAll, describe, expect, it } from 'vitest'
import type {
  Condition,
  Item,
  StoreKey,
  Store,
  Update,
  UserCondition,
  UserItem,
  UserWrite,
  WriteOutcome,
  DueKey,
} from '../../../src/library/protocol/store/store.ts'
import { limitsContract } from './limitsContract.ts'
import type { OpenStore } from './openStore.ts'
import {
  CONDITIONS,
  EVERY_TYPE,
  MIXED,
  named,
  TESTED,
  UNSTORABLE,
  USER_CONDITIONS,
  USER_TESTED,
  USER_VALUES,
} from './cases.ts'

/** One call alone, two side by side, a batch, a batch and one, and more than one read can take. */
const SIZES = [1, 2, 3, 26, 101]

/** What every adapter must do alike. Tests share one store, so each works on keys of its own. */
export function storeContract(name: string, open: () => Promise<OpenStore>): void {
  describe(`the store contract: ${name}`, () => {
    let opened: OpenStore
    let tests = 0
    const store = (): Store => opened.store
    const keys = (count: number): StoreKey[] => {
      tests += 1
      return Array.from({ length: count }, (_, nth) => ({ pk: `pk-${tests}-${nth}`, sk: 'sk' }))
    }
    const one = (): StoreKey => ({ ...keys(1)[0], pk: `one-${tests}`, sk: 'sk' })
    const readAll = async (wanted: readonly StoreKey[]): Promise<(Item | undefined)[]> => {
      const found = await store().read(wanted, { consistent: true })
      return found.map((outcome) => (outcome.kind === 'found' ? outcome.item : undefined))
    }
    const given = async (item: Item): Promise<Item & StoreKey> => {
      const whole = { ...one(), format: 1, ...item }
      expect(kinds(await store().create([whole]))).toEqual(['applied'])
      return whole
    }

    beforeAll(async () => {
      opened = await open()
    })

    describe('due', () => {
      it('lists one key of the index by time, page by page, and what is due later is left out', async () => {
        const statusShard = `open#${keys(1)[0]?.pk}`
        const items = keys(8).map((key, nth) => ({
          ...key,
          format: 1,
          statusShard,
          dueAt: (nth * 3) % 8,
        }))
        const other = { ...one(), statusShard: `${statusShard}1`, dueAt: 0 }
        await store().create([...items, other])
        const pages: DueKey[][] = []
        let after: string | undefined
        do {
          const page = await store().due({ statusShard, until: 6, most: 3, after })
          if (page.kind === 'failed') throw page.error
          pages.push([...page.keys])
          after = page.next
        } while (after !== undefined)
        const expected = items
          .filter(({ dueAt }) => dueAt <= 6)
          .toSorted((a, b) => a.dueAt - b.dueAt)
        expect(pages.flat()).toEqual(expected.map(({ pk, sk, dueAt }) => ({ pk, sk, dueAt })))
        expect(pages.every((page) => page.length <= 3)).toBe(true)
      })

      it('leaves out what is due earlier than asked for', async () => {
        const statusShard = `open#${keys(1)[0]?.pk}`
        await store().create(
          keys(6).map((key, nth) => ({ ...key, format: 1, statusShard, dueAt: nth })),
        )
        const page = await store().due({ statusShard, from: 2, until: 4, most: 10 })
        expect(page).toMatchObject({ keys: [{ dueAt: 2 }, { dueAt: 3 }, { dueAt: 4 }] })
      })

      it('shows nothing that was taken off the list', async () => {
        const item = await given({ statusShard: 'open#x', dueAt: 1 })
        const gone = {
          key: { pk: item.pk, sk: item.sk },
          where: [],
          remove: ['statusShard', 'dueAt'],
        }
        await store().update([gone])
        expect(await store().due({ statusShard: 'open#x', until: 9, most: 9 })).toEqual({
          kind: 'found',
          keys: [],
          next: undefined,
        })
      })
    })

    describe('create', () => {
      it.each(SIZES)('writes %i items and returns the stored items', async (size) => {
        const items = keys(size).map((key, nth) => ({ ...key, format: 1, nth, text: `n${nth}` }))
        const outcomes = await store().create(items)
        expect(outcomes).toEqual(items.map((item) => ({ kind: 'applied', item })))
        expect(await readAll(items)).toEqual(items)
      })

      it.each(SIZES)('refuses each of %i items that stand there, and shows them', async (size) => {
        const items = keys(size).map((key, nth) => ({ ...key, format: 1, by: 'first', nth }))
        await store().create(items)
        const outcomes = await store().create(items.map(({ pk, sk }) => ({ pk, sk, by: 'second' })))
        expect(outcomes).toEqual(items.map((item) => ({ kind: 'refused', item })))
        expect(await readAll(items)).toEqual(items)
      })

      it('decides entry by entry', async () => {
        const items = keys(6).map((key) => ({ ...key, format: 1, by: 'first' }))
        await store().create(items.filter((_, nth) => nth % 2 === 0))
        const outcomes = await store().create(items.map((item) => ({ ...item, by: 'second' })))
        expect(outcomes).toEqual(
          items.map((item, nth) =>
            nth % 2 === 0
              ? { kind: 'refused', item }
              : { kind: 'applied', item: { ...item, by: 'second' } },
          ),
        )
      })

      it.each([2, 3, 26])('lets the first of a repeated key win among %i', async (size) => {
        const [key = one()] = keys(1)
        const rest = keys(size - 2)
        const items = [
          { ...key, by: 0 },
          ...rest.map((at) => ({ ...at, by: 1 })),
          { ...key, by: 2 },
        ]
        const outcomes = await store().create(items)
        expect(outcomes.at(0)).toEqual({ kind: 'applied', item: { ...key, format: 1, by: 0 } })
        expect(outcomes.at(-1)).toEqual({ kind: 'refused', item: { ...key, format: 1, by: 0 } })
        expect(kinds(outcomes.slice(1, -1))).toEqual(rest.map(() => 'applied'))
      })

      it.each([1, 4])('keeps every type of value, among %i', async (size) => {
        const items = keys(size).map((key) => ({ ...key, format: 1, ...EVERY_TYPE }))
        await store().create(items)
        expect(await readAll(items)).toEqual(items)
      })

      it.each([1, 3])('leaves an empty set out, as DynamoDB has none, among %i', async (size) => {
        const items = keys(size)
        await store().create(
          items.map((key) => ({ ...key, format: 1, none: new Set<string>(), a: 1 })),
        )
        expect(await readAll(items)).toEqual(items.map((key) => ({ ...key, format: 1, a: 1 })))
      })

      it.each([1, 3])('fails only the entry that cannot be stored, among %i', async (size) => {
        const items = keys(size).map((key, nth) => ({
          ...key,
          format: 1,
          at: nth === 0 ? Number.NaN : nth,
        }))
        const outcomes = await store().create(items)
        expect(outcomes[0]).toMatchObject({ kind: 'failed', error: { code: 'TERMINAL' } })
        expect(kinds(outcomes.slice(1))).toEqual(items.slice(1).map(() => 'applied'))
      })

      it('takes no items at all', async () => {
        expect(await store().create([])).toEqual([])
      })
    })

    describe('update', () => {
      it.each(SIZES)('changes %i items whose condition holds', async (size) => {
        const items = keys(size).map((key) => ({
          ...key,
          format: 1,
          owner: 'me',
          old: 1,
          older: 2,
          n: 0,
        }))
        await store().create(items)
        const outcomes = await store().update(items.map((item, n) => settle(item, n, 'me')))
        const after = items.map(({ pk, sk }, n) => ({
          pk,
          sk,
          format: 1,
          owner: 'me',
          n,
          done: true,
        }))
        const known = tell(outcomes, after)
        expect(known).toEqual(after.map((item) => ({ kind: 'applied', item })))
        expect(await readAll(items)).toEqual(after)
      })

      it.each(SIZES)('refuses %i items of another owner, and shows them', async (size) => {
        const items = keys(size).map((key) => ({ ...key, format: 1, owner: 'other', old: 1, n: 0 }))
        await store().create(items)
        const outcomes = await store().update(items.map((item, n) => settle(item, n, 'me')))
        expect(outcomes).toEqual(items.map((item) => ({ kind: 'refused', item })))
        expect(await readAll(items)).toEqual(items)
      })

      it.each(SIZES)('makes no ghosts of %i items that are not there', async (size) => {
        const missing = keys(size)
        const changes: Update[] = missing.map((key) => ({
          key,
          where: [{ absent: 'owner' }],
          set: { owner: 'me' },
        }))
        const outcomes = await store().update(changes)
        expect(outcomes).toEqual(missing.map(() => ({ kind: 'refused', item: undefined })))
        expect(await readAll(missing)).toEqual(missing.map(() => undefined))
      })

      it.each([1, 3])('changes nothing of a missing item either, among %i', async (size) => {
        const outcomes = await store().update(keys(size).map((key) => ({ key, where: [] })))
        expect(new Set(kinds(outcomes))).toEqual(new Set(['refused']))
      })

      it('applies changes of one key in their order', async () => {
        const item = await given({ n: 0 })
        const step = (from: number): Update => ({
          key: item,
          where: [{ field: 'n', is: '=', value: from }],
          set: { n: from + 1 },
        })
        const outcomes = await store().update([step(0), step(1), step(1), step(2)])
        const after = [1, 2, 2, 3].map((n) => ({ ...item, n }))
        const known = tell(outcomes, after)
        expect(known).toEqual(
          after.map((each, nth) => ({ kind: nth === 2 ? 'refused' : 'applied', item: each })),
        )
        expect(await readAll([item])).toEqual([{ ...item, n: 3 }])
      })

      it('decides entry by entry, and shows each its own item', async () => {
        const items = keys(6).map((key, n) => ({
          ...key,
          format: 1,
          n,
          owner: n % 2 === 0 ? 'me' : 'other',
        }))
        await store().create(items)
        const outcomes = await store().update(
          items.map(({ pk, sk, n }) => ({
            key: { pk, sk },
            where: [{ field: 'owner', is: '=', value: 'me' }],
            set: { n: n + 10 },
          })),
        )
        const after = items.map((item) =>
          item.owner === 'me' ? { ...item, n: item.n + 10 } : item,
        )
        const kind = (item: Item): string => (item['owner'] === 'me' ? 'applied' : 'refused')
        expect(tell(outcomes, after)).toEqual(after.map((item) => ({ kind: kind(item), item })))
      })

      it.each([1, 3])('adds to sets, new and old, among %i', async (size) => {
        const items = keys(size).map((key) => ({ ...key, format: 1, old: new Set(['a']) }))
        await store().create(items)
        for (const field of ['old', 'new']) {
          await store().update(items.map((key) => add(key, field, 'b')))
          await store().update(items.map((key) => add(key, field, 'b')))
        }
        const sets = { old: new Set(['a', 'b']), new: new Set(['b']) }
        expect(await readAll(items)).toEqual(
          items.map(({ pk, sk }) => ({ pk, sk, format: 1, ...sets })),
        )
      })

      it.each([1, 3])('sets, removes and adds in one write, among %i', async (size) => {
        const items = keys(size).map((key) => ({ ...key, format: 1, a: 1, b: 2, c: 3, d: 4 }))
        await store().create(items)
        const outcomes = await store().update(
          items.map((key) => ({
            key,
            where: [{ exists: 'a' }],
            set: { a: 'new', e: 5 },
            remove: ['b', 'c', 'nothing'],
            addTo: { field: 'f', member: 'm' },
          })),
        )
        const after = items.map(({ pk, sk }) => ({ pk, sk, format: 1, ...MIXED }))
        const known = tell(outcomes, after)
        expect(known).toEqual(after.map((item) => ({ kind: 'applied', item })))
        expect(await readAll(items)).toEqual(after)
      })

      it.each([1, 3])('takes any name and any text, among %i', async (size) => {
        const items = keys(size).map((key) => ({ ...key, format: 1, 'stage:lädt 🚂': 1 }))
        await store().create(items)
        const odd = { 'a.b': 'dot', "it's": 'quote', 'say "hi"': 'quotes', 'stage:ok': '🚂' }
        const where: Condition[] = [{ field: 'stage:lädt 🚂', is: '=', value: 1 }]
        await store().update(items.map((key) => ({ key, where, set: odd, remove: ['x.y'] })))
        expect(await readAll(items)).toEqual(items.map((item) => ({ ...item, ...odd })))
      })

      it.each([1, 3])('fails a change that DynamoDB does not take, among %i', async (size) => {
        const items = keys(size).map((key) => ({ ...key, format: 1, text: 'no set', n: 1 }))
        await store().create(items)
        const bad: Omit<Update, 'key'>[] = [
          { where: [], set: { n: 2 }, remove: ['n'] },
          { where: [], set: { pk: 'other' } },
          { where: [], addTo: { field: 'text', member: 'm' } },
          { where: [], set: { n: Number.POSITIVE_INFINITY } },
        ]
        for (const change of bad) {
          const outcomes = await store().update(items.map((key) => ({ key, ...change })))
          for (const outcome of outcomes) {
            expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'TERMINAL' } })
          }
        }
        expect(await readAll(items)).toEqual(items)
      })
    })

    describe.each([1, 3])('conditions, among %i', (size) => {
      it.each(CONDITIONS)('%j is %s', async (condition, expected) => {
        const items = keys(size).map((key) => ({ ...key, format: 1, ...TESTED }))
        await store().create(items)
        const outcomes = await store().update(
          items.map((key) => ({ key, where: [condition], set: { changed: true } })),
        )
        expect(new Set(kinds(outcomes))).toEqual(new Set([expected ? 'applied' : 'refused']))
      })
    })

    describe('read', () => {
      it.each(SIZES)('finds %i items in the order asked for', async (size) => {
        const items = keys(size).map((key, nth) => ({ ...key, format: 1, nth }))
        await store().create(items)
        const asked = items.toReversed()
        expect(await readAll(asked)).toEqual(asked)
        const loose = await store().read(asked)
        expect(loose).toEqual(asked.map((item) => ({ kind: 'found', item })))
      })

      it('says of a key that is not there that there is no item', async () => {
        const item = await given({ a: 1 })
        const found = await readAll([one(), item, one(), item])
        expect(found).toEqual([undefined, item, undefined, item])
      })

      it('hands out copies', async () => {
        const item = await given({ names: new Set(['a']) })
        const [found] = await readAll([item])
        const names = found?.['names']
        if (names instanceof Set) names.add('b')
        expect(await readAll([item])).toEqual([item])
      })
    })

    describe('transact', () => {
      const readUser = (id: string): Promise<UserItem | undefined> =>
        store().readUser({ TableName: opened.userTable, Key: { id } })
      const write = (id: string, what: Change, where: UserCondition[] = []): UserWrite[] => [
        { TableName: opened.userTable, Key: { id }, where, ...what },
      ]
      const held = (key: StoreKey): Update => ({
        key: { pk: key.pk, sk: key.sk },
        where: [{ field: 'fence', is: '=', value: 1 }],
        set: { marked: true },
      })

      it('creates an item of its own beside the claim, both or none', async () => {
        const item = await given({ fence: 1 })
        const create = { ...one(), why: 'told' }
        const lost = { ...held(item), where: [{ absent: 'fence' }] }
        const refused = await store().transact(lost, [{ create }])
        expect(refused).toMatchObject({ kind: 'refused', by: 'claim', item: { fence: 1 } })
        expect(await readAll([create])).toEqual([undefined])

        expect(await store().transact(held(item), [{ create }])).toEqual({ kind: 'applied' })
        expect(await readAll([item, create])).toMatchObject([
          { marked: true },
          { why: 'told', format: 1 },
        ])
        const again = await store().transact({ ...held(item), set: { twice: true } }, [{ create }])
        expect(again).toMatchObject({ kind: 'refused', by: 'write', index: 0 })
        expect((await readAll([item]))[0]).not.toHaveProperty('twice')
        const wrong = { create: { pk: '', sk: 'x' } }
        expect((await store().transact(held(item), [wrong])).kind).toBe('failed')
      })

      it('marks the claim in the same write', async () => {
        const item = await given({ fence: 1 })
        const claim: Update = {
          ...held(item),
          set: { touched: true },
          remove: ['nothing'],
          addTo: { field: 'applied', member: 'charge:sum' },
        }
        await store().transact(claim, write(item.pk, { add: { total: 5 } }))
        const applied = new Set(['charge:sum'])
        expect(await readAll([item])).toEqual([{ ...item, touched: true, applied }])
        expect(await readUser(item.pk)).toEqual({ id: item.pk, total: 5 })
      })

      it('does neither when the claim is lost, and shows the claim', async () => {
        const item = await given({ fence: 2 })
        const outcome = await store().transact(
          { ...held(item), set: { touched: true } },
          write(item.pk, { add: { total: 5 } }, [{ exists: 'nothing' }]),
        )
        expect(outcome).toEqual({ kind: 'refused', by: 'claim', item })
        expect(await readUser(item.pk)).toBeUndefined()
        expect(await readAll([item])).toEqual([item])
      })

      it('does neither when there is no claim, and makes no ghost of it', async () => {
        const key = one()
        const claim: Update = { key, where: [{ absent: 'fence' }], set: { fence: 1 } }
        const outcome = await store().transact(claim, write(key.pk, { add: { total: 5 } }))
        expect(outcome).toEqual({ kind: 'refused', by: 'claim', item: undefined })
        expect(await readUser(key.pk)).toBeUndefined()
        expect(await readAll([key])).toEqual([undefined])
      })

      it('does neither when the write is refused, and shows what refused it', async () => {
        const item = await given({ fence: 1 })
        await store().transact(held(item), write(item.pk, { put: { version: 3 } }))
        const outcome = await store().transact(
          { ...held(item), set: { touched: true } },
          write(item.pk, { put: { version: 2 } }, [{ field: 'version', is: '<', value: 2 }]),
        )
        const standing = { id: item.pk, version: 3 }
        expect(outcome).toEqual({ kind: 'refused', by: 'write', index: 0, item: standing })
        expect(await readUser(item.pk)).toEqual(standing)
        expect(await readAll([item])).toEqual([{ ...item, marked: true }])
      })

      it('creates the claim with the writes', async () => {
        const create = { ...one(), fence: 1, names: new Set(['a']) }
        const outcome = await store().transact({ create }, write(create.pk, { add: { total: 5 } }))
        expect(outcome).toEqual({ kind: 'applied' })
        expect(await readAll([create])).toEqual([{ ...create, format: 1 }])
        expect(await readUser(create.pk)).toEqual({ id: create.pk, total: 5 })
      })

      it('does neither when the claim is there already, and shows it', async () => {
        const item = await given({ fence: 2 })
        const outcome = await store().transact(
          { create: { ...item, fence: 3 } },
          write(item.pk, { add: { total: 5 } }),
        )
        expect(outcome).toEqual({ kind: 'refused', by: 'claim', item })
        expect(await readUser(item.pk)).toBeUndefined()
        expect(await readAll([item])).toEqual([item])
      })

      it('does not create the claim when a write is refused', async () => {
        const create = { ...one(), fence: 1 }
        const writes = write(create.pk, { add: { total: 5 } }, [{ exists: 'total' }])
        const outcome = await store().transact({ create }, writes)
        expect(outcome).toEqual({ kind: 'refused', by: 'write', index: 0, item: undefined })
        expect(await readAll([create])).toEqual([undefined])
      })

      it('carries out several writes with the claim, all or nothing', async () => {
        const item = await given({ fence: 1 })
        const [one, other] = [`${item.pk}-one`, `${item.pk}-other`]
        const both = (amount: number): UserWrite[] => [
          ...write(one, { add: { total: -amount } }, [
            { any: [{ absent: 'total' }, { field: 'total', is: '>=', value: 0 }] },
          ]),
          ...write(other, { add: { total: amount } }),
          ...write(item.pk, {}, [{ absent: 'closed' }]),
        ]
        expect(await store().transact(held(item), both(5))).toEqual({ kind: 'applied' })
        const refused = await store().transact({ ...held(item), set: { t: 1 } }, both(5))
        const standing = { id: one, total: -5 }
        expect(refused).toEqual({ kind: 'refused', by: 'write', index: 0, item: standing })
        await store().transact(held(item), write(item.pk, { set: { closed: true } }))
        const third = [...write(other, { set: { a: 1 } }), ...both(1).slice(2)]
        expect(await store().transact(held(item), third)).toEqual({
          kind: 'refused',
          by: 'write',
          index: 1,
          item: { id: item.pk, closed: true },
        })
        expect(await readUser(other)).toEqual({ id: other, total: 5 })
        expect(await readAll([item])).toEqual([{ ...item, marked: true }])
      })

      it('fails two writes on one item, and makes neither', async () => {
        const item = await given({ fence: 1 })
        const twice = [...write(item.pk, { set: { a: 1 } }), ...write(item.pk, { set: { b: 1 } })]
        const outcome = await store().transact(held(item), twice)
        expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'TERMINAL' } })
        expect(await readUser(item.pk)).toBeUndefined()
      })

      it('puts, changes, removes and deletes', async () => {
        const item = await given({ fence: 1 })
        const run = async (what: Change, where?: UserCondition[]): Promise<unknown> => {
          expect(await store().transact(held(item), write(item.pk, what, where))).toEqual({
            kind: 'applied',
          })
          return readUser(item.pk)
        }
        const id = item.pk
        expect(await run({ delete: true })).toBeUndefined()
        expect(await run({ put: { id: 'another', a: 1, b: 2 } })).toEqual({ id, a: 1, b: 2 })
        expect(await run({ set: { a: [1] }, add: { b: 0.5, c: -3 } })).toEqual({
          id,
          a: [1],
          b: 2.5,
          c: -3,
        })
        expect(await run({ remove: ['a', 'b'], set: { d: null } }, [{ exists: 'a' }])).toEqual({
          id,
          c: -3,
          d: null,
        })
        expect(await run({}, [{ exists: 'c' }])).toEqual({ id, c: -3, d: null })
        expect(await run({ put: {} })).toEqual({ id })
        expect(await run({ remove: ['nothing'] })).toEqual({ id })
        expect(await run({ delete: true })).toBeUndefined()
        expect(await run({})).toBeUndefined()
      })

      it('keeps every type of value, and any name', async () => {
        const item = await given({ fence: 1 })
        await store().transact(held(item), write(item.pk, { put: USER_VALUES }))
        expect(await readUser(item.pk)).toEqual({ id: item.pk, ...USER_VALUES })
        await store().transact(held(item), write(`${item.pk}-set`, { set: USER_VALUES }))
        const found = await readUser(`${item.pk}-set`)
        expect(found).toEqual({ id: `${item.pk}-set`, ...USER_VALUES })
        const map = Object(found?.['map']) as object
        expect(Object.getOwnPropertyNames(map).toSorted()).toEqual(['__proto__', 'constructor'])
        expect(Object.getPrototypeOf(map)).toBe(Object.prototype)
      })

      it.each(USER_CONDITIONS)('%j is %s of the user’s item', async (condition, expected) => {
        const item = await given({ fence: 1 })
        await store().transact(held(item), write(item.pk, { put: USER_TESTED }))
        const outcome = await store().transact(
          held(item),
          write(item.pk, { set: { changed: true } }, [condition]),
        )
        expect(outcome.kind).toBe(expected ? 'applied' : 'refused')
      })

      it('fails a write that DynamoDB does not take', async () => {
        const item = await given({ fence: 1 })
        await store().transact(held(item), write(item.pk, { put: { text: 'no number' } }))
        const bad: Change[] = [
          { add: { text: 1 } },
          { set: { id: 'other' } },
          { set: { a: 1 }, remove: ['a'] },
          { set: { a: Number.NaN } },
          { set: { a: [{ b: Number.POSITIVE_INFINITY }] } },
          ...UNSTORABLE.map((value) => ({ set: { a: value } })),
          ...UNSTORABLE.map((value) => ({ put: { a: { b: [value] } } })),
          { set: named('__proto__') },
          { put: named('__proto__') },
        ]
        for (const change of bad) {
          const claim = { ...held(item), set: { touched: true } }
          const outcome = await store().transact(claim, write(item.pk, change))
          expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'TERMINAL' } })
        }
        expect(await readAll([item])).toEqual([{ ...item, marked: true }])
        expect(await readUser(item.pk)).toEqual({ id: item.pk, text: 'no number' })
      })

      it('fails a claim that DynamoDB does not take', async () => {
        const item = await given({ fence: 1, text: 'no set' })
        const bad: Omit<Update, 'key' | 'where'>[] = [
          { set: { fence: 2 }, remove: ['fence'] },
          { set: { sk: 'other' } },
          { addTo: { field: 'text', member: 'm' } },
        ]
        for (const change of bad) {
          const outcome = await store().transact(
            { ...held(item), ...change },
            write(item.pk, { add: { total: 1 } }, [{ exists: 'nothing' }]),
          )
          expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'TERMINAL' } })
        }
        expect(await readAll([item])).toEqual([item])
      })

      it('counts once for each of many at the same time', async () => {
        const item = await given({ fence: 1 })
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, () =>
            store().transact(held(item), write(item.pk, { add: { total: 1 } })),
          ),
        )
        expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['applied']))
        expect(await readUser(item.pk)).toEqual({ id: item.pk, total: 20 })
      })
    })

    limitsContract(() => opened)
  })
}

type Change =
  | { put: UserItem }
  | { delete: true }
  | { set?: UserItem; add?: Record<string, number>; remove?: string[] }

/** From three updates on, the item after them may be left out; if returned, it must be right. */
function tell(outcomes: readonly WriteOutcome[], after: readonly Item[]): unknown[] {
  const untold = (one: WriteOutcome): boolean => one.kind === 'applied' && one.item === undefined
  return outcomes.map((one, nth) =>
    outcomes.length > 2 && untold(one) ? { ...one, item: after[nth] } : one,
  )
}

function kinds(outcomes: readonly WriteOutcome[]): string[] {
  return outcomes.map(({ kind }) => kind)
}

function settle(key: StoreKey, n: number, owner: string): Update {
  return {
    key: { pk: key.pk, sk: key.sk },
    where: [
      { field: 'owner', is: '=', value: owner },
      { any: [{ absent: 'done' }, { field: 'done', is: '=', value: false }] },
    ],
    set: { done: true, n },
    remove: ['old', 'older'],
  }
}

function add({ pk, sk }: StoreKey, field: string, member: string): Update {
  return { key: { pk, sk }, where: [], addTo: { field, member } }
}
