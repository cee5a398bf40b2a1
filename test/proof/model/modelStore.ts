import { RetryableError, StoreUnavailableError } from '../../../src/library/base/errors.ts'
import type {
  Item,
  ReadOutcome,
  Store,
  TransactOutcome,
  Update,
  WriteOutcome,
} from '../../../src/library/protocol/store/store.ts'
import type { MemoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import { call } from '../../../src/testing/crashes/simulation/call.ts'
import type { Watch } from './watch.ts'
import { tell, textOf } from './texts.ts'
import { inWords } from './words.ts'
import type { Actor, Simulation } from '../../../src/testing/crashes/simulation/simulation.ts'
import type { CrashCallFault } from '../../../src/testing/crashes/simulation/crashFaults.ts'

const WRITE: readonly CrashCallFault[] = [
  'request lost',
  'answer lost',
  'repeated',
  'throttled',
  'killed before',
  'killed on the wire',
]
const READ: readonly CrashCallFault[] = ['request lost', 'killed before']

/** The table behind all invocations. */
export interface Table {
  /** The actual items. */
  readonly base: MemoryStore
  /** What the code under test works with: the same, or with a protection taken away. */
  readonly shown: Store
  /** The tokens as they are. */
  readonly tokens: Map<string, Item>
  /** Each token as it was within the last second, the oldest first: a read that lags may show it, many writes behind. */
  readonly before: Map<string, readonly Past[]>
  /** Ids of attempts are random: in texts they go by the name of their invocation. */
  readonly names: Map<string, string>
  /** The user's items, as one text. */
  users: string
  /** What has expired by then is deleted, epoch milliseconds. */
  readonly deletes: { until: number }
}

/** The item that was stored until that time. */
interface Past {
  readonly item: Item | undefined
  readonly until: number
}

/** An eventually consistent read is at most so far behind. */
const LAG_MS = 1_000

type Failed = { readonly kind: 'failed'; readonly error: Error }
const unanswered = (): Failed => ({ kind: 'failed', error: new StoreUnavailableError('no answer') })
const throttled = (): Failed => ({ kind: 'failed', error: new RetryableError('the item is busy') })

/** The store as one invocation sees it: each call waits for the explorer, each change is watched. */
export function storeOf(actor: Actor, simulation: Simulation, table: Table, watch: Watch): Store {
  /** `claim` is the write whose condition says in whose name the change is made. */
  const changing = async <A>(claim: Update | undefined, work: () => Promise<A>): Promise<A> => {
    const outcome = await work()
    lookAgain(table, simulation.now, (before, after) =>
      watch.changed(claim, before, after, actor.clock.now()),
    )
    const users = usersIn(table)
    if (users !== table.users && claim !== undefined) watch.wrote(claim)
    table.users = users
    return outcome
  }
  const name = (id: unknown): void => {
    if (typeof id !== 'string') return
    const dot = id.indexOf('.')
    table.names.set(id, dot < 0 ? actor.name : `${actor.name}${id.slice(dot)}`)
  }
  const tellAll = (outcomes: readonly (WriteOutcome | ReadOutcome)[]): string =>
    outcomes.map((outcome) => tell(outcome, table)).join()
  return {
    create: (items) => {
      for (const { attemptId } of items) name(attemptId)
      return call(simulation, actor, {
        what: items.some(({ sk }) => sk === 'input') ? 'keeps the payload' : 'claims',
        apply: () => changing(undefined, () => table.shown.create(items)),
        unanswered: () => items.map(unanswered),
        throttled: () => items.map(throttled),
        seen: tellAll,
        faults: WRITE,
      })
    },
    update: (updates) => {
      for (const { set } of updates) name(set?.['attemptId'])
      return call<readonly WriteOutcome[]>(simulation, actor, {
        what: updates.map(inWords).join(' and '),
        apply: async () => {
          const outcomes: WriteOutcome[] = []
          for (const update of updates) {
            outcomes.push(...(await changing(update, () => table.shown.update([update]))))
          }
          return outcomes
        },
        unanswered: () => updates.map(unanswered),
        throttled: () => updates.map(throttled),
        seen: tellAll,
        faults: WRITE,
      })
    },
    read: (keys, options) =>
      call<readonly ReadOutcome[]>(simulation, actor, {
        what: keys.some(({ sk }) => sk === 'input') ? 'reads what is kept' : 'reads the token',
        apply: () => table.shown.read(keys, options),
        unanswered: () => keys.map(unanswered),
        stale: () =>
          keys.map(({ pk }) => ({ kind: 'found', item: staleOf(table, pk, simulation.now) })),
        seen: tellAll,
        faults: options?.consistent === true ? READ : [...READ, 'stale'],
      }),
    transact: (claim, writes) => {
      if ('create' in claim) name(claim.create['attemptId'])
      return call<TransactOutcome>(simulation, actor, {
        what: `${'create' in claim ? 'completes at once' : inWords(claim)}, with its write`,
        apply: () =>
          changing('create' in claim ? undefined : claim, () =>
            table.shown.transact(claim, writes),
          ),
        unanswered,
        throttled,
        seen: (outcome) => tell(outcome, table),
        faults: WRITE,
      })
    },
    due: (query) => table.shown.due(query),
    readUser: (key) =>
      call(simulation, actor, {
        what: 'reads an item',
        apply: () => table.shown.readUser(key),
        seen: (item) => textOf(item, table),
        faults: ['killed before'],
      }),
  }
}

function lookAgain(
  table: Table,
  now: number,
  seen: (before: Item | undefined, after: Item) => void,
): void {
  for (const item of table.base.items()) {
    const { pk, sk } = item
    if (typeof pk !== 'string' || sk !== 'token') continue
    const before = table.tokens.get(pk)
    if (before !== undefined && textOf(before, table) === textOf(item, table)) continue
    table.before.set(pk, [...pastOf(table, pk, now), { item: before, until: now }])
    table.tokens.set(pk, item)
    seen(before, item)
  }
}

/** @returns the tokens that were deleted, by their key */
export function forgetTokens({
  base,
  tokens,
  before,
}: Table): readonly (readonly [string, Item])[] {
  const stored = new Set(base.items().map(({ pk }) => pk))
  const gone = [...tokens.entries()].filter(([pk]) => !stored.has(pk))
  for (const [pk] of gone) {
    tokens.delete(pk)
    before.delete(pk)
  }
  return gone
}

export function pastOf({ before }: Table, pk: string, now: number): readonly Past[] {
  return (before.get(pk) ?? []).filter(({ until }) => until + LAG_MS > now)
}

function staleOf(table: Table, pk: string, now: number): Item | undefined {
  const [oldest] = pastOf(table, pk, now)
  return oldest === undefined ? table.tokens.get(pk) : oldest.item
}

const USER_TABLES = ['stock', 'orders']

function usersIn(table: Table): string {
  return USER_TABLES.flatMap((name) =>
    table.base.userItems(name).map((item) => textOf(item, table)),
  ).join(';')
}
