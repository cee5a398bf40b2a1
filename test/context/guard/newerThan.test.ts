import { hasNoAnswer } from '../../../src/library/protocol/store/store.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkWrites } from '../../../src/library/run/context/guard/checkWrite.ts'
import { compileWrite, whyRefused } from '../../../src/library/run/context/guard/compileGuard.ts'
import { type Guard, newerThan, unchanged } from '../../../src/library/run/context/guard/guard.ts'
import type { Write, Written } from '../../../src/library/run/context/guard/write.ts'
import {
  memoryStore,
  type MemoryStore,
} from '../../../src/library/adapters/store/memory/memoryStore.ts'

const NOW = Date.UTC(2026, 0, 1)
const target = { TableName: 'orders', Key: { id: 'o' } }
const MINUTE = 60_000

interface Message {
  readonly uniqueRequestId: string
  readonly at: number
}

/** As an attempt would write it, but without a claim that could be lost. */
async function write(store: MemoryStore, asked: Write, by: string, now = NOW): Promise<Written> {
  const key = { pk: 'claim', sk: 'token' }
  await store.create([{ ...key }])
  const requester = { uniqueRequestId: by, now }
  const writes = checkWrites('ctx.write', asked)
  const [checked] = writes
  if (checked === undefined) throw new Error('nothing to write')
  const outcome = await store.transact({ key, where: [] }, [compileWrite(checked, requester)])
  if (outcome.kind === 'applied') return { applied: true }
  if (hasNoAnswer(outcome)) throw outcome.error
  const item = outcome.by === 'write' ? outcome.item : undefined
  const why = whyRefused(checked, requester, item)
  return { applied: false, index: 0, table: target.TableName, item, ...why }
}

function set(store: MemoryStore, { uniqueRequestId, at }: Message): Promise<Written> {
  const guard = newerThan('updatedAt', at)
  return write(store, { ...target, set: { by: uniqueRequestId }, guard }, uniqueRequestId)
}

function* permutations<T>(of: readonly T[]): Generator<readonly T[]> {
  if (of.length === 0) yield of
  for (const [nth, each] of of.entries()) {
    for (const rest of permutations(of.toSpliced(nth, 1))) yield [each, ...rest]
  }
}

/** Five requests with three times: two of the times belong to two requests each. */
const five: readonly Message[] = [
  { uniqueRequestId: 'a', at: NOW - 3 },
  { uniqueRequestId: 'b', at: NOW - 2 },
  { uniqueRequestId: 'c', at: NOW - 2 },
  { uniqueRequestId: 'e', at: NOW - 1 },
  { uniqueRequestId: 'd', at: NOW - 1 },
]
const newest = { id: 'o', by: 'e', updatedAt: NOW - 1, updatedAt_uniquerequestid: 'e' }

describe('newest wins, whatever the order of arrival', () => {
  it('all 120 orders of five messages make the same item', async () => {
    let orders = 0
    for (const order of permutations(five)) {
      const store = memoryStore()
      for (const message of order) await set(store, message)
      expect(store.userItems('orders')).toEqual([newest])
      orders += 1
    }
    expect(orders).toBe(120)
  })

  it('also when each may be redelivered at any later moment', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...five, ...five, ...five], { minLength: 15 }),
        async (order) => {
          const store = memoryStore()
          for (const message of order) await set(store, message)
          expect(store.userItems('orders')).toEqual([newest])
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each(['put', 'update', 'delete'] as const)('%s: an older one is stale', async (kind) => {
    const store = memoryStore()
    await set(store, { uniqueRequestId: 'b', at: NOW })
    const guard = newerThan('updatedAt', NOW - 1)
    const older: Readonly<Record<typeof kind, Write>> = {
      put: { ...target, put: { by: 'a' }, guard },
      update: { ...target, set: { by: 'a' }, guard },
      delete: { ...target, delete: true, guard },
    }
    expect(await write(store, older[kind], 'a')).toMatchObject({ applied: false, reason: 'stale' })
    expect(store.userItems('orders')).toMatchObject([{ by: 'b' }])
  })
})

describe('a winner that runs again', () => {
  it('succeeds again, and is not stale against itself', async () => {
    const store = memoryStore()
    const message = { uniqueRequestId: 'a', at: NOW }
    expect(await set(store, message)).toEqual({ applied: true })
    expect(await set(store, message)).toEqual({ applied: true })
  })

  it('of one millisecond: the greater id won, and the other is stale', async () => {
    const store = memoryStore()
    expect(await set(store, { uniqueRequestId: 'b', at: NOW })).toEqual({ applied: true })
    const rival = await set(store, { uniqueRequestId: 'a', at: NOW })
    expect(rival).toMatchObject({ applied: false, reason: 'stale' })
    expect(await set(store, { uniqueRequestId: 'c', at: NOW })).toEqual({ applied: true })
    expect(await set(store, { uniqueRequestId: 'b', at: NOW })).toMatchObject({
      applied: false,
      reason: 'stale',
    })
  })
})

describe('the time', () => {
  it.each([
    ['5 minutes ahead', NOW + 5 * MINUTE],
    ['now', NOW],
    ['the beginning', 0],
    ['long before', -1],
  ])('%s is taken', async (_, at) => {
    expect(await set(memoryStore(), { uniqueRequestId: 'a', at })).toEqual({ applied: true })
  })

  it.each([
    ['more than 5 minutes ahead', NOW + 5 * MINUTE + 1],
    ['seconds in the place of milliseconds, far ahead', NOW * 1_000],
    ['no number', Number.NaN],
    ['without an end', Infinity],
    ['without a beginning', -Infinity],
  ])('%s is refused for good, and refuses no later write', async (_, at) => {
    const store = memoryStore()
    await expect(set(store, { uniqueRequestId: 'a', at })).rejects.toMatchObject({
      code: 'TERMINAL',
    })
    expect(store.userItems('orders')).toEqual([])
  })

  it.each(['text', null, true])('%j in its field is not older than a time', async (updatedAt) => {
    const store = memoryStore()
    await write(store, { ...target, put: { updatedAt } }, 'another')
    expect(await set(store, { uniqueRequestId: 'a', at: NOW })).toMatchObject({
      applied: false,
      reason: 'stale',
    })
  })
})

describe('what the guard keeps on the item', () => {
  it('cannot be set beside it: the next guard judges by it', async () => {
    const store = memoryStore()
    const guard = newerThan('at', NOW)
    const asked: Write = { ...target, put: { at: 5, at_uniquerequestid: 'z' }, guard }
    await write(store, asked, 'a')
    expect(store.userItems('orders')).toEqual([{ id: 'o', at: NOW, at_uniquerequestid: 'a' }])
  })

  it('two guards on two fields are both kept', async () => {
    const store = memoryStore()
    const guard = [newerThan('priced', NOW), newerThan('named', NOW - 1)]
    await write(store, { ...target, set: {}, guard }, 'a')
    expect(store.userItems('orders')).toMatchObject([{ priced: NOW, named: NOW - 1 }])
  })

  it.each(['constructor', 'toString'])(
    'a field named %s is a field like any other',
    async (field) => {
      const store = memoryStore()
      const once: Write = { ...target, set: {}, guard: newerThan(field, NOW) }
      expect(await write(store, once, 'b')).toEqual({ applied: true })
      const older: Write = { ...target, set: {}, guard: newerThan(field, NOW - 1) }
      expect(await write(store, older, 'a')).toMatchObject({ applied: false, reason: 'stale' })
    },
  )
})

describe('unchanged', () => {
  const guarded = (guard: Guard): Write => ({ ...target, set: { n: 1 }, guard })

  it('writes on what was seen, and on nothing else', async () => {
    const store = memoryStore()
    expect(await write(store, guarded(unchanged('v', undefined)), 'a')).toEqual({ applied: true })
    await write(store, { ...target, put: { v: 1 } }, 'a')
    const refused = { applied: false, reason: 'changed' }
    expect(await write(store, guarded(unchanged('v', undefined)), 'a')).toMatchObject(refused)
    expect(await write(store, guarded(unchanged('v', 2)), 'a')).toMatchObject(refused)
    expect(await write(store, guarded(unchanged('v', '1')), 'a')).toMatchObject(refused)
    expect(await write(store, guarded(unchanged('v', 1)), 'a')).toEqual({ applied: true })
  })

  it('a value that is undefined cannot be mistaken for one that is null', async () => {
    const store = memoryStore()
    await write(store, { ...target, put: { v: null } }, 'a')
    expect(await write(store, guarded(unchanged('v', undefined)), 'a')).toMatchObject({
      applied: false,
    })
    expect(await write(store, guarded(unchanged('v', null)), 'a')).toEqual({ applied: true })
  })
})

describe('several guards', () => {
  const both = (first: Guard, second: Guard): Write => ({
    ...target,
    set: { n: 1 },
    guard: [first, second],
  })

  it('gives the first reason that failed', async () => {
    const store = memoryStore()
    await write(store, { ...target, put: { v: 2, at: NOW, at_uniquerequestid: 'z' } }, 'a')
    const stale = newerThan('at', NOW - 1)
    const changed = unchanged('v', 1)
    expect(await write(store, both(stale, changed), 'a')).toMatchObject({
      applied: false,
      reason: 'stale',
    })
    expect(await write(store, both(changed, stale), 'a')).toMatchObject({
      applied: false,
      reason: 'changed',
    })
    expect(await write(store, both(unchanged('v', 2), stale), 'a')).toMatchObject({
      applied: false,
      reason: 'stale',
    })
    expect(await write(store, both(unchanged('v', 2), newerThan('at', NOW + 1)), 'a')).toEqual({
      applied: true,
    })
  })
})
