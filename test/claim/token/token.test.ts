import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newToken } from '../../../src/library/protocol/claim/token/claimWrites.ts'
import { firstToken, readToken, tokenKey } from '../../../src/library/protocol/claim/token/token.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'
import { claimant, NOW, PK, request, claimTokens } from './given.ts'

const good = newToken(request(), NOW)

const value = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constantFrom('inProgress', 'complete', 'error', '', '__proto__'),
  fc.array(fc.string(), { minLength: 1 }).map((names) => new Set(names)),
)
const name = fc.oneof(
  fc.constantFrom(
    ...Object.keys(good),
    'notBefore',
    'resendNumber',
    'ttl',
    'applied',
    'death',
    'step:a',
  ),
  fc.string(),
)

describe('readToken', () => {
  it('never throws, and reads nothing that lacks what a token is known by', () => {
    fc.assert(
      fc.property(fc.dictionary(name, value), (item) => {
        const token = readToken(item)
        if (token === undefined) return
        expect(['inProgress', 'dying', 'error', 'unknown', 'complete']).toContain(token.status)
        expect(typeof item['attemptId']).toBe('string')
        expect(typeof item['attempt']).toBe('number')
        expect(typeof item['fence']).toBe('number')
      }),
      { numRuns: 2_000 },
    )
  })

  it.each(['pk', 'attemptId', 'attempt', 'fence'])('refuses a token without %s', (field) => {
    const { [field]: _left, ...rest }: Item = good
    expect(readToken(good)).toBeDefined()
    expect(readToken(rest)).toBeUndefined()
  })

  it.each(['', 'done', 'INPROGRESS', 'In progress', 1, true])('refuses the status %j', (status) => {
    expect(readToken({ ...good, status })).toBeUndefined()
  })

  it('takes a token without a status for a completed one', () => {
    const { status: _status, ...rest }: Item = good
    expect(readToken(rest)).toMatchObject({ status: 'complete' })
  })

  it('reads marks and stored calls, and nothing else as such', () => {
    const item = {
      ...good,
      applied: new Set(['a']),
      'step:charge': 'start',
      'step:n': 1,
      steps: 'x',
    }
    const token = readToken(item)
    expect(token?.applied).toEqual(new Set(['a']))
    expect(token?.calls).toEqual(new Map([['charge', 'start']]))
  })
})

describe('firstToken', () => {
  it.each([{}, { payloadHash: undefined }, { attemptId: 'other', leaseUntil: 0 }])(
    'is what would be read of a first claim: %o',
    (given) => {
      const claim = request(given)
      expect(firstToken(claim)).toEqual(readToken(newToken(claim, NOW)))
    },
  )
})

describe('garbage', () => {
  it('is never run as if it were new', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('status', 'attemptId', 'attempt', 'fence'),
        value,
        async (field, garbage) => {
          const broken: Item = { ...good, [field]: garbage }
          if (readToken(broken) !== undefined) return
          const store = memoryStore()
          const [created] = await store.create([{ ...broken, pk: PK, sk: 'token' }])
          if (created?.kind === 'failed') return
          const [claim] = await claimTokens(store, [claimant({ readFirst: true })], NOW + 1_000_000)
          expect(claim).toMatchObject({ kind: 'failed', error: { code: 'UNKNOWN_FORMAT' } })
        },
      ),
    )
  })

  it('a lease that is no time is never taken over', async () => {
    const store = memoryStore()
    await store.create([{ ...good, attemptId: 'theirs', leaseUntil: 'tomorrow' }])
    const [claim] = await claimTokens(store, [claimant({ readFirst: true })], NOW)
    expect(claim?.kind).not.toBe('claimed')
    expect(store.items()).toMatchObject([{ attemptId: 'theirs' }])
  })
})

describe('tokenKey', () => {
  it('keeps consumers apart, and no two of them can name the same token', () => {
    // A consumer's name has no "/", so the first one ends it.
    expect(tokenKey('a', 'b/c')).not.toEqual(tokenKey('b', 'a/c'))
    expect(tokenKey('orders', 'r-1')).toEqual({ pk: PK, sk: 'token' })
  })
})
