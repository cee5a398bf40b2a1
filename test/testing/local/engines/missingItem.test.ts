import { expect, it } from 'vitest'
import { memoryStore } from '../../../../src/library/adapters/store/memory/memoryStore.ts'
import type { UserItem } from '../../../../src/library/protocol/store/store.ts'
import { createTables, startDynoxide, startTypeScript } from '../../../store/dynoxide.ts'
import { findDynoxide } from '../../../store/findDynoxide.ts'
import type { OpenStore } from '../../../store/contract/openStore.ts'
import { WAYS } from '../../../store/ways.ts'

const CLAIM = { pk: 'claim', sk: 'sk' }
const AWS = 'docs.aws.amazon.com/amazondynamodb/latest'

/** What a change leaves where no item was, by AWS. */
interface Rule {
  readonly change: object
  readonly item: UserItem | undefined
  readonly source: string
  /** What the native engine, 1.2.1, leaves instead. */
  readonly native?: UserItem
}

/** "If no item with the specified key is found: DELETE – Nothing happens; there is no attribute to delete." */
const NOTHING = `${AWS}/developerguide/LegacyConditionalParameters.AttributeUpdates.html; scylladb/scylladb#5862`
const MADE = `${AWS}/APIReference/API_UpdateItem.html`

const RULES: readonly Rule[] = [
  { change: { remove: ['a'] }, item: undefined, source: NOTHING, native: { id: '0' } },
  { change: { remove: ['a', 'b'] }, item: undefined, source: NOTHING, native: { id: '1' } },
  {
    change: { set: {}, add: {}, remove: ['a'] },
    item: undefined,
    source: NOTHING,
    native: { id: '2' },
  },
  { change: { set: { b: 1 }, remove: ['a'] }, item: { id: '3', b: 1 }, source: MADE },
  { change: { add: { b: 1 }, remove: ['a'] }, item: { id: '4', b: 1 }, source: MADE },
  { change: { add: { b: 0 } }, item: { id: '5', b: 0 }, source: MADE },
  { change: { set: { b: null } }, item: { id: '6', b: null }, source: MADE },
  { change: { delete: true }, item: undefined, source: `${AWS}/APIReference/API_DeleteItem.html` },
]

async function leftBy({ store, userTable }: OpenStore): Promise<(UserItem | undefined)[]> {
  await store.create([{ ...CLAIM, format: 1 }])
  const left: (UserItem | undefined)[] = []
  for (const [nth, { change }] of RULES.entries()) {
    const key = { TableName: userTable, Key: { id: String(nth) } }
    const claim = { key: CLAIM, where: [], set: { nth } }
    const outcome = await store.transact(claim, [{ ...key, ...change, where: [] }])
    expect(outcome).toEqual({ kind: 'applied' })
    left.push(await store.readUser(key))
  }
  return left
}

const OURS = RULES.map(({ item }) => item)
const NATIVE = RULES.map(({ item, native }) => native ?? item)

it('the memory store leaves what AWS leaves', async () => {
  const store = memoryStore()
  expect(await leftBy({ store, userTable: 'stock', lines: 'lines' })).toEqual(OURS)
})

it.each([
  ['the engine in TypeScript leaves what AWS leaves', startTypeScript, OURS],
  [
    'the native engine, if there is one, does but for what is named',
    startDynoxide,
    findDynoxide() === undefined ? OURS : NATIVE,
  ],
])('%s', async (_, start, expected) => {
  const engine = await start()
  for (const { open } of WAYS) {
    const client = engine.client()
    const { tableName, ...users } = await createTables(client)
    expect(await leftBy({ store: open({ tableName, client }), ...users })).toEqual(expected)
  }
  await engine.stop()
})
