import { RetryableError, StoreUnavailableError } from '../../src/errors.ts'
import type { Item, Key, Store, Update, UserWrite } from '../../src/store/store.ts'
import type { MemoryStore } from '../../src/store/memory/memoryStore.ts'
import type { Watch } from './watch.ts'
import { inWords } from './words.ts'
import { type Actor, call, type CallFault, plain, type World } from './world.ts'

const WRITE: readonly CallFault[] = [
  'request lost',
  'answer lost',
  'repeated',
  'throttled',
  'killed before',
  'killed after',
  'killed on the wire',
]
const READ: readonly CallFault[] = ['request lost', 'killed before', 'stale']

/** What stands behind all invocations. */
export interface Table {
  /** The truth. */
  readonly base: MemoryStore
  /** What the code under test writes through: the same, or with a protection taken away. */
  readonly shown: Store
  /** Each token before its last change: what a read that lags may show. */
  readonly before: Map<string, Item | undefined>
}

type Failed = { readonly kind: 'failed'; readonly error: Error }
const unanswered = (): Failed => ({ kind: 'failed', error: new StoreUnavailableError('no answer') })
const throttled = (): Failed => ({ kind: 'failed', error: new RetryableError('the item is busy') })

/** The store as one invocation sees it: each call waits for the explorer, each change is watched. */
export function storeOf(actor: Actor, world: World, table: Table, watch: Watch): Store {
  const change = async <A>(
    pk: string,
    told: Watch['changed'],
    work: () => Promise<A>,
    how: Update | undefined,
  ): Promise<A> => {
    const before = tokenIn(table, pk)
    const outcome = await work()
    const after = tokenIn(table, pk)
    if (plain(world, before) !== plain(world, after)) {
      table.before.set(pk, before)
      told(actor, how, before, after)
    }
    return outcome
  }
  return {
    create: (items) => {
      for (const item of items) name(world, actor, item['attemptId'])
      return call(world, actor, {
        what: 'claims',
        apply: () => change(pkOf(items), watch.changed, () => table.shown.create(items), undefined),
        unanswered: () => items.map(unanswered),
        throttled: () => items.map(throttled),
        faults: WRITE,
      })
    },
    update: (updates) => {
      const [update] = updates
      if (update === undefined || updates.length > 1) throw new Error('one record, one write')
      name(world, actor, update.set?.['attemptId'])
      return call(world, actor, {
        what: inWords(update),
        apply: () =>
          change(update.key.pk, watch.changed, () => table.shown.update(updates), update),
        unanswered: () => updates.map(unanswered),
        throttled: () => updates.map(throttled),
        faults: WRITE,
      })
    },
    read: (keys, options) => {
      const stale = async (): Promise<readonly { kind: 'found'; item: Item | undefined }[]> =>
        keys.map(({ pk }) => ({
          kind: 'found',
          item: table.before.has(pk) ? table.before.get(pk) : tokenIn(table, pk),
        }))
      return call(world, actor, {
        what: 'reads the token',
        apply: () => table.shown.read(keys, options),
        unanswered: () => keys.map(unanswered),
        ...(options?.consistent === true ? {} : { stale }),
        faults: READ,
      })
    },
    transact: (claim, write) =>
      call(world, actor, {
        what: `${inWords(claim)}, with its write`,
        apply: async () => {
          const users = usersOf(table, write)
          const outcome = await change(
            claim.key.pk,
            watch.changed,
            () => table.shown.transact(claim, write),
            claim,
          )
          if (usersOf(table, write) !== users) watch.wrote(actor, claim)
          return outcome
        },
        // The client's request token makes DynamoDB answer the second arrival like the first.
        repeat: async (first) =>
          first.kind === 'applied' ? first : table.shown.transact(claim, write),
        unanswered,
        throttled,
        faults: WRITE,
      }),
    readUser: (key) =>
      call(world, actor, {
        what: 'reads an item',
        apply: () => table.shown.readUser(key),
        faults: ['killed before'],
      }),
  }
}

export function tokenIn({ base }: Table, pk: string): Item | undefined {
  return base.items().find((item) => item['pk'] === pk)
}

function usersOf({ base }: Table, { TableName }: UserWrite): string {
  return JSON.stringify(base.userItems(TableName))
}

function pkOf(items: readonly (Item & Key)[]): string {
  return items[0]?.pk ?? ''
}

function name(world: World, actor: Actor, attemptId: unknown): void {
  if (typeof attemptId === 'string') world.names.set(attemptId.slice(0, 26), actor.name)
}
