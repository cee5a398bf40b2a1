import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  forgetCall,
  storeCall,
  finishDeadLettering,
  startDeadLettering,
  waitUntil,
  scheduleResend,
} from '../../../src/library/protocol/claim/token/tokenWrites.ts'
import {
  release,
  complete,
  wasWritten,
} from '../../../src/library/protocol/claim/token/settleWrites.ts'
import { readToken, type Token } from '../../../src/library/protocol/claim/token/token.ts'
import {
  memoryStore,
  type MemoryStore,
} from '../../../src/library/adapters/store/memory/memoryStore.ts'
import type { Update, WriteOutcome } from '../../../src/library/protocol/store/store.ts'
import { claimant, NOW, claimTokens } from './given.ts'

const death = { reason: 'terminal', error: 'no' }

/** Every write of an attempt, by name. */
const writes: Readonly<Record<string, (token: Token) => Update>> = {
  complete: (token) => complete(token, NOW, 86_400_000),
  scheduleResend: (token) => scheduleResend(token, token.resendNumber + 1, NOW + 5),
  waitUntil: (token) => waitUntil(token, NOW + 5),
  release: (token) => release(token, NOW),
  startDeadLettering: (token) => startDeadLettering(token, death, NOW),
  finishDeadLettering: (token) => finishDeadLettering({ ...token, status: 'dying', ...death }, NOW),
  storeCall: (token) => storeCall(token, 'charge', 'start', undefined),
  forgetCall: (token) => forgetCall(token, 'charge'),
}
const names = Object.keys(writes)

async function claimed(store: MemoryStore, attemptId: string, now: number): Promise<Token> {
  const [claim] = await claimTokens(
    store,
    [claimant({ attemptId, leaseUntil: now + 1, readFirst: true })],
    now,
  )
  if (claim?.kind !== 'claimed') throw new Error(`not claimed: ${claim?.kind}`)
  return claim.token
}

async function apply(store: MemoryStore, update: Update): Promise<WriteOutcome> {
  const [outcome] = await store.update([update])
  if (outcome === undefined) throw new Error('no outcome')
  return outcome
}

async function made(store: MemoryStore, name: string, token: Token): Promise<Update> {
  if (name === 'finishDeadLettering') await apply(store, startDeadLettering(token, death, NOW))
  const write = writes[name]
  if (write === undefined) throw new Error(name)
  return write(token)
}

describe('a write whose answer was lost', () => {
  it.each(names)('%s: is recognised when it is sent again', async (name) => {
    const store = memoryStore()
    const token = await claimed(store, 'mine', NOW)
    const update = await made(store, name, token)
    expect((await apply(store, update)).kind).toBe('applied')
    expect(wasWritten(await apply(store, update), update, token)).toBe(true)
  })

  it.each(names)('%s: is recognised also after earlier attempts', async (name) => {
    const store = memoryStore()
    const first = await claimed(store, 'first', NOW)
    await apply(store, storeCall(first, 'mail', 'start', undefined))
    await apply(store, scheduleResend(first, 1, NOW))
    const token = await claimed(store, 'mine', NOW + 10)
    const update = await made(store, name, token)
    await apply(store, update)
    expect(wasWritten(await apply(store, update), update, token)).toBe(true)
  })
})

describe('a write of another attempt', () => {
  it.each(names)('%s: is not taken for its own', async (name) => {
    const store = memoryStore()
    const mine = await claimed(store, 'mine', NOW)
    const update = await made(memoryStore(), name, mine)
    await claimed(store, 'theirs', NOW + 10)
    const outcome = await apply(store, update)
    expect(outcome.kind).toBe('refused')
    expect(wasWritten(outcome, update, mine)).toBe(false)
  })

  it.each(names)('%s: is not taken for its own, even if it wrote the same', async (name) => {
    const store = memoryStore()
    const mine = await claimed(store, 'mine', NOW)
    const theirs = await claimed(store, 'theirs', NOW + 10)
    const same = await made(store, name, theirs)
    await apply(store, same)
    const item = store.items()[0]
    expect(wasWritten({ kind: 'refused', item }, same, mine)).toBe(false)
  })
})

describe('a write that did not take place', () => {
  it.each(names.filter((name) => name !== 'forgetCall'))(
    '%s: is not taken for done',
    async (name) => {
      const store = memoryStore()
      const token = await claimed(store, 'mine', NOW)
      const update = await made(store, name, token)
      const item = store.items()[0]
      expect(wasWritten({ kind: 'refused', item }, update, token)).toBe(false)
      expect(wasWritten({ kind: 'refused', item: undefined }, update, token)).toBe(false)
      expect(wasWritten({ kind: 'failed', error: new Error('down') }, update, token)).toBe(false)
    },
  )

  it('of any two different ends, one is not taken for the other', async () => {
    const ends = [
      'complete',
      'scheduleResend',
      'waitUntil',
      'release',
      'startDeadLettering',
      'finishDeadLettering',
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ends),
        fc.constantFrom(...ends),
        async (first, second) => {
          // Coming back at the same time is part of both.
          if (first === second || (first === 'scheduleResend' && second === 'waitUntil')) return
          const store = memoryStore()
          const token = await claimed(store, 'mine', NOW)
          const other = await made(memoryStore(), second, token)
          await apply(store, await made(store, first, token))
          const item = store.items()[0]
          expect(wasWritten({ kind: 'refused', item }, other, token)).toBe(false)
        },
      ),
    )
  })
})

describe('what a completed token keeps', () => {
  it.each([
    ['and the names of its work, without results', ['mail']],
    ['and nothing of its earlier attempts', []],
  ])('its identity, %s', async (_, calls) => {
    const store = memoryStore()
    const first = await claimed(store, 'first', NOW)
    for (const name of calls) await apply(store, storeCall(first, name, 'start', undefined))
    await apply(store, scheduleResend(first, 1, NOW))
    const token = await claimed(store, 'mine', NOW + 10)
    await apply(store, complete(token, NOW, 86_400_000))
    const [item = {}] = store.items()
    expect(readToken(item)).toMatchObject({ status: 'complete', attemptId: 'mine' })
    const gone = [
      'status',
      'leaseUntil',
      'statusShard',
      'dueAt',
      'resendNumber',
      'confirmed',
      'notBefore',
    ]
    expect(Object.keys(item).filter((name) => gone.includes(name))).toEqual([])
    expect(item['step:mail']).toBe(calls.length > 0 ? '' : undefined)
    expect(item['ttl']).toBe(NOW / 1_000 + 86_400)
  })
})
