import { RetryableError, StoreUnavailableError } from '../../src/errors.ts'
import type {
  Item,
  ReadOutcome,
  Store,
  TransactOutcome,
  Update,
  UserItem,
  Value,
  WriteOutcome,
} from '../../src/store/store.ts'
import type { MemoryStore } from '../../src/store/memory/memoryStore.ts'
import { call } from './call.ts'
import type { Watch } from './watch.ts'
import { inWords } from './words.ts'
import type { Actor, CallFault, World } from './world.ts'

const WRITE: readonly CallFault[] = [
  'request lost',
  'answer lost',
  'repeated',
  'throttled',
  'killed before',
  'killed on the wire',
]
const READ: readonly CallFault[] = ['request lost', 'killed before']

/** What stands behind all invocations. */
export interface Table {
  /** The truth. */
  readonly base: MemoryStore
  /** What the code under test works with: the same, or with a protection taken away. */
  readonly shown: Store
  /** The tokens as they are. */
  readonly tokens: Map<string, Item>
  /** Each token before its last change: what a read that lags may show. */
  readonly before: Map<string, Item | undefined>
  /** The user's items, as one text. */
  users: string
}

type Failed = { readonly kind: 'failed'; readonly error: Error }
const unanswered = (): Failed => ({ kind: 'failed', error: new StoreUnavailableError('no answer') })
const throttled = (): Failed => ({ kind: 'failed', error: new RetryableError('the item is busy') })

/** The store as one invocation sees it: each call waits for the explorer, each change is watched. */
export function storeOf(actor: Actor, world: World, table: Table, watch: Watch): Store {
  /** `claim` is the write whose condition says in whose name the change is made. */
  const changing = async <A>(claim: Update | undefined, work: () => Promise<A>): Promise<A> => {
    const outcome = await work()
    lookAgain(table, (before, after) => watch.changed(claim, before, after, actor.clock.now()))
    const users = usersIn(table)
    if (users !== table.users && claim !== undefined) watch.wrote(claim)
    table.users = users
    return outcome
  }
  return {
    create: (items) =>
      call(world, actor, {
        what: 'claims',
        apply: () => changing(undefined, () => table.shown.create(items)),
        unanswered: () => items.map(unanswered),
        throttled: () => items.map(throttled),
        told: tellAll,
        faults: WRITE,
      }),
    update: (updates) =>
      call<readonly WriteOutcome[]>(world, actor, {
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
        told: tellAll,
        faults: WRITE,
      }),
    read: (keys, options) =>
      call<readonly ReadOutcome[]>(world, actor, {
        what: 'reads the token',
        apply: () => table.shown.read(keys, options),
        unanswered: () => keys.map(unanswered),
        stale: () => keys.map(({ pk }) => ({ kind: 'found', item: staleOf(table, pk) })),
        told: tellAll,
        faults: options?.consistent === true ? READ : [...READ, 'stale'],
      }),
    transact: (claim, write) =>
      call<TransactOutcome>(world, actor, {
        what: `${inWords(claim)}, with its write`,
        apply: () => changing(claim, () => table.shown.transact(claim, write)),
        unanswered,
        throttled,
        told: ({ kind, ...rest }) =>
          'item' in rest ? `${kind} by ${rest.by} ${textOf(rest.item)}` : kind,
        faults: WRITE,
      }),
    readUser: (key) =>
      call(world, actor, {
        what: 'reads an item',
        apply: () => table.shown.readUser(key),
        told: textOf,
        faults: ['killed before'],
      }),
  }
}

function lookAgain(table: Table, told: (before: Item | undefined, after: Item) => void): void {
  for (const item of table.base.items()) {
    const pk = String(item['pk'])
    const before = table.tokens.get(pk)
    if (before !== undefined && textOf(before) === textOf(item)) continue
    table.before.set(pk, before)
    table.tokens.set(pk, item)
    told(before, item)
  }
}

function staleOf({ before, tokens }: Table, pk: string): Item | undefined {
  return before.has(pk) ? before.get(pk) : tokens.get(pk)
}

const USER_TABLES = ['stock', 'orders']

function usersIn({ base }: Table): string {
  return USER_TABLES.flatMap((name) => base.userItems(name).map(textOf)).join(';')
}

function tellAll(outcomes: readonly (WriteOutcome | ReadOutcome)[]): string {
  return outcomes
    .map((each) =>
      each.kind === 'failed' ? each.error.message : `${each.kind} ${textOf(each.item)}`,
    )
    .join()
}

/** Equal texts for equal items, and quicker than JSON. */
export function textOf(item: Item | UserItem | undefined): string {
  let text = ''
  for (const name in item) text += `${name}=${valueText(item[name] as Value)},`
  return text
}

function valueText(value: Value): string {
  return typeof value === 'object' ? [...value].join('+') : String(value)
}
