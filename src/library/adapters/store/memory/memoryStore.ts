import { type Clock, systemClock } from '../../../base/clock.ts'
import type { DeclaredTable } from '../../../base/limits/wrongAction.ts'
import { chance } from '../../../protocol/store/retries.ts'
import type { Item, Store, UserItem } from '../../../protocol/store/store.ts'
import { creationWithFormat, withFormat } from '../../../protocol/store/format.ts'
import { openWrites } from './transact.ts'
import { openUserTables } from './userTables.ts'
import { due, openOwnItems } from './ownItems.ts'

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /**
   * Your own tables, each by the names of its string keys or as CreateTable takes it, as for `startLocalCloud`: no other
   * table exists, and a key that DynamoDB would refuse is refused. Default: every table exists, with any keys.
   * @example { stock: { hash: 'sku' }, lines: { hash: 'order', range: 'line' } }
   */
  readonly tables?: Readonly<Record<string, DeclaredTable>>
  /**
   * Rows that your own tables have at the start, keys included, so that a guard such as `atLeast` can hold. Default: none.
   * @example { stock: [{ sku: 'a', available: 3 }] }
   */
  readonly rows?: Readonly<Record<string, readonly object[]>> | undefined
  /**
   * Milliseconds for which a transaction holds its items: another write of one of them is refused and retried meanwhile, as
   * with DynamoDB, and fails with STORE_UNAVAILABLE when the retries are exhausted. Reads are never refused. Default 0.
   * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
   */
  readonly transactionTime?: number
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined
  /**
   * Whether an item of the framework is deleted when its time to live is over. DynamoDB deletes it then, or up to some days
   * later. Default false: it stays.
   */
  readonly deletesExpired?: boolean
  /** Random numbers from 0 to 1, for the length of pauses between tries. */
  readonly random?: () => number
}

/** A store in memory, with its contents for assertions. */
export type MemoryStore = Store & {
  /** Every item of the framework's own table, in the order of creation. */
  items(): readonly Item[]
  /** Every item of one of your own tables. */
  userItems(tableName: string): readonly UserItem[]
}

/**
 * The store without a database, for tests: each call is atomic and immediate. What DynamoDB refuses is refused with the same
 * error: sizes of keys and items, numbers, empty keys, nesting, changed keys.
 * @throws ConfigError when a declared table has no key, or could not hold one of `rows`.
 * @example
 * const store = memoryStore({ tables: { orders: { hash: 'orderId' } } })
 * const handler = recordHandler({ name: 'orders', store }, work)
 * await handler(event, lambda)
 * expect(store.userItems('orders')).toHaveLength(1)
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { transactionTime = 0, clock = systemClock, random = chance } = options
  const own = openOwnItems(options.deletesExpired === true ? () => clock.now() : undefined)
  const users = openUserTables(options.tables, options.rows ?? {})
  const writes = openWrites(own, users, { clock, random }, transactionTime)
  return {
    inMemory: true,
    create: (items) => writes.writeAll(items.map((item) => ({ create: withFormat(item) }))),
    update: writes.writeAll,
    read: async (keys) => keys.map(own.read),
    due: async (query) => due(own.all(), query),
    transact: (claim, given) =>
      writes.transact(creationWithFormat(claim), given.map(creationWithFormat)),
    readUser: async (key) => users.read(key),
    items: own.all,
    userItems: users.all,
  }
}
