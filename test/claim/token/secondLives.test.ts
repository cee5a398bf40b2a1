import { documented } from '../../proof/formats/page.ts'
import { describe, expect, it } from 'vitest'
import { takeOver } from '../../../src/library/protocol/claim/token/claimWrites.ts'
import { decideClaim } from '../../../src/library/protocol/claim/token/decideClaim.ts'
import { freeKey, renewKey } from '../../../src/library/protocol/claim/token/endKey.ts'
import { waitUntil } from '../../../src/library/protocol/claim/token/tokenWrites.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import type { Store } from '../../../src/library/protocol/store/store.ts'
import { claimant, NOW, PK, request, token, claimTokens } from './given.ts'

describe('a token of another consumer with the same name', () => {
  const theirs = token({ status: 'complete', by: 'functionA.queueA' })

  it.each([
    ['another function at another queue', 'functionB.queueB', { kind: 'conflict' }],
    ['another function at the same queue', 'functionB.queueA', { kind: 'over', as: 'duplicate' }],
    ['the same function at another queue', 'functionA.queueB', { kind: 'over', as: 'duplicate' }],
  ])('%s', (_, by, verdict) => {
    expect(decideClaim(theirs, request({ by }), NOW)).toMatchObject(verdict)
  })
})

it('a holder that has given a sign of life since is not taken over', () => {
  const { where } = takeOver(token({ aliveUntil: NOW }), request(), NOW)
  expect(where).toContainEqual({ field: 'aliveUntil', is: '=', value: NOW })
})

it('a failure of a table or a queue gives the attempt back', () => {
  const held = token({ attempt: 2 })
  const failed = { error: 'no answer' }
  expect(waitUntil(held, NOW, { ...failed, counts: false }).set).toMatchObject({ attempt: 1 })
  expect(waitUntil(held, NOW, { ...failed, counts: true }).set).not.toHaveProperty('attempt')
})

it('a message is not dropped because a read that is a second old shows an earlier life', async () => {
  const dead = {
    pk: PK,
    sk: 'token',
    status: 'error',
    payloadHash: 'hash',
    attemptId: 'a',
    attempt: 1,
    fence: 1,
    death: 1,
  }
  const redriven = { ...dead, status: 'inProgress', leaseUntil: 0, notBefore: 0 }
  const base = documented(memoryStore())
  await base.create([redriven])
  const read: Store['read'] = async (keys, options) =>
    options?.consistent === true ? base.read(keys, options) : [{ kind: 'found', item: dead }]
  const [claim] = await claimTokens({ ...base, read }, [claimant({ readFirst: true })], NOW)
  expect(claim?.kind).toBe('claimed')
})

it('a copy is not dropped because a read that is a second old shows the life before the last', async () => {
  const over = { pk: PK, sk: 'token', payloadHash: 'hash', attemptId: 'a', attempt: 1, fence: 1 }
  const expired = { ...over, ttl: NOW / 1_000 - 1 }
  const again = {
    ...over,
    status: 'inProgress',
    attemptId: 'b',
    fence: 2,
    leaseUntil: 0,
    resendNumber: 1,
  }
  const base = documented(memoryStore())
  await base.create([again])
  const read: Store['read'] = async (keys, options) =>
    options?.consistent === true ? base.read(keys, options) : [{ kind: 'found', item: expired }]
  const copy = claimant({ readFirst: true, resendNumber: 1 })
  const [claim] = await claimTokens({ ...base, read }, [copy], NOW)
  expect(claim?.kind).toBe('claimed')
})

it('a late renewal does not take back a key that was freed', async () => {
  const store = documented(memoryStore())
  const item = { pk: PK, sk: 'token', status: 'inProgress', attemptId: 'a', attempt: 1, fence: 1 }
  await store.create([{ ...item, leaseUntil: NOW + 1 }])
  const held = token({ attemptId: 'a', leaseUntil: NOW + 1 })
  await store.update([freeKey(held, { now: NOW, retention: 1_000 })])
  const lease = { leaseUntil: NOW + 9, expectedCompletion: NOW + 9, isListed: false }
  const [renewed] = await store.update([renewKey(held, lease)])
  expect(renewed?.kind).toBe('refused')
})
