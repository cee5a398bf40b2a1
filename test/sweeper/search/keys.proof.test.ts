import { collectWaiting } from '../../../src/library/entries/sweeper/waitingLines.ts'
import { withFormat } from '../../../src/library/protocol/store/format.ts'
import { memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { claimKey } from '../../../src/library/protocol/claim/token/claimKey.ts'
import {
  completeKey,
  freeKey,
  parkKey,
  renewKey,
} from '../../../src/library/protocol/claim/token/endKey.ts'
import type { Token } from '../../../src/library/protocol/claim/token/token.ts'
import { listing, mayBeLost } from '../../../src/library/entries/sweeper/search/lost.ts'
import { sweepItem } from '../../../src/library/entries/sweeper/sweepItem.ts'
import { sortableId } from '../../../src/library/base/sortableId.ts'
import { holds } from '../../../src/library/protocol/store/condition.ts'
import { applyUpdate } from '../../../src/library/adapters/store/memory/ownItems.ts'
import type { Item, Store, Update } from '../../../src/library/protocol/store/store.ts'
import { inTurn } from '../../proof/depth.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'

/** One key, its callers, and a search and a sweeper that read, are paused for as long as they like, and write. */
interface State {
  readonly now: number
  readonly item: Item | undefined
  /** Callers that run, also beyond their lease. */
  readonly alive: readonly Holder[]
  readonly calls: number
  readonly steps: number
  /** What the search and the sweeper have read, and have not written yet. */
  readonly found: Item | undefined
  readonly swept: Item | undefined
  /** The sweeper has taken it off the list, and nobody has called since. */
  readonly givenUp: boolean
}

interface Holder {
  readonly token: Token
  /** It has taken over, so its claim is listed. */
  readonly isListed: boolean
  readonly renewals: number
}

interface Setting {
  readonly retention: number
  /** By how much the clock of the search is ahead of that of the callers, milliseconds. */
  readonly ahead: number
}

/** A switch turns one protection off. */
interface Switches extends Setting {
  readonly search?: false
  /** The search writes whatever has become of what it has read. */
  readonly asJudged?: false
  /** The search does not see what was given up. */
  readonly givenUp?: false
  /** A renewal leaves its place in the index as it is. */
  readonly renewal?: false
  /** A renewal takes every holder out of the index. */
  readonly retries?: false
  /** An end leaves its place in the index. */
  readonly end?: false
  /** What is held counts as lost. */
  readonly lease?: false
}

const PK = 'key#pay/k'
const KEY = { pk: PK, sk: 'token' }
const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
const LEASE = 10 * SECOND
const BEGIN = Date.UTC(2026, 0, 1)
const TIMES = [LEASE / 2, 3 * MINUTE, DAY + MINUTE]
const MOST = { calls: 2, steps: 3, renewals: 1 }
const LOGGER = quietLogger()
const SINKS = {
  messenger: { send: async () => [] } as never,
  logger: LOGGER,
  waiting: collectWaiting(LOGGER),
}
const NO_STORE = memoryStore()

type Violation =
  | 'listed though it has ended or is free'
  | 'listed though it is held'
  | 'listed again'
  | 'overdue though it was renewed'
  | 'a retry that is not listed'
  | 'deleted while it is held'
  | 'more than the index'
  | 'lost'

type Next = readonly (State | Violation)[]

async function next(state: State, switches: Switches): Promise<Next> {
  return [
    ...(await called(state, switches)),
    ...state.alive.flatMap((holder) => ofHolder(state, holder, switches)),
    ...(switches.search === false ? [] : searches(state, switches)),
    ...(await sweeps(state, switches)),
    ...(state.steps === MOST.steps ? [] : TIMES).map((time) => ({
      ...state,
      now: state.now + time,
      steps: state.steps + 1,
    })),
  ]
}

/** A store of one item. `seen`: what it reads, however old. */
function storeOf(item: Item | undefined, seen = item) {
  let mine = item
  const store: Store = {
    ...NO_STORE,
    read: async () => [{ kind: 'found', item: seen }],
    create: async ([created]) => {
      if (mine !== undefined) return [{ kind: 'refused', item: mine }]
      mine = created && withFormat(created)
      return [{ kind: 'applied', item: mine }]
    },
    update: async (updates) =>
      updates.map((update) => {
        const outcome = applyUpdate(mine, update)
        if (outcome.kind === 'applied') mine = outcome.item
        return outcome
      }),
  }
  return { store, item: () => mine }
}

async function called(state: State, { retention }: Switches): Promise<Next> {
  const { now, calls } = state
  if (calls === MOST.calls) return []
  const of = storeOf(state.item)
  const expectedCompletion = now + LEASE - SECOND
  const attemptId = `${sortableId(now)}.${calls + 1}`
  const lease = { leaseUntil: now + LEASE, expectedCompletion }
  const request = { pk: PK, attemptId, lockedBy: 'f/1', payloadHash: undefined, ...lease }
  const claim = await claimKey(of.store, { ...request, retention, listedAtOnce: false }, now)
  if (claim.kind !== 'claimed') return [{ ...state, calls: calls + 1 }]
  const holder = {
    token: claim.token,
    isListed: claim.item['statusShard'] !== undefined,
    renewals: 0,
  }
  const item = of.item()
  const after = { ...state, calls: calls + 1, item, givenUp: false }
  return [{ ...after, alive: [...state.alive, holder] }]
}

function applied(item: Item | undefined, update: Update): Item | undefined {
  const outcome = applyUpdate(item, update)
  return outcome.kind === 'applied' ? outcome.item : undefined
}

/** It renews its lease, completes, frees its key, parks it, or dies. */
function ofHolder(state: State, holder: Holder, switches: Switches): Next {
  const { item, now, alive } = state
  const { token, renewals } = holder
  const gone = { ...state, alive: alive.filter((one) => one !== holder) }
  const { retention } = switches
  const ends = [
    completeKey(token, { now, retention, set: {} }),
    freeKey(token, { now, retention }),
    parkKey(token, 'unknown', { error: 'no answer', stack: '' }, now),
  ].map((update) => (switches.end === false ? leaving(update) : update))
  const mayRenew = renewals < MOST.renewals
  return [
    ...ends.flatMap((update) => {
      const ended = applied(item, update)
      return ended === undefined ? [] : [{ ...gone, item: ended }]
    }),
    ...(mayRenew ? renewed(state, holder, switches) : []),
    gone,
  ]
}

function leaving({ remove = [], ...update }: Update): Update {
  return {
    ...update,
    remove: remove.filter((name) => name !== 'statusShard' && name !== 'dueAt'),
  }
}

function renewed(state: State, holder: Holder, { renewal, retries }: Switches): Next {
  const { item, now, alive } = state
  const { token, isListed, renewals } = holder
  const leaseUntil = now + LEASE
  const update = renewKey(token, {
    leaseUntil,
    expectedCompletion: leaseUntil - SECOND,
    isListed: isListed && retries !== false,
  })
  const after = applied(item, renewal === false ? leaving(update) : update)
  if (after === undefined) return []
  const again = { ...holder, token: { ...token, leaseUntil }, renewals: renewals + 1 }
  const living = alive.map((one) => (one === holder ? again : one))
  return [{ ...state, item: after, alive: living, givenUp: false }]
}

/** The search reads, or it writes what it has judged on an item that may be another by now. */
function searches(state: State, switches: Switches): Next {
  const { item, found } = state
  const now = state.now + (switches.lease === false ? DAY : switches.ahead)
  if (found === undefined) {
    return item !== undefined && holds(mayBeLost(now), item) ? [{ ...state, found: item }] : []
  }
  const after = { ...state, found: undefined }
  const update = listing(found, now, {})
  const listed =
    update && applied(item, switches.asJudged === false ? { ...update, where: [] } : update)
  if (listed === undefined) return [after]
  const same = textOf(unlisted(listed)) === textOf(unlisted(item))
  if (!same) return ['more than the index']
  if (state.givenUp) return ['listed again']
  const isHeld = Number(listed['leaseUntil']) > state.now
  if (isHeld && switches.ahead === 0) return ['listed though it is held']
  return [{ ...after, item: listed }]
}

function unlisted(item: Item = {}): Item {
  const { statusShard: _shard, dueAt: _due, ...rest } = item
  return rest
}

/** The sweeper reads what is listed and due, and judges it whenever it likes. */
async function sweeps(state: State, { givenUp }: Switches): Promise<Next> {
  const { item, now, swept } = state
  if (swept === undefined) {
    const isDue = item?.['statusShard'] !== undefined && Number(item['dueAt']) <= now
    return isDue ? [{ ...state, swept: item }] : []
  }
  const of = storeOf(item, swept)
  const outcome = await sweepItem(KEY, {
    store: of.store,
    ...SINKS,
    retention: DAY,
    now,
    lost: {},
  })
  const after = { ...state, swept: undefined }
  const left = of.item()
  if (outcome !== 'unlisted' || left === undefined || left === item) return [after]
  return [{ ...after, givenUp: true, item: givenUp === false ? unlisted(left) : left }]
}

function brokenIn({ item, now, alive }: State): Violation | undefined {
  if (item === undefined) return undefined
  const { status, leaseUntil, attemptId, statusShard, dueAt, ttl } = item
  const isHeld = status === 'inProgress' && Number(leaseUntil) > now
  if (isHeld && ttl !== undefined) return 'deleted while it is held'
  const isOver = status === undefined || (status === 'inProgress' && leaseUntil === 0)
  if (isOver && statusShard !== undefined) return 'listed though it has ended or is free'
  const holder = alive.find(({ token }) => token.attemptId === attemptId)
  if (!isHeld || holder === undefined) return undefined
  if (holder.isListed && statusShard === undefined) return 'a retry that is not listed'
  const isLate = statusShard !== undefined && Number(dueAt) < Number(leaseUntil) - SECOND
  return holder.renewals > 0 && isLate ? 'overdue though it was renewed' : undefined
}

/** Nothing runs, and nobody calls: the search has the last word. */
function lostAtRest({ item, alive, now, givenUp }: State, { search }: Switches): boolean {
  if (item === undefined || alive.length > 0) return false
  if (item['status'] !== 'inProgress' || item['leaseUntil'] === 0) return false
  const later = now + LEASE + 3 * MINUTE
  const isFound = search !== false && holds(mayBeLost(later), item)
  const update = isFound ? listing(item, later, {}) : undefined
  const listed = update === undefined ? item : applied(item, update)
  return listed?.['statusShard'] === undefined && !givenUp
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    each instanceof Set || each instanceof Map ? [...(each as Iterable<unknown>)] : each,
  )
}

/** @param until the exploration is over when it has found this */
async function explore(switches: Switches, until?: Violation) {
  const begin: State = {
    now: BEGIN,
    item: undefined,
    alive: [],
    calls: 0,
    steps: 0,
    found: undefined,
    swept: undefined,
    givenUp: false,
  }
  const seen = new Set<string>([textOf(begin)])
  const found = new Set<Violation>()
  const queue = [begin]
  for (const state of queue) {
    if (until && found.has(until)) break
    const broken = brokenIn(state) ?? (lostAtRest(state, switches) ? 'lost' : undefined)
    if (broken !== undefined) {
      found.add(broken)
      continue
    }
    for (const to of await next(state, switches)) {
      if (typeof to === 'string') {
        found.add(to)
        continue
      }
      const text = textOf(to)
      if (seen.has(text)) continue
      seen.add(text)
      queue.push(to)
    }
  }
  return { states: seen.size, found: [...found] }
}

const SETTINGS: readonly Setting[] = [
  { retention: DAY, ahead: 0 },
  { retention: Infinity, ahead: 0 },
  { retention: DAY, ahead: 4 * MINUTE },
]

it.each(inTurn(SETTINGS, 3))(
  'in every history what is lost ends listed, once, and what is held, free or has ended does not: %o',
  async (setting) => {
    const { states, found } = await explore(setting)
    expect(found).toEqual([])
    expect(states).toBeGreaterThan(50_000)
  },
)

it.each<[keyof Switches, Violation, Partial<Setting>]>([
  ['search', 'lost', {}],
  ['asJudged', 'listed though it has ended or is free', {}],
  ['lease', 'listed though it is held', {}],
  ['givenUp', 'listed again', {}],
  ['renewal', 'overdue though it was renewed', { ahead: 4 * MINUTE }],
  ['retries', 'a retry that is not listed', {}],
  ['end', 'listed though it has ended or is free', {}],
])('without %s: %s', async (protection, violation, setting) => {
  const all = { retention: Infinity, ahead: 0, ...setting, [protection]: false }
  expect((await explore(all, violation)).found).toContain(violation)
})
