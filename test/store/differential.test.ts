import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type {
  Condition,
  StoreKey,
  Store,
  Update,
  UserItem,
} from '../../src/library/protocol/store/store.ts'
import type { UserWrite, Value } from '../../src/library/protocol/store/store.ts'
import { memoryStore } from '../../src/library/adapters/store/memory/memoryStore.ts'
import { isProof } from '../proof/depth.ts'
import { comparedOf, kindOf } from './comparedOf.ts'
import { createTables, type Engine, startDynoxide } from './dynoxide.ts'
import { WAYS } from './ways.ts'

let engine: Engine
let userTable: string
let tableName: string
beforeAll(async () => {
  engine = await startDynoxide()
  const tables = await createTables(engine.client())
  userTable = tables.userTable
  tableName = tables.tableName
})
afterAll(() => engine.stop())

/** Few names, keys and values, so that steps collide. */
const KEYS = [0, 1, 2, 3] as const
const field = fc.constantFrom('a', 'b', 'stage:c', 'd.e', 'status')
const setField = fc.constantFrom('s', 't', 'a')
const number = fc.constantFrom(0, 1, 2, -1.5, 10)
const text = fc.constantFrom('', 'x', 'xy', 'ä', '🚂', '10')
const comparable = fc.oneof(number, text, fc.boolean())
const ordered = fc.oneof(number, text)
const members = fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 })
const value: fc.Arbitrary<Value> = fc.oneof(
  comparable,
  members.map((all) => new Set(all)),
)

const { condition } = fc.letrec<{ condition: Condition; simple: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small' },
    tie('simple'),
    fc.record({ all: fc.array(tie('condition'), { maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('condition'), { maxLength: 3 }) }),
  ),
  simple: fc.oneof(
    fc.record({ exists: field }),
    fc.record({ absent: field }),
    fc.record({ field: setField, lacks: fc.constantFrom('x', 'y') }),
    fc.record({ field, is: fc.constantFrom('=' as const, '<>' as const), value: comparable }),
    fc.record({ field, is: fc.constantFrom('<', '<=', '>', '>=') satisfies Op, value: ordered }),
  ),
}))
type Op = fc.Arbitrary<'<' | '<=' | '>' | '>='>

const USERS = [0, 1] as const
const nth = fc.constantFrom(...KEYS)
const where = fc.array(condition, { maxLength: 2 })
const set = fc.dictionary(field, comparable, { maxKeys: 3 })
const remove = fc.uniqueArray(field, { maxLength: 2 })
const addTo = fc.record({ field: setField, member: fc.constantFrom('x', 'y') })
const item = fc.dictionary(fc.oneof(field, setField), value, { maxKeys: 4 })
const update = fc
  .record({ nth, where, set, remove, addTo }, { requiredKeys: ['nth', 'where'] })
  .map((change) => ({ ...change }))

/** A transaction always marks its claim. */
const claim = fc.record(
  { nth, where, set, remove, addTo },
  { requiredKeys: ['nth', 'where', 'addTo'] },
)
const amounts = fc.dictionary(field, fc.constantFrom(1, -2, 0.1, 0.25), { maxKeys: 2 })
const change = fc.oneof(
  fc.record({ put: fc.dictionary(field, comparable, { maxKeys: 3 }) }),
  fc.constant({ delete: true } as const),
  fc
    .record({ set, add: amounts, remove }, { requiredKeys: [] })
    // The native engine makes an item of what only removes: test/testing/local/engines/missingItem.test.ts.
    .filter((one) => !one.remove?.length || Object.keys({ ...one.set, ...one.add }).length > 0),
)
const userWhere = fc.array(
  condition.filter((one) => !JSON.stringify(one).includes('lacks')),
  { maxLength: 1 },
)

type Step = (store: Store, keyOf: (nth: number) => StoreKey) => Promise<unknown>

const create = fc
  .array(fc.record({ nth, item }), { minLength: 1, maxLength: 5 })
  .map((all): [string, Step] => [
    `create ${fc.stringify(all)}`,
    (store, keyOf) => store.create(all.map((one) => ({ ...one.item, ...keyOf(one.nth) }))),
  ])
const updateMany = fc
  .array(update, { minLength: 1, maxLength: 5 })
  .map((all): [string, Step] => [
    `update ${fc.stringify(all)}`,
    (store, keyOf) => store.update(all.map((one) => updateOf(one, keyOf))),
  ])
const read = fc
  .array(nth, { minLength: 1, maxLength: 6 })
  .map((all): [string, Step] => [
    `read ${fc.stringify(all)}`,
    (store, keyOf) => store.read(all.map(keyOf), { consistent: true }),
  ])
const transact = fc
  .record({ claim, id: fc.constantFrom(...USERS), where: userWhere, change })
  .map((one): [string, Step] => [
    `transact ${fc.stringify(one)}`,
    (store, keyOf) => store.transact(updateOf(one.claim, keyOf), [userWriteOf(one, keyOf)]),
  ])

const steps = fc.array(fc.oneof(create, updateMany, updateMany, read, transact, transact), {
  minLength: 2,
  maxLength: 10,
})

function updateOf({ nth, ...rest }: Omit<Update, 'key'> & { nth: number }, keyOf: KeyOf): Update {
  return { key: keyOf(nth), ...rest }
}
type KeyOf = (nth: number) => StoreKey

function userWriteOf(
  one: { id: number; where: readonly Condition[]; change: object },
  keyOf: KeyOf,
): UserWrite {
  const Key = { id: keyOf(one.id).pk }
  return { TableName: userTable, Key, where: one.where, ...one.change } as UserWrite
}

async function stateOf(store: Store, keyOf: KeyOf): Promise<[unknown, (UserItem | undefined)[]]> {
  const own = await store.read(KEYS.map(keyOf), { consistent: true })
  const readUser = (nth: number): Promise<UserItem | undefined> =>
    store.readUser({ TableName: userTable, Key: { id: keyOf(nth).pk } })
  return [own, await Promise.all(USERS.map(readUser))]
}

/** Forty sequences of this seed have every end in them; those of a new seed may lack a rare one. */
const OF_ALL_ENDS = { numRuns: 40, seed: 1 }
const BY_CHANCE = { numRuns: 110 }

it.each(WAYS)('memory and DynamoDB do the same, step by step, $name', async ({ name, open }) => {
  const real = open({ tableName, client: engine.client() })
  let sequences = 0
  const seen = new Set<string>()
  const bothDoTheSame = fc.asyncProperty(steps, async (sequence) => {
    sequences += 1
    const run = sequences
    const keyOf = (nth: number): StoreKey => ({ pk: `${name}-${run}-${nth}`, sk: 's' })
    const memory = memoryStore()
    for (const [, step] of sequence) {
      const [expected, found] = await Promise.all([step(memory, keyOf), step(real, keyOf)])
      expect(comparedOf(found)).toEqual(comparedOf(expected))
      expect(await stateOf(real, keyOf)).toEqual(await stateOf(memory, keyOf))
      for (const one of [expected].flat()) seen.add(kindOf(one))
    }
  })
  await fc.assert(bothDoTheSame, OF_ALL_ENDS)
  // An end that never happened was not compared.
  const everything = [
    'applied',
    'failed',
    'found',
    'refused',
    'refused by claim',
    'refused by write',
  ]
  expect([...seen].toSorted()).toEqual(everything)
  if (isProof) await fc.assert(bothDoTheSame, BY_CHANCE)
})
