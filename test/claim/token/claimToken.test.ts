import { documented } from '../../proof/formats/page.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { claimKey } from '../../../src/library/protocol/claim/token/claimKey.ts'
import { MAX_ROUNDS } from '../../../src/library/protocol/claim/decideAndWrite.ts'
import type { TokenClaim } from '../../../src/library/protocol/claim/token/claimToken.ts'
import {
  reopen,
  restart,
  takeOver,
  takeOverToDeadLetter,
} from '../../../src/library/protocol/claim/token/claimWrites.ts'
import { decideClaim } from '../../../src/library/protocol/claim/token/decideClaim.ts'
import {
  finishDeadLettering,
  confirmResend,
  startDeadLettering,
  waitUntil,
  scheduleResend,
} from '../../../src/library/protocol/claim/token/tokenWrites.ts'
import { release, complete } from '../../../src/library/protocol/claim/token/settleWrites.ts'
import { readToken, type Token } from '../../../src/library/protocol/claim/token/token.ts'
import {
  memoryStore,
  type MemoryStore,
} from '../../../src/library/adapters/store/memory/memoryStore.ts'
import type { Item, Update, WriteOutcome } from '../../../src/library/protocol/store/store.ts'
import { claimant, NOW, PK, request, token, claimTokens } from './given.ts'

const DAY = 86_400_000

/** What can happen to a request, in any order; most orders are refused somewhere, and that is fine. */
type Deed = (token: Token, now: number) => Update
const deeds: Readonly<Record<string, Deed>> = {
  complete: (token, now) => complete(token, now, DAY),
  scheduleResend: (token, now) => scheduleResend(token, token.resendNumber + 1, now + 1_000),
  confirm: (token) => confirmResend(token),
  waitUntil: (token, now) => waitUntil(token, now + 1_000),
  release: (token, now) => release(token, now),
  startDeadLettering: (token, now) =>
    startDeadLettering(token, { reason: 'terminal', error: 'e' }, now),
  dieUnknown: (token, now) => startDeadLettering(token, { reason: 'unknown', error: 'e' }, now),
  finishDeadLettering: (token, now) => finishDeadLettering(token, now),
}

function standing(store: MemoryStore): Token | undefined {
  const [item] = store.items()
  return item && readToken(item)
}

async function act(store: MemoryStore, deed: string, now: number): Promise<void> {
  const token = standing(store)
  const update = token && deeds[deed]?.(token, now)
  if (update !== undefined) await store.update([update])
}

const history = fc.array(
  fc.record({
    deed: fc.constantFrom('claim', 'claim', 'claim', ...Object.keys(deeds)),
    wait: fc.constantFrom(0, 500, 1_000, 100_000, 2 * DAY),
    death: fc.constantFrom(undefined, 1, 2),
    resendNumber: fc.nat(2),
    readFirst: fc.boolean(),
  }),
  { maxLength: 12 },
)

function kindOf(claim: TokenClaim | undefined): string | undefined {
  return claim?.kind === 'taken' ? claim.by.kind : claim?.kind
}

describe('the rule and its condition say the same', () => {
  it('what the decision permits, the write on the judged token does', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const store = documented(memoryStore())
        let now = NOW
        for (const [nth, { deed, wait, ...delivery }] of steps.entries()) {
          now += wait
          if (deed !== 'claim') {
            await act(store, deed, now)
            continue
          }
          const { resendNumber, death } = delivery
          // As a message says: its copies are known to have been delivered before.
          const readFirst = delivery.readFirst || resendNumber > 0 || death !== undefined
          const request = claimant({
            ...delivery,
            readFirst,
            attemptId: `a${nth}`,
            leaseUntil: now + 60_000,
          })
          const before = standing(store)
          const verdict = decideClaim(before, request, now)
          const [claim] = await claimTokens(store, [request], now)
          const expected = {
            start: 'claimed',
            takeOver: 'claimed',
            reopen: 'claimed',
            deadLetter: 'deadLettering',
          }
          const kind = Object.entries(expected).find(([name]) => name === verdict.kind)?.[1]
          expect(kindOf(claim)).toBe(kind ?? verdict.kind)
          const holder = kind === undefined ? before?.attemptId : request.attemptId
          expect(standing(store)?.attemptId).toBe(holder)
        }
      }),
      { numRuns: 500 },
    )
  })

  const judged: readonly [string, Partial<Token>, (token: Token) => Update][] = [
    ['takeOver', {}, (token) => takeOver(token, request(), NOW)],
    [
      'takeOverToDeadLetter',
      {},
      (token) => takeOverToDeadLetter(token, request(), { reason: 'r', error: 'e' }),
    ],
    [
      'takeOverToDeadLetter',
      { status: 'dying' },
      (token) => takeOverToDeadLetter(token, request(), { reason: 'r', error: 'e' }),
    ],
    ['reopen', { status: 'error', death: 1 }, (token) => reopen(token, request({ death: 1 }), NOW)],
    [
      'reopen',
      { status: 'unknown', death: 1 },
      (token) => reopen(token, request({ death: 1 }), NOW),
    ],
    ['restart', { status: 'complete', ttl: 1 }, (token) => restart(token, request(), NOW)],
  ]

  it.each(judged)(
    '%s of %o: refused once anything that was judged has changed',
    async (_, given, write) => {
      const {
        calls: _steps,
        applied: _applied,
        status,
        reason: _reason,
        error: _error,
        retention: _retention,
        ending: _ending,
        ...rest
      } = token({ leaseUntil: 0, ...given })
      const asStored = {
        ...rest,
        sk: 'token',
        ...(status === 'complete' ? {} : { status }),
        ttl: rest.ttl ?? 1,
        payloadHash: 'hash',
      }
      const changes: readonly Item[] = [
        {},
        { attemptId: 'a rival' },
        { status: 'paused' },
        { leaseUntil: 7 },
      ]
      const kinds: string[] = []
      for (const change of changes) {
        const store = documented(memoryStore())
        await store.create([{ ...asStored, ...change }])
        const [outcome] = await store.update([write(token({ leaseUntil: 0, ...given }))])
        kinds.push(outcome?.kind ?? 'none')
      }
      // A completed token has no lease that could change.
      const last = status === 'complete' ? 'applied' : 'refused'
      expect(kinds).toEqual(['applied', 'refused', 'refused', last])
    },
  )
})

describe('claimToken', () => {
  it('answers in the order of the requests', async () => {
    const store = documented(memoryStore())
    const pks = ['a', 'b', 'c', 'd', 'e']
    const requests = pks.map((pk, nth) => claimant({ pk, attemptId: pk, readFirst: nth % 2 === 0 }))
    const claims = await claimTokens(store, requests, NOW)
    expect(claims.map((claim) => (claim.kind === 'claimed' ? claim.token.pk : claim.kind))).toEqual(
      pks,
    )
  })

  it('recognises its own claim when the answer was lost and the SDK asked again', async () => {
    for (const readFirst of [false, true]) {
      const store = documented(memoryStore())
      const twice = {
        ...store,
        create: async (...asked: Parameters<MemoryStore['create']>) => {
          await store.create(...asked)
          return store.create(...asked)
        },
      }
      expect(await claimTokens(twice, [claimant({ readFirst })], NOW)).toMatchObject([
        { kind: 'claimed' },
      ])
    }
  })

  it('defers the record when other attempts change the token at every read', async () => {
    const store = documented(memoryStore())
    await claimTokens(store, [claimant({ attemptId: 'first', leaseUntil: NOW - 1 })], NOW - 10)
    let rounds = 0
    const contended = {
      ...store,
      update: async (asked: readonly Update[]) => {
        rounds += 1
        const set = { leaseUntil: NOW - 1 - rounds }
        await store.update([{ key: { pk: PK, sk: 'token' }, where: [], set }])
        return store.update(asked)
      },
    }
    const claims = await claimTokens(contended, [claimant({ readFirst: true })], NOW)
    expect(claims).toMatchObject([{ kind: 'taken', by: { kind: 'held', until: NOW + 1_000 } }])
    expect(rounds).toBe(MAX_ROUNDS)
  })

  it('never runs a token that it cannot read', async () => {
    const store = documented(memoryStore())
    await store.create([
      { pk: PK, sk: 'token', status: 'paused', attemptId: 'a', attempt: 1, fence: 1 },
    ])
    for (const readFirst of [false, true]) {
      expect(await claimTokens(store, [claimant({ readFirst })], NOW)).toEqual([
        { kind: 'failed', error: expect.objectContaining({ code: 'UNKNOWN_FORMAT' }) },
      ])
    }
  })

  it('knows the marks that were set since it was decided, on an engine that returns no items from a batch', async () => {
    const store = documented(memoryStore())
    const key = { pk: PK, sk: 'token' }
    await claimTokens(store, [claimant({ attemptId: 'killed', leaseUntil: NOW - 1 })], NOW - 10)
    const silent = {
      ...store,
      update: async (asked: readonly Update[]) => {
        await store.update([{ key, where: [], set: {}, addTo: { field: 'applied', member: 'x' } }])
        const outcomes = await store.update(asked)
        return outcomes.map(({ kind }) => ({ kind, item: undefined }) as WriteOutcome)
      },
    }
    const [claim] = await claimTokens(silent, [claimant({ readFirst: true, resendNumber: 1 })], NOW)
    expect(claim).toMatchObject({
      kind: 'claimed',
      token: { attempt: 2, applied: new Set(['x']) },
      afterLost: true,
    })
  })

  it('of a key leaves the message of a consumer of the same name to that consumer', async () => {
    const store = documented(memoryStore())
    await claimTokens(store, [claimant({ attemptId: 'dying', leaseUntil: NOW - 1 })], NOW - 10)
    const set = { status: 'dying' }
    await store.update([{ key: { pk: PK, sk: 'token' }, where: [], set }])
    const key = { ...request(), retention: DAY, listedAtOnce: false }
    expect(await claimKey(store, key, NOW)).toMatchObject({ kind: 'taken', by: { kind: 'held' } })
    expect(standing(store)?.attemptId).toBe('dying')
  })

  it('reads consistently before it reports that a record that may not run has no token', async () => {
    const store = documented(memoryStore())
    const asked: (boolean | undefined)[] = []
    const spied = {
      ...store,
      read: async (...[keys, options]: Parameters<MemoryStore['read']>) => {
        asked.push(options?.consistent)
        return store.read(keys, options)
      },
    }
    const refusal = { reason: 'rejected', error: 'no' }
    const claims = await claimTokens(spied, [claimant({ refused: true, refusal })], NOW)
    expect(claims).toMatchObject([{ kind: 'taken', by: { kind: 'refuse' } }])
    expect(asked).toEqual([true])
  })
})

describe('the numbers of a request', () => {
  it('a resend confirmed in its first life is not taken for one of its second', async () => {
    const store = documented(memoryStore())
    const run = async (given: Parameters<typeof claimant>[0], now: number): Promise<Token> => {
      const [claim] = await claimTokens(store, [claimant({ leaseUntil: now + 5, ...given })], now)
      if (claim?.kind !== 'claimed') throw new Error(`not claimed: ${claim?.kind}`)
      return claim.token
    }
    const first = await run({ attemptId: 'first' }, NOW)
    await store.update([scheduleResend(first, 1, NOW)])
    const late = confirmResend(first)
    await run({ attemptId: 'second', readFirst: true }, NOW + 1)
    await act(store, 'startDeadLettering', NOW + 2)
    await act(store, 'finishDeadLettering', NOW + 3)
    const reopened = await run({ attemptId: 'third', readFirst: true, death: 1 }, NOW + 4)
    const next = Math.max(reopened.resendNumber, 0) + 1
    await store.update([scheduleResend(reopened, next, NOW)])
    // The confirmation of the first life was on the wire; the copy of the second was not sent yet.
    await store.update([late])
    expect(standing(store)).toMatchObject({ confirmed: false })
  })

  it('an expired request starts again, and its fence still grows', async () => {
    const store = documented(memoryStore())
    await claimTokens(store, [claimant({ attemptId: 'first', leaseUntil: NOW + 1 })], NOW)
    const [second] = await claimTokens(
      store,
      [claimant({ attemptId: 'second', readFirst: true })],
      NOW + 2,
    )
    if (second?.kind !== 'claimed') throw new Error('not claimed')
    await store.update([complete(second.token, NOW, DAY)])
    const later = NOW + 2 * DAY
    const claims = await claimTokens(
      store,
      [claimant({ payloadHash: 'new', readFirst: true })],
      later,
    )
    expect(claims).toMatchObject([
      { kind: 'claimed', token: { attempt: 1, fence: 3, payloadHash: 'new', ttl: undefined } },
    ])
  })

  it('the fence grows with every claim, and attempts with every take-over', async () => {
    const store = documented(memoryStore())
    const seen: [number, number][] = []
    for (const nth of [1, 2, 3]) {
      const given = { attemptId: `a${nth}`, leaseUntil: NOW + nth, readFirst: true }
      const [claim] = await claimTokens(store, [claimant(given)], NOW + nth)
      if (claim?.kind === 'claimed') seen.push([claim.token.fence, claim.token.attempt])
    }
    expect(seen).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
  })
})
