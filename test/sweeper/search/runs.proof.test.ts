import { expect, it } from 'vitest'
import {
  type AnyStageRequest,
  claimWrite,
} from '../../../src/library/protocol/claim/stage/claimWrite.ts'
import { decideStage, decideStart } from '../../../src/library/protocol/claim/stage/decideStage.ts'
import { holdStage } from '../../../src/library/protocol/claim/stage/heldStage.ts'
import { type HeldStage } from '../../../src/library/protocol/claim/stage/stageOwnedBy.ts'
import {
  resendingEntry,
  settleStage,
} from '../../../src/library/protocol/claim/stage/endAttempt.ts'
import { readStageRecord } from '../../../src/library/protocol/claim/stage/stageRecord.ts'
import { listing, mayBeLost, stalledRun } from '../../../src/library/entries/sweeper/search/lost.ts'
import { sortableId } from '../../../src/library/base/sortableId.ts'
import { holds } from '../../../src/library/protocol/store/condition.ts'
import { applyUpdate } from '../../../src/library/adapters/store/memory/ownItems.ts'
import { withFormat } from '../../../src/library/protocol/store/format.ts'
import type { Item, Update } from '../../../src/library/protocol/store/store.ts'
import { KEY, request } from '../../claim/stage/given.ts'

/** A run of two stages that a newer request may supersede, their messages, their attempts, and a search that is paused as it likes. */
interface State {
  /** How many claims are made at most. */
  readonly most: number
  readonly now: number
  readonly item: Item | undefined
  /** Attempts that run, also beyond their lease. */
  readonly alive: readonly HeldStage[]
  readonly claims: number
  readonly messages: readonly Name[]
  /** What the search has read, and has not written yet. */
  readonly read: Item | undefined
}

type Name = 'A of r1' | 'B of r1' | 'A of r2'

/** A switch turns one protection off. */
interface Switches {
  readonly search?: false
  /** The search writes whatever has become of what it has read. */
  readonly asJudged?: false
  /** A start leaves the place in the index of the run that it supersedes. */
  readonly leave?: false
  /** A reset leaves it. */
  readonly reset?: false
}

const LEASE = 10
const BEGIN = 1_000
const GIVE_UP = BEGIN + 35
const RULE = { after: 20 }
const STEPS = [LEASE + 1, RULE.after + LEASE + 1]

type Violation =
  | 'listed though it has ended'
  | 'listed though it continues'
  | 'listed at the time of another run'
  | 'lost'
  | 'more than the index'

type Next = readonly (State | Violation)[]

function next(state: State, switches: Switches): Next {
  return [
    ...state.messages.flatMap((name) => deliveries(state, name, switches)),
    ...state.alive.flatMap((held) => ofAttempt(state, held, switches)),
    ...(switches.search === false ? [] : searches(state, switches)),
    ...STEPS.filter((step) => state.now + step < GIVE_UP + 10).map((step) => ({
      ...state,
      now: state.now + step,
    })),
    ...state.messages.map((name) => ({ ...state, messages: without(state, name) })),
  ]
}

function without({ messages }: State, name: Name): readonly Name[] {
  return messages.filter((one) => one !== name)
}

function requestOf({ now, claims }: State, name: Name): AnyStageRequest {
  const isFirst = name !== 'B of r1'
  const asked = request({
    stage: isFirst ? 'A' : 'B',
    uniqueRequestId: name === 'A of r2' ? 'r2' : 'r1',
    sentAt: name === 'A of r2' ? 2 : 1,
    attemptId: `${sortableId(now)}.${claims + 1}`,
    leaseUntil: now + LEASE,
    giveUpAt: name === 'A of r2' ? GIVE_UP + 5 : GIVE_UP,
    maxAttempts: 9,
    after: isFirst ? undefined : 'A',
    epoch: 1,
    onConflict: 'supersede',
  })
  if (isFirst) return asked
  const { onConflict: _, ...later } = asked
  return later
}

function deliveries(state: State, name: Name, { leave }: Switches): Next {
  if (state.claims === state.most) return []
  const { item, now } = state
  const claim = requestOf(state, name)
  const record = item && readStageRecord(item)
  const verdict =
    'onConflict' in claim
      ? decideStart(record, claim, now)
      : decideStage(record, request({ ...claim }), now)
  switch (verdict.kind) {
    case 'start':
    case 'begin':
    case 'takeOver': {
      const write = claimWrite(verdict, claim, KEY)
      const claimed = write.kind === 'create' ? withFormat(write.item) : applied(item, write.update)
      if (claimed === undefined) throw new Error('refused')
      const { statusShard, dueAt } = item ?? {}
      const isLeft = leave === false && verdict.kind === 'start' && statusShard !== undefined
      const after: Item = isLeft ? { ...claimed, statusShard, dueAt: dueAt ?? 0 } : claimed
      if (verdict.kind === 'start' && after['statusShard'] !== undefined)
        return ['listed at the time of another run']
      return [
        {
          ...state,
          claims: state.claims + 1,
          item: after,
          alive: [...state.alive, heldIn(after, claim)],
        },
      ]
    }
    case 'over':
      return [{ ...state, messages: without(state, name) }]
    default:
      return []
  }
}

function heldIn(item: Item, { stage, attemptId }: AnyStageRequest): HeldStage {
  const record = readStageRecord(item)
  const held = record && holdStage(record, stage, attemptId)
  if (held?.entry.status !== 'open') throw new Error('not claimed')
  return { ...held, entry: held.entry }
}

function applied(item: Item | undefined, update: Update): Item | undefined {
  const outcome = applyUpdate(item, update)
  return outcome.kind === 'applied' ? outcome.item : undefined
}

/** It settles its stage, the last one ends the run; or it schedules a retry, or dies. */
function ofAttempt(state: State, held: HeldStage, { reset }: Switches): Next {
  const { item, now } = state
  const gone = { ...state, alive: state.alive.filter((one) => one !== held) }
  const ends = held.stage === 'B' || held.run.uniqueRequestId === 'r2'
  const settled = settleStage(held, { ends, sentTo: ends ? [] : ['B'] }, { now, retention: 1_000 })
  const update = settled.kind === 'end' ? settled.ending.finish : settled.update
  const remove = update.remove?.filter((name) => name !== 'statusShard' && name !== 'dueAt')
  const ended = applied(item, reset === false ? { ...update, remove: remove ?? [] } : update)
  const retried = applied(item, resendingEntry(held, 1, now + LEASE))
  const sent: readonly Name[] = ends ? [] : ['B of r1']
  return [
    ...(ended === undefined
      ? []
      : [{ ...gone, item: ended, messages: [...new Set([...state.messages, ...sent])] }]),
    ...(retried === undefined ? [] : [{ ...gone, item: retried }]),
    gone,
  ]
}

/** The search reads; or it writes what it has judged on an item that may be another by now. */
function searches(state: State, { asJudged }: Switches): Next {
  const { item, now, read } = state
  if (read === undefined) {
    return item !== undefined && holds(mayBeLost(now), item) ? [{ ...state, read: item }] : []
  }
  const after = { ...state, read: undefined }
  const update = listing(read, now, RULE)
  const listed = update && applied(item, asJudged === false ? { ...update, where: [] } : update)
  if (listed === undefined) return [after]
  return [verdictOn(item, listed, now) ?? { ...after, item: listed }]
}

function verdictOn(before: Item = {}, listed: Item, now: number): Violation | undefined {
  if (listed['uniquerequestid'] === undefined) return 'listed though it has ended'
  const isOver = Number(listed['giveUpAt']) <= now
  if (!isOver && stalledRun(before, now, RULE) === undefined) return 'listed though it continues'
  const { statusShard: _shard, dueAt: _due, ...rest } = listed
  const { statusShard: _before, dueAt: _then, ...was } = before
  return textOf(rest) === textOf(was) ? undefined : 'more than the index'
}

/** Nothing runs, and nothing comes: once the time of the run is over, the sweeper has to find it due. */
function verdictAtRest({ item, alive, messages }: State, { search }: Switches) {
  if (item === undefined || alive.length > 0 || messages.length > 0) return undefined
  if (item['uniquerequestid'] === undefined) {
    return item['statusShard'] === undefined ? undefined : ('listed though it has ended' as const)
  }
  const later = GIVE_UP + 100
  const found = search !== false && holds(mayBeLost(later), item)
  const update = found ? listing(item, later, RULE) : undefined
  const swept = update === undefined ? item : applied(item, update)
  const isDue = swept?.['statusShard'] !== undefined && Number(swept['dueAt']) <= later
  return isDue ? undefined : ('lost' as const)
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => {
    const isMany = each instanceof Set || each instanceof Map
    return isMany ? [...(each as Iterable<unknown>)] : each
  })
}

const BEGINS: readonly Pick<State, 'messages' | 'most'>[] = [
  { messages: ['A of r1'], most: 3 },
  { messages: ['A of r1', 'A of r2'], most: 2 },
]

/** @param until the exploration is over when it has found this */
function explore(switches: Switches = {}, until?: Violation) {
  const all = BEGINS.map((begin) => exploreFrom(begin, switches, until))
  const states = all.reduce((sum, each) => sum + each.states, 0)
  return { states, found: [...new Set(all.flatMap(({ found }) => found))] }
}

function exploreFrom(from: (typeof BEGINS)[number], switches: Switches, until?: Violation) {
  const begin: State = {
    ...from,
    now: BEGIN,
    item: undefined,
    alive: [],
    claims: 0,
    read: undefined,
  }
  const seen = new Set<string>([textOf(begin)])
  const found = new Set<Violation>()
  const queue = [begin]
  for (const state of queue) {
    if (until && found.has(until)) break
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

it('in every history a run that nothing continues is found due, and what has ended or continues is not listed', () => {
  const { states, found } = explore()
  expect(found).toEqual([])
  expect(states).toBeGreaterThan(5_000)
})

it.each<[keyof Switches, Violation]>([
  ['search', 'lost'],
  ['asJudged', 'listed though it has ended'],
  ['asJudged', 'listed though it continues'],
  ['leave', 'listed at the time of another run'],
  ['reset', 'listed though it has ended'],
])('without %s: %s', (protection, violation) => {
  expect(explore({ [protection]: false }, violation).found).toContain(violation)
})
