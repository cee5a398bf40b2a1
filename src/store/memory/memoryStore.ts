import { ConfigError, TerminalError } from '../../errors.ts'
import { mistakeInUserWrites } from '../mistake.ts'
import type { Item, Key, RawWrite, Store, TransactOutcome, Update, UserItem } from '../store.ts'
import type { UserKey, UserWrite, WriteOutcome } from '../store.ts'
import { isUserWrite } from '../userWrite.ts'
import { canonical } from '../value.ts'
import { applyUpdate } from './applyUpdate.ts'
import { applyUserWrite, type UserOutcome } from './applyUserWrite.ts'
import { copyItem, copyUserItem } from './copy.ts'
import { due } from './due.ts'

export type MemoryStore = Store & {
  /** Every item of the framework's own, in the order of creation. */
  items(): readonly Item[]
  /** Every item of a table of the user's own. */
  userItems(tableName: string): readonly UserItem[]
}

/** The rules of the store without a database, for tests: each call takes place at once and as a whole. */
export function memoryStore(): MemoryStore {
  const items = new Map<string, Item>()
  const userItems = new Map<string, Map<string, UserItem>>()

  const create = (given: Item & Key): WriteOutcome => {
    const standing = items.get(address(given))
    if (standing !== undefined) return { kind: 'refused', item: copyItem(standing) }
    items.set(address(given), copyItem(given))
    return { kind: 'applied', item: copyItem(given) }
  }

  const update = (change: Update): WriteOutcome => {
    const outcome = applyUpdate(items.get(address(change.key)), change)
    if (outcome.kind === 'applied') keep(items, address(change.key), outcome.item)
    return shown(outcome)
  }

  const transact = (claim: Update, given: readonly (UserWrite | RawWrite)[]): TransactOutcome => {
    const mistake = mistakeInUserWrites(given)
    if (mistake !== undefined) return { kind: 'failed', error: mistake }
    const writes = given.filter(isUserWrite)
    if (writes.length < given.length) return { kind: 'failed', error: notHere() }
    const claimed = applyUpdate(items.get(address(claim.key)), claim)
    const written = writes.map((write) =>
      applyUserWrite(tableOf(userItems, write.TableName).get(canonical(write.Key)), write),
    )
    const outcome = judge(claimed, written)
    if (outcome !== undefined) return outcome
    if (claimed.kind === 'applied') keep(items, address(claim.key), claimed.item)
    for (const [index, { TableName, Key: at }] of writes.entries()) {
      const one = written[index]
      if (one?.kind === 'applied') keep(tableOf(userItems, TableName), canonical(at), one.item)
    }
    return { kind: 'applied' }
  }

  return {
    create: async (given) => given.map((item) => orFailed(() => create(item))),
    update: async (changes) => {
      const outcomes = changes.map((change) => orFailed(() => update(change)))
      return outcomes.length < TOO_MANY_TO_TELL ? outcomes : outcomes.map(untold)
    },
    read: async (keys) =>
      keys.map((key) => ({ kind: 'found', item: seen(items.get(address(key))) })),
    due: async (query) => due([...items.values()], query),
    transact: async (claim, writes) => orFailed(() => transact(claim, writes)),
    readUser: async (key: UserKey) =>
      seenByUser(tableOf(userItems, key.TableName).get(canonical(key.Key))),
    items: () => [...items.values()].map(copyItem),
    userItems: (tableName) => [...tableOf(userItems, tableName).values()].map(copyUserItem),
  }
}

/** DynamoDB batches from here on, and a batch does not tell what stands there after an update: nobody may rely on it. */
const TOO_MANY_TO_TELL = 3

function untold(outcome: WriteOutcome): WriteOutcome {
  return outcome.kind === 'applied' ? { kind: 'applied', item: undefined } : outcome
}

function notHere(): ConfigError {
  return new ConfigError(
    'raw: the memory store cannot read the expressions of DynamoDB; nothing was written. Say it with set, add, remove ' +
      'and guard, or run this test on dynamoDbStore with a local DynamoDB.',
  )
}

/** Undefined: all may take place. A refused claim comes first, for then the writes are none of this attempt's business. */
function judge(
  claimed: WriteOutcome,
  written: readonly UserOutcome[],
): TransactOutcome | undefined {
  if (claimed.kind === 'failed') return claimed
  if (claimed.kind === 'refused') return { ...claimed, by: 'claim', item: seen(claimed.item) }
  const failed = written.find(({ kind }) => kind === 'failed')
  if (failed?.kind === 'failed') return failed
  const index = written.findIndex(({ kind }) => kind === 'refused')
  const refused = written[index]
  if (refused?.kind !== 'refused') return undefined
  return { ...refused, by: 'write', index, item: seenByUser(refused.item) }
}

/** A value that cannot be stored fails its own entry only. */
function orFailed<O>(
  write: () => O,
): O | { readonly kind: 'failed'; readonly error: TerminalError } {
  try {
    return write()
  } catch (error) {
    if (error instanceof TerminalError) return { kind: 'failed', error }
    throw error
  }
}

function keep<I>(table: Map<string, I>, at: string, item: I | undefined): void {
  if (item === undefined) table.delete(at)
  else table.set(at, item)
}

function shown(outcome: WriteOutcome): WriteOutcome {
  return outcome.kind === 'failed' ? outcome : { ...outcome, item: seen(outcome.item) }
}

function seen(item: Item | undefined): Item | undefined {
  return item && copyItem(item)
}

function seenByUser(item: UserItem | undefined): UserItem | undefined {
  return item && copyUserItem(item)
}

function address(key: Key): string {
  return `${key.pk.length}:${key.pk}${key.sk}`
}

function tableOf(
  tables: Map<string, Map<string, UserItem>>,
  tableName: string,
): Map<string, UserItem> {
  const table = tables.get(tableName) ?? new Map<string, UserItem>()
  tables.set(tableName, table)
  return table
}
