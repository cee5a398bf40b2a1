import { withFormat } from '../../../src/library/protocol/store/format.ts'
import { expect, it } from 'vitest'
import { decideClaim } from '../../../src/library/protocol/claim/token/decideClaim.ts'
import { newToken, takeOver } from '../../../src/library/protocol/claim/token/claimWrites.ts'
import { listLost, unlistEnded } from '../../../src/library/protocol/claim/token/listLost.ts'
import { addEffect, scheduleResend } from '../../../src/library/protocol/claim/token/tokenWrites.ts'
import { complete } from '../../../src/library/protocol/claim/token/settleWrites.ts'
import { readToken, type Token } from '../../../src/library/protocol/claim/token/token.ts'
import { lostToken } from '../../../src/library/entries/sweeper/search/lost.ts'
import { applyUpdate } from '../../../src/library/adapters/store/memory/ownItems.ts'
import type { Item, Update } from '../../../src/library/protocol/store/store.ts'
import { request } from '../../claim/token/given.ts'

/** One request, its message, its attempts, and a search that reads, is paused for as long as it likes, and writes. */
interface State {
  readonly now: number
  readonly item: Item | undefined
  /** Attempts that run, also beyond their lease. */
  readonly alive: readonly Token[]
  readonly claims: number
  readonly effects: number
  /** The queue shows the message again. */
  readonly message: boolean
  /** What the search has read, and has not written yet. */
  readonly read: Item | undefined
  readonly faults: number
}

/** A switch turns one protection off. */
interface Switches {
  readonly search?: false
  readonly asJudged?: false
  readonly lease?: false
  readonly unlist?: false
}

const LEASE = 10
const PATIENCE = 20
const STEPS = [LEASE + 1, LEASE + PATIENCE + 1]
const BEGIN = 1_000
const RULE = { after: PATIENCE }

type Violation =
  | 'listed though it has ended'
  | 'listed though an attempt is live'
  | 'lost'
  | 'twice'
  | 'more than the index'

function next(state: State, switches: Switches): readonly (State | Violation)[] {
  return [
    ...deliveries(state),
    ...state.alive.flatMap((token) => ofAttempt(state, token)),
    ...(switches.search === false ? [] : searches(state, switches)),
    ...STEPS.filter((step) => state.now + step < BEGIN + 75).map((step) => ({
      ...state,
      now: state.now + step,
    })),
    ...(state.message ? [{ ...state, message: false }] : []),
  ]
}

function deliveries(state: State): readonly State[] {
  const { item, now, message, claims, alive } = state
  if (!message || claims === 2) return []
  const claim = request({
    attemptId: `a${claims + 1}`,
    leaseUntil: now + LEASE,
    expectedCompletion: now + LEASE,
  })
  const verdict = decideClaim(item && readToken(item), claim, now)
  const begun = { ...state, claims: claims + 1 }
  switch (verdict.kind) {
    case 'start': {
      const created = withFormat(newToken(claim, now))
      return [{ ...begun, item: created, alive: [...alive, read(created)] }]
    }
    case 'takeOver': {
      const outcome = applyUpdate(item, takeOver(verdict.token, claim, now))
      if (outcome.kind !== 'applied' || outcome.item === undefined) return []
      return [{ ...begun, item: outcome.item, alive: [...alive, read(outcome.item)] }]
    }
    case 'over':
      return verdict.as === 'duplicate' ? [{ ...state, message: false }] : []
    default:
      return []
  }
}

function read(item: Item): Token {
  const token = readToken(item)
  if (token === undefined) throw new Error('unreadable')
  return token
}

/** It makes its effect, ends, schedules a retry, or dies. */
function ofAttempt(state: State, token: Token): readonly (State | Violation)[] {
  const { item, now, alive, effects, faults } = state
  const gone = { ...state, alive: alive.filter((one) => one !== token) }
  const write = (update: Update): Item | undefined => {
    const outcome = applyUpdate(item, update)
    return outcome.kind === 'applied' ? outcome.item : undefined
  }
  const marked = token.applied.size === 0 ? write(addEffect(token, 'e')) : undefined
  const ended = write(complete(token, now, 1_000))
  const retried = write(scheduleResend(token, 1, now + LEASE))
  return [
    ...(marked === undefined
      ? []
      : effects > 0
        ? (['twice'] as const)
        : [
            {
              ...state,
              item: marked,
              effects: effects + 1,
              alive: alive.map((one) =>
                one === token ? { ...one, applied: new Set(['e']) } : one,
              ),
            },
          ]),
    ...(ended === undefined ? [] : [{ ...gone, item: ended }]),
    ...(retried === undefined ? [] : [{ ...gone, item: retried }]),
    ...(faults === 0 ? [] : [{ ...gone, faults: faults - 1 }]),
  ]
}

/** The search reads; or it writes what it has judged on an item that may be another by now; or the sweeper looks at what is listed. */
function searches(state: State, switches: Switches): readonly (State | Violation)[] {
  const { item, now, read: seen } = state
  const reads = seen === undefined && item !== undefined ? [{ ...state, read: item }] : []
  const judged =
    seen === undefined
      ? undefined
      : switches.lease === false
        ? readToken(seen)
        : lostToken(seen, now, RULE)
  const after = { ...state, read: undefined }
  if (seen === undefined || judged === undefined) {
    return [...reads, ...(seen === undefined ? [] : [after])]
  }
  const update = listLost(judged)
  const outcome = applyUpdate(item, switches.asJudged === false ? { ...update, where: [] } : update)
  if (outcome.kind !== 'applied' || outcome.item === undefined) return [after]
  return [verdictOn(item, outcome.item, now) ?? { ...after, item: outcome.item }]
}

function verdictOn(before: Item | undefined, listed: Item, now: number): Violation | undefined {
  if (listed['status'] === undefined) return 'listed though it has ended'
  if (Number(listed['leaseUntil']) > now) return 'listed though an attempt is live'
  const { statusShard: _shard, dueAt: _due, ...rest } = listed
  const { statusShard: _before, dueAt: _then, ...was } = before ?? {}
  return textOf(rest) === textOf(was) ? undefined : 'more than the index'
}

/** Nothing runs, and nothing comes: the search and the sweeper have the last word. */
function verdictAtRest(state: State, switches: Switches): Violation | undefined {
  const { item, alive, message, now } = state
  if (item === undefined || alive.length > 0 || message) return undefined
  const later = now + 10 * PATIENCE
  const lost = switches.search === false ? undefined : lostToken(item, later, RULE)
  const listed = lost === undefined ? item : (itemOf(applyUpdate(item, listLost(lost))) ?? item)
  const token = read(listed)
  const swept =
    token.status === 'complete' && listed['statusShard'] !== undefined && switches.unlist !== false
      ? (itemOf(applyUpdate(listed, unlistEnded(token))) ?? listed)
      : listed
  const isListed = swept['statusShard'] !== undefined
  if (swept['status'] === undefined) return isListed ? 'listed though it has ended' : undefined
  return isListed ? undefined : 'lost'
}

function itemOf(outcome: ReturnType<typeof applyUpdate>): Item | undefined {
  return outcome.kind === 'applied' ? outcome.item : undefined
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => {
    const isMany = each instanceof Set || each instanceof Map
    return isMany ? [...(each as Iterable<unknown>)] : each
  })
}

/** @param until the search is over when it has found this */
function explore(switches: Switches = {}, until?: Violation) {
  const begin: State = {
    now: BEGIN,
    item: undefined,
    alive: [],
    claims: 0,
    effects: 0,
    message: true,
    read: undefined,
    faults: 1,
  }
  const seen = new Set<string>([textOf(begin)])
  const found = new Set<Violation>()
  for (const queue = [begin]; ;) {
    const state = queue.pop()
    if (state === undefined || (until && found.has(until))) break
    const rest = verdictAtRest(state, switches)
    if (rest !== undefined) found.add(rest)
    for (const to of next(state, switches)) {
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

it('in every history what is lost ends listed, what has ended does not, and every effect is made once', () => {
  const { states, found } = explore()
  expect(found).toEqual([])
  expect(states).toBeGreaterThan(50_000)
})

it.each<[keyof Switches, Violation]>([
  ['search', 'lost'],
  ['asJudged', 'listed though it has ended'],
  ['lease', 'listed though an attempt is live'],
  ['unlist', 'listed though it has ended'],
])('without %s: %s', (protection, violation) => {
  expect(explore({ [protection]: false }, violation).found).toContain(violation)
})
