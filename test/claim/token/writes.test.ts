import { describe, expect, it } from 'vitest'
import { indexed } from '../../../src/library/protocol/claim/statusIndex.ts'
import {
  tokenKeyOf,
  leftovers,
  newToken,
  reopen,
  restart,
  takeOver,
  takeOverToDeadLetter,
} from '../../../src/library/protocol/claim/token/claimWrites.ts'
import {
  forgetCall,
  addEffect,
  storeCall,
  finishDeadLettering,
  confirmResend,
  startDeadLettering,
  waitUntil,
  scheduleResend,
} from '../../../src/library/protocol/claim/token/tokenWrites.ts'
import {
  release,
  complete,
  wasWritten,
} from '../../../src/library/protocol/claim/token/settleWrites.ts'
import { NOW, PK, request, token } from './given.ts'

const KEY = { pk: PK, sk: 'token' }
const CREATED = '2026-01-01T00:00:00.000Z'
const claim = {
  attemptId: 'mine',
  leaseUntil: NOW + 60_000,
  lockedBy: 'orders/lambda-1',
  created: CREATED,
  expectedCompletion: '2026-01-01T00:01:00.000Z',
}
const THEIRS = { field: 'attemptId', is: '=', value: 'theirs' }
const statusIs = (value: string): object => ({ field: 'status', is: '=', value })
const leaseIs = (value: number): object => ({ field: 'leaseUntil', is: '=', value })
const held = [THEIRS, statusIs('inProgress'), leaseIs(NOW + 1)]
const stored = { calls: new Map([['charge', 'start']]) }
const due = (status: Parameters<typeof indexed>[1], at: number): object => indexed(PK, status, at)

describe('a claim', () => {
  const first = { ...KEY, status: 'inProgress', attempt: 1, fence: 1, ...claim }

  it('of a new request is an item outside the status index', () => {
    expect(newToken(request(), NOW)).toEqual({ ...first, payloadHash: 'hash' })
    expect(newToken(request({ payloadHash: undefined }), NOW)).toStrictEqual(first)
  })

  it('of an expired token starts again, its fence still grows, nothing of its first life is left', () => {
    const expired = token({ status: 'complete', fence: 4, attempt: 3, ...stored })
    expect(restart(expired, request(), NOW)).toEqual({
      key: KEY,
      where: [THEIRS, { absent: 'status' }],
      set: { status: 'inProgress', attempt: 1, fence: 5, ...claim, payloadHash: 'hash' },
      remove: ['ttl', 'actualCompletion', 'death', 'sent', 'applied', 'step:charge'],
    })
    expect(leftovers(token())).toEqual(['applied'])
  })

  it('after a dead attempt counts one more, over the token as it was judged', () => {
    expect(takeOver(token({ attempt: 2, fence: 4 }), request(), NOW)).toEqual({
      key: KEY,
      where: held,
      set: { attempt: 3, fence: 5, ...claim, ...due('inProgress', NOW + 60_000) },
      remove: ['notBefore'],
    })
  })

  it('compares a missing lease as the absence of an owner', () => {
    const { where } = takeOver(token({ leaseUntil: 0 }), request(), NOW)
    expect(where?.at(-1)).toEqual({ any: [leaseIs(0), { absent: 'leaseUntil' }] })
  })

  it('of a redriven dead letter has a fresh retry budget, and keeps the effects made', () => {
    const dead = token({ status: 'error', attempt: 3, fence: 4, ...stored })
    expect(reopen(dead, request(), NOW)).toEqual({
      key: KEY,
      where: [THEIRS, statusIs('error'), leaseIs(NOW + 1)],
      set: {
        status: 'inProgress',
        attempt: 1,
        fence: 5,
        ...claim,
        payloadHash: 'hash',
        ...due('inProgress', NOW + 60_000),
      },
      remove: [
        'notBefore',
        'resendNumber',
        'confirmed',
        'reason',
        'error',
        'stack',
        'actualCompletion',
      ],
    })
  })

  const death = { reason: 'exhausted', error: 'no answer' }
  const dying = {
    status: 'dying',
    attemptId: 'mine',
    fence: 2,
    leaseUntil: NOW + 60_000,
    lockedBy: 'orders/lambda-1',
    ...due('dying', NOW + 60_000),
  }

  it('for dead-lettering fences the attempt that may still run, and counts the death', () => {
    expect(takeOverToDeadLetter(token({ death: 1 }), request(), death)).toEqual({
      key: KEY,
      where: held,
      set: { ...dying, death: 2, ...death },
    })
  })

  it('to continue dead-lettering is the same death, for the same reason', () => {
    const before = {
      status: 'dying',
      death: 1,
      reason: 'terminal',
      error: 'no such order',
    } as const
    const { set, where } = takeOverToDeadLetter(token(before), request(), death)
    expect(set).toEqual({ ...dying, death: 1, reason: 'terminal', error: 'no such order' })
    expect(where).toContainEqual(statusIs('dying'))
    const bare = takeOverToDeadLetter(token({ status: 'dying', death: 1 }), request(), death)
    expect(bare.set).toEqual({ ...dying, death: 1, ...death })
  })

  it('is shown on one of eight shards, each token always on the same one', () => {
    const keys = Array.from({ length: 400 }, (_, index) => `lock#f/${index}`)
    const shards = keys.map((pk) => indexed(pk, 'error', 5).statusShard)
    const all = Array.from({ length: 8 }, (_, shard) => `error#${shard}`)
    expect([...new Set(shards)].toSorted()).toEqual(all)
    expect(indexed(PK, 'dying', 5)).toEqual({ statusShard: 'dying#6', dueAt: 5 })
    expect(tokenKeyOf(token())).toEqual(KEY)
  })
})

describe('a write of the one who holds the claim', () => {
  const mine = [THEIRS, statusIs('inProgress')]
  const own = { needsNoItem: true, key: KEY, where: mine }
  const END = { actualCompletion: CREATED, ttl: NOW / 1_000 + 2 }

  it('completes: nothing is left of a first attempt but its end', () => {
    expect(complete(token(), NOW, 1_500)).toEqual({
      key: KEY,
      where: mine,
      set: END,
      remove: ['status', 'leaseUntil'],
      needsNoItem: true,
    })
  })

  it('completes: of a later attempt its retries go, too', () => {
    const { remove } = complete(token({ fence: 2 }), NOW, 1_500)
    const marks = ['notBefore', 'resendNumber', 'confirmed', 'reason', 'error', 'stack']
    expect(remove).toEqual(['status', 'leaseUntil', 'statusShard', 'dueAt', ...marks])
  })

  it('completes: the names of effects and calls stay, without results, and what was sent', () => {
    const { set, remove } = complete(token(stored), NOW, 1_500, '[["mail","m1"]]')
    expect(set).toEqual({ ...END, 'step:charge': '', sent: '[["mail","m1"]]' })
    expect(remove).toEqual(['status', 'leaseUntil'])
  })

  it('waits for the copy that is about to be sent', () => {
    const set = { leaseUntil: 0, notBefore: NOW + 5, resendNumber: 3, confirmed: false }
    expect(scheduleResend(token(), 3, NOW + 5)).toEqual({
      ...own,
      set: { ...set, ...due('inProgress', NOW + 5) },
    })
    expect(confirmResend(token())).toEqual({ ...own, set: { confirmed: true } })
  })

  it('waits for the same copy', () => {
    const set = { leaseUntil: 0, notBefore: NOW + 5, ...due('inProgress', NOW + 5) }
    expect(waitUntil(token(), NOW + 5)).toEqual({ ...own, set })
  })

  it('returns what it did not start: the attempt does not count', () => {
    const set = { leaseUntil: 0, attempt: 1, ...due('inProgress', NOW) }
    expect(release(token({ attempt: 2 }), NOW)).toEqual({ ...own, set })
  })

  it('starts dead-lettering with its reason', () => {
    const death = { reason: 'terminal', error: 'no such order' }
    const set = { status: 'dying', death: 2, ...death, ...due('dying', NOW) }
    expect(startDeadLettering(token({ death: 1 }), death, NOW)).toEqual({ ...own, set })
  })

  it.each([
    ['terminal', 'error'],
    [undefined, 'error'],
    ['unknown', 'unknown'],
  ] as const)('is dead-lettered for the reason %s, as %s', (reason, status) => {
    expect(finishDeadLettering(token({ status: 'dying', reason }), NOW)).toEqual({
      ...own,
      where: [THEIRS, statusIs('dying')],
      set: { status, actualCompletion: CREATED, ...due(status, NOW) },
      remove: ['leaseUntil', 'notBefore', 'resendNumber', 'confirmed'],
    })
  })

  it('records a call once, over what was seen', () => {
    const set = { 'step:charge': 'done' }
    const seen = { field: 'step:charge', is: '=', value: 'start' }
    expect(storeCall(token(), 'charge', 'done', undefined)).toEqual({
      needsNoItem: true,
      key: KEY,
      where: [...mine, { absent: 'step:charge' }],
      set,
    })
    expect(storeCall(token(), 'charge', 'done', 'start')).toEqual({
      needsNoItem: true,
      key: KEY,
      where: [...mine, seen],
      set,
    })
    expect(forgetCall(token(), 'charge')).toEqual({
      needsNoItem: true,
      key: KEY,
      where: mine,
      remove: ['step:charge'],
    })
  })

  it('marks an effect once', () => {
    expect(addEffect(token(), 'sale')).toEqual({
      key: KEY,
      where: [...mine, { field: 'applied', lacks: 'sale' }],
      addTo: { field: 'applied', member: 'sale' },
    })
  })
})

describe('a write was applied', () => {
  const update = { key: KEY, where: [], set: { resendNumber: 2 }, remove: ['ttl', 'notBefore'] }
  const refused = (item?: Record<string, string | number>) => ({ kind: 'refused', item }) as const

  it.each([
    ['it was applied', { kind: 'applied', item: undefined }, true],
    ['no server answered', { kind: 'failed', error: new Error('lost') }, false],
    ['no item refused it', refused(), false],
    ['another attempt refused it', refused({ attemptId: 'other', resendNumber: 2 }), false],
    ['all of it is there', refused({ attemptId: 'theirs', resendNumber: 2 }), true],
    ['something else is there', refused({ attemptId: 'theirs', resendNumber: 1 }), false],
    ['one is still there', refused({ attemptId: 'theirs', resendNumber: 2, ttl: 5 }), false],
  ] as const)('%s: %3$s', (_, outcome, expected) => {
    expect(wasWritten(outcome, update, token())).toBe(expected)
  })

  it('also when it sets nothing, or removes nothing', () => {
    const item = refused({ attemptId: 'theirs', resendNumber: 2 })
    expect(wasWritten(item, { key: KEY, where: [] }, token())).toBe(true)
  })
})
