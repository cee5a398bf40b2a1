import { isDeepStrictEqual } from 'node:util'
import type {
  DueOutcome,
  DueQuery,
  StoreKey,
  Store,
  UserItem,
} from '../../../src/library/protocol/store/store.ts'
import type { MemoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import { comparedOf } from '../../store/comparedOf.ts'

/** Two stores that get the same calls, and have to answer and keep the same after each. */
export interface StorePair {
  readonly store: Store
  readonly memory: MemoryStore
  /** The calls to which the second one answered otherwise, and the items it keeps otherwise. */
  readonly differences: readonly string[]
}

/** @param userTable the only table of the user's own */
export function storePair(memory: MemoryStore, other: Store, userTable: string): StorePair {
  const differences: string[] = []

  let last: Promise<unknown> = Promise.resolve()
  /** One call after the other: two at once could take place in another order here than there. */
  function inTurn<T>(call: () => Promise<T>): Promise<T> {
    const turn = last.then(call)
    last = turn.catch(() => {})
    return turn
  }

  async function both<T>(call: string, ask: (store: Store) => Promise<T>): Promise<T> {
    const [said, alsoSaid] = await Promise.all([ask(memory), ask(other)])
    differ(`${call} says`, comparedOf(said), comparedOf(alsoSaid))
    return said
  }

  async function change<T>(call: string, ask: (store: Store) => Promise<T>): Promise<T> {
    const said = await both(call, ask)
    const items = memory.items()
    const keys = items.map(({ pk, sk }) => ({ pk, sk }) as StoreKey)
    const found = items.map((item) => ({ kind: 'found', item }))
    differ(`${call} leaves`, found, await other.read(keys, { consistent: true }))
    const rows = memory.userItems(userTable)
    differ(`${call} leaves`, rows, await Promise.all(rows.map((row) => other.readUser(keyOf(row)))))
    return said
  }

  function keyOf({ id = '' }: UserItem): Parameters<Store['readUser']>[0] {
    return { TableName: userTable, Key: { id } }
  }

  function differ(what: string, one: unknown, another: unknown): void {
    if (isDeepStrictEqual(one, another)) return
    differences.push(`${what} ${JSON.stringify(one, shown)}, or ${JSON.stringify(another, shown)}`)
  }

  return {
    memory,
    differences,
    store: {
      create: (items) => inTurn(() => change('create', (store) => store.create(items))),
      update: (updates) => inTurn(() => change('update', (store) => store.update(updates))),
      transact: (claim, writes) =>
        inTurn(() => change('transact', (store) => store.transact(claim, writes))),
      // Its two forms may be a second apart: only what is consistent can be compared.
      read: (keys) => inTurn(() => both('read', (store) => store.read(keys, { consistent: true }))),
      readUser: (key) => inTurn(() => both('readUser', (store) => store.readUser(key))),
      due: (query) => inTurn(() => due(query)),
    },
  }

  async function due(query: DueQuery): Promise<DueOutcome> {
    const [said, alsoSaid] = await Promise.all([memory.due(query), other.due(query)])
    const keysOf = (one: DueOutcome): unknown => ('keys' in one ? one.keys : one)
    differ('due says', keysOf(said), keysOf(alsoSaid))
    return said
  }
}

function shown(_: string, value: unknown): unknown {
  return value instanceof Set ? [...value] : value
}
