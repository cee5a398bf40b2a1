import { TerminalError } from '../../errors.ts'
import { mistakeInUserWrite } from '../mistake.ts'
import type { Item, Key, Store, TransactOutcome, Update, UserItem, UserKey } from '../store.ts'
import type { UserWrite, WriteOutcome } from '../store.ts'
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

  const transact = (claim: Update, write: UserWrite): TransactOutcome => {
    const mistake = mistakeInUserWrite(write)
    if (mistake !== undefined) return { kind: 'failed', error: mistake }
    const table = tableOf(userItems, write.TableName)
    const claimed = applyUpdate(items.get(address(claim.key)), claim)
    const written = applyUserWrite(table.get(canonical(write.Key)), write)
    const outcome = judge(claimed, written)
    if (outcome !== undefined) return outcome
    if (claimed.kind === 'applied') keep(items, address(claim.key), claimed.item)
    if (written.kind === 'applied') keep(table, canonical(write.Key), written.item)
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
    transact: async (claim, write) => orFailed(() => transact(claim, write)),
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

/** Undefined: both may take place. A refused claim comes first, for then the write is none of this attempt's business. */
function judge(claimed: WriteOutcome, written: UserOutcome): TransactOutcome | undefined {
  if (claimed.kind === 'failed') return claimed
  if (claimed.kind === 'refused') return { ...claimed, by: 'claim', item: seen(claimed.item) }
  if (written.kind === 'failed') return written
  if (written.kind === 'refused') return { ...written, by: 'write', item: seenByUser(written.item) }
  return undefined
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
