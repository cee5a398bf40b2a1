import { randomInt } from 'node:crypto'
import { type Clock, systemClock } from '../../base/clock.ts'
import { RetryableError, TerminalError } from '../../base/errors.ts'
import type { DeclaredTable } from '../../base/limits/wrongAction.ts'
import { withoutUndefined } from '../wire/transactItem.ts'
import type { Item, Store, UserItem, WriteOutcome } from '../store.ts'
import { openConflicts } from './transact.ts'
import { declaredTables, openUserTables } from './userTables.ts'
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
  const users = openUserTables(declaredTables(options.tables), options.rows ?? {})
  const conflicts = openConflicts(own, users, { clock, random }, transactionTime)
  return {
    inMemory: true,
    create: (items) =>
      conflicts.writeAll(
        items,
        (item) => item,
        (item) => orFailed(() => own.create(item)),
      ),
    async update(changes) {
      const outcomes = await conflicts.writeAll(
        changes,
        ({ key }) => key,
        (change) => orFailed(() => own.update(change)),
      )
      return outcomes.map((outcome, index) =>
        changes[index]?.needsNoItem === true ? withoutItem(outcome) : outcome,
      )
    },
    read: async (keys) => keys.map(own.read),
    due: async (query) => due(own.all(), query),
    transact: async (claim, writes) => {
      try {
        return await conflicts.transact(claim, writes.map(withoutUndefined))
      } catch (error) {
        return failedBy(error)
      }
    },
    readUser: async (key) => users.read(key),
    items: own.all,
    userItems: users.all,
  }
}

function withoutItem(outcome: WriteOutcome): WriteOutcome {
  return outcome.kind === 'applied' ? { kind: 'applied', item: undefined } : outcome
}

/** A value that cannot be stored fails only its own entry. */
function orFailed(write: () => WriteOutcome): WriteOutcome {
  try {
    return write()
  } catch (error) {
    return failedBy(error)
  }
}

function failedBy(error: unknown): { readonly kind: 'failed'; readonly error: Error } {
  if (error instanceof TerminalError || error instanceof RetryableError) {
    return { kind: 'failed', error }
  }
  throw error
}

function chance(): number {
  return randomInt(1_000) / 1_000
}
