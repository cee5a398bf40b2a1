import { describe, expect, it } from 'vitest'
import {
  lostToken,
  overdueRun,
  stalledRun,
} from '../../../src/library/entries/sweeper/search/lost.ts'
import { sortableId } from '../../../src/library/base/sortableId.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'

const BEGUN = Date.UTC(2026, 0, 1)
const SECOND = 1_000
const MINUTE = 60 * SECOND

const attemptIn = (begun: number) => `${sortableId(begun)}.1`

function claimed(timeout: number, more: Item = {}): Item {
  return {
    pk: 'lock#orders/r1',
    sk: 'token',
    status: 'inProgress',
    attemptId: attemptIn(BEGUN),
    attempt: 1,
    fence: 1,
    leaseUntil: BEGUN + timeout,
    created: new Date(BEGUN + timeout - SECOND).toISOString(),
    ...more,
  }
}

const isLost = (item: Item, at: number, after?: number): boolean =>
  lostToken(item, BEGUN + at, { after }) !== undefined

describe('a first attempt', () => {
  it.each([
    [10 * SECOND, 10 * SECOND + 2 * MINUTE, '2 minutes at least'],
    [30 * SECOND, 3 * MINUTE, 'six times the timeout of the function'],
    [90 * MINUTE, 540 * MINUTE, 'the longest timeout, on Managed Instances'],
    [24 * 60 * MINUTE, 24 * 60 * MINUTE + 450 * MINUTE, 'a clock that is wrong'],
  ])('with a lease of %i ms is lost after %i ms: %s', (lease, at) => {
    expect(isLost(claimed(lease), at - 1)).toBe(false)
    expect(isLost(claimed(lease), at)).toBe(true)
  })

  it('counts from the begin of its invocation, not from its claim at the end of the batch', () => {
    const item = claimed(30 * SECOND, { created: new Date(BEGUN + 29 * SECOND).toISOString() })
    expect(isLost(item, 2.9 * MINUTE)).toBe(false)
  })

  it('of another kind of id counts from its claim', () => {
    const item = claimed(60 * SECOND, { attemptId: 'a', created: new Date(BEGUN).toISOString() })
    expect([5.9, 6].map((at) => isLost(item, at * MINUTE))).toEqual([false, true])
  })

  it('is lost when the option says so', () => {
    expect(isLost(claimed(10 * SECOND), 20 * SECOND - 1, 10 * SECOND)).toBe(false)
    expect(isLost(claimed(10 * SECOND), 20 * SECOND, 10 * SECOND)).toBe(true)
  })

  it.each<[string, Item]>([
    ['has ended', { status: 'complete' }],
    ['waits for its retry', { leaseUntil: 0 }],
    ['is listed', { statusShard: 'inProgress#1', dueAt: BEGUN }],
    ['is being dead-lettered', { status: 'dying' }],
    ['was written by a newer version', { attempt: 'one' }],
    ['is no token', { sk: 'stage' }],
  ])('is not lost that %s', (_why, more) => {
    const item = claimed(SECOND, more)
    const { status, ...ended } = item
    expect(isLost(status === 'complete' ? ended : item, 99 * MINUTE)).toBe(false)
  })
})

describe('the first attempt of a key', () => {
  const key = (more: Item = {}) => claimed(10 * MINUTE, { pk: 'key#refunds/k', ...more })

  it('is lost 2 minutes after its lease: it has no message that could be hidden', () => {
    const at = [12 * MINUTE - 1, 12 * MINUTE]
    expect(at.map((each) => isLost(key(), each))).toEqual([false, true])
    expect(at.map((each) => isLost(key(), each, 120 * MINUTE))).toEqual([false, true])
  })

  it.each<[string, Item]>([
    ['has freed its key', { leaseUntil: 0 }],
    ['is listed', { statusShard: 'inProgress#1', dueAt: BEGUN }],
    ['was listed for a day', { dueAt: BEGUN }],
    ['waits for an operator', { status: 'unknown' }],
  ])('is not lost that %s', (_why, more) => {
    expect(isLost(key(more), 99 * MINUTE)).toBe(false)
  })
})

function run(entries: Readonly<Record<string, string>>, more: Item = {}): Item {
  const stages = Object.entries(entries).map(([name, entry]) => [`stage:${name}`, entry] as const)
  return {
    pk: 'flow#trip/k',
    sk: 'stage',
    epoch: 1,
    fence: 1,
    uniquerequestid: 'r1',
    giveUpAt: BEGUN + 24 * 60 * MINUTE,
    statusShard: 'running#1',
    dueAt: BEGUN + 24 * 60 * MINUTE,
    ...Object.fromEntries(stages),
    ...more,
  }
}

const open = (lease: number) => `open 1 ${attemptIn(BEGUN)} ${BEGUN + lease} 0`
const retry = (notBefore: number) =>
  `retry 1 ${attemptIn(BEGUN)} ${notBefore === 0 ? 0 : BEGUN + notBefore} 1 sent`

describe('a run', () => {
  it.each<[string, Item, number]>([
    ['of which an attempt was lost', run({ book: open(30 * SECOND) }), 3 * MINUTE],
    [
      'of which one of two attempts was lost',
      run({ book: open(30 * SECOND), pay: open(10 * MINUTE) }),
      3 * MINUTE,
    ],
    ['whose retry does not come', run({ book: retry(10 * MINUTE) }), 15 * MINUTE],
    ['whose attempt was given back', run({ book: retry(0) }), 95 * MINUTE],
    [
      'whose dead letter was not sent',
      run({ book: `dying 1 ${attemptIn(BEGUN)} ${BEGUN + 30 * SECOND} exhausted` }),
      3 * MINUTE,
    ],
  ])('%s is stalled, and not before', (_what, item, at) => {
    expect(stalledRun(item, BEGUN + at - 1, {})).toBeUndefined()
    expect(stalledRun(item, BEGUN + at, {})).toMatchObject({ since: BEGUN + at })
  })

  it.each<[string, Item]>([
    ['whose next stage has not begun', run({ book: 'settled on pay' })],
    ['that is dead', run({ book: 'dead 1 exhausted' })],
    ['that is out of time', run({ book: open(SECOND) }, { giveUpAt: BEGUN })],
    ['that cannot be read', run({ book: 'new entry' })],
    ['that has ended', { pk: 'flow#trip/k', sk: 'stage', epoch: 2, fence: 1 }],
  ])('%s is not', (_what, item) => {
    expect(stalledRun(item, BEGUN + 99 * MINUTE, {})).toBeUndefined()
  })
})

describe('a run that is out of time', () => {
  const unlisted = { statusShard: undefined, dueAt: undefined } as never
  const limit = BEGUN + 24 * 60 * MINUTE

  it('is found when no index lists it, and not before', () => {
    const item = run({ book: 'settled on pay' }, unlisted)
    expect(overdueRun(item, limit - 1)).toBeUndefined()
    expect(overdueRun(item, limit)).toMatchObject({ run: { uniqueRequestId: 'r1' } })
  })

  it.each<[string, Item]>([
    ['is listed', run({ book: open(SECOND) })],
    ['cannot be read', run({ book: 'new entry' }, unlisted)],
    ['has ended', { pk: 'flow#trip/k', sk: 'stage', epoch: 2, fence: 1 }],
    ['is no record', claimed(SECOND)],
  ])('is left that %s', (_why, item) => {
    expect(overdueRun(item, limit)).toBeUndefined()
  })
})
