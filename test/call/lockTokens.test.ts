import {
  type Lock,
  lockTokens,
  RetryableError,
  TerminalError,
  UnknownOutcomeError,
} from 'lineclear'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { assert, describe, expect, it } from 'vitest'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'
import { faultyStore } from './faultyStore.ts'
import type { LockTokenOptions } from '../../src/library/entries/call/lockTokens.ts'

const MINUTE = 60_000

function set(options: Partial<LockTokenOptions> = {}) {
  const store = faultyStore()
  const clock = fakeClock(Date.UTC(2026, 0, 1))
  const logger = quietLogger()
  const locker = lockTokens<{ data: string } | undefined>({
    store,
    name: 'default',
    clock,
    logger,
    ...options,
  })
  const acquire = async (token = 'order_1'): Promise<Lock<{ data: string } | undefined>> => {
    const lock = await locker.begin(token, 'me/1', MINUTE)
    assert(lock.existing === undefined)
    return lock
  }
  return { store, clock, logger, locker, acquire, token: () => store.items()[0] }
}

describe('begin', () => {
  it('is one request, and writes the documented attributes', async () => {
    const { store, locker, clock } = set()
    const lock = await locker.begin('order_12345', 'order_update/invocation-1', MINUTE)
    expect(lock.existing).toBeUndefined()
    expect(store.calls).toEqual(['create'])
    expect(store.items()).toEqual([
      {
        format: 1,
        pk: 'key#default/order_12345',
        sk: 'token',
        status: 'inProgress',
        lockedBy: 'order_update/invocation-1',
        created: '2026-01-01T00:00:00.000Z',
        expectedCompletion: '2026-01-01T00:01:00.000Z',
        attempt: 1,
        fence: clock.now(),
        retention: 30 * 86_400_000,
        attemptId: expect.any(String),
        leaseUntil: clock.now() + MINUTE + 5_000,
        statusShard: expect.stringMatching(/^inProgress#[0-7]$/),
        dueAt: clock.now() + MINUTE,
      },
    ])
  })

  it('gives a second caller the name of the holder, in one request', async () => {
    const { store, locker } = set()
    await locker.begin('t', 'first', MINUTE)
    const second = await locker.begin('t', 'second', MINUTE)
    expect(second.existing).toMatchObject({
      status: 'inProgress',
      lockedBy: 'first',
      created: '2026-01-01T00:00:00.000Z',
      expectedCompletion: '2026-01-01T00:01:00.000Z',
      result: undefined,
      error: undefined,
    })
    expect(store.calls).toEqual(['create', 'create'])
  })

  it('gives the lock to one of a hundred callers', async () => {
    const { locker } = set()
    const all = Array.from({ length: 100 }, () => locker.begin('t', 'me', MINUTE))
    const locks = (await Promise.all(all)).filter((lock) => lock.existing === undefined)
    expect(locks).toHaveLength(1)
  })

  it('recognises its own claim when the answer to it was lost', async () => {
    const { store, acquire, clock } = set()
    store.next('create', 'lose')
    expect(await acquire()).toMatchObject({ fence: clock.now() })
  })

  it('throws when the store gives no answer, so that nothing is run', async () => {
    const { store, locker } = set()
    store.next('create', 'fail')
    await expect(locker.begin('t', 'me', MINUTE)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
  })

  it('takes over from a crashed holder, not before its lease has ended', async () => {
    const { locker, clock } = set()
    const dead = await locker.begin('t', 'dead', MINUTE)
    clock.advance(MINUTE + 4_999)
    expect((await locker.begin('t', 'next', MINUTE)).existing?.status).toBe('inProgress')
    clock.advance(1)
    const next = await locker.begin('t', 'next', MINUTE)
    assert(dead.existing === undefined && next.existing === undefined)
    expect(next.fence).toBe(dead.fence + 1)
  })

  it('holds for as long as Lambda may run, and is named after it', async () => {
    const { locker, clock, token } = set()
    await locker.begin('t', lambdaContext(10 * MINUTE), MINUTE)
    expect(token()).toMatchObject({
      lockedBy: 'consumer/request-1',
      leaseUntil: clock.now() + 10 * MINUTE + 5_000,
      dueAt: clock.now() + MINUTE,
    })
  })

  it('gives up, and runs nothing, when other callers keep changing the token', async () => {
    const { store, locker, clock } = set()
    await locker.begin('t', 'dead', 1)
    clock.advance(MINUTE)
    const stale = store.items()[0]
    Object.assign(store, { update: async () => [{ kind: 'refused', item: stale }] })
    await expect(locker.begin('t', 'me', MINUTE)).rejects.toMatchObject({ code: 'RETRYABLE' })
  })

  it('keeps names apart, also where name and key would join to the same text', async () => {
    const store = memoryStore()
    for (const [name, key] of [
      ['a/b', 'c'],
      ['a', 'b/c'],
      ['a', 'c'],
      ['a@b', 'c'],
    ] as const) {
      const lock = await lockTokens({ store, name, logger: quietLogger() }).begin(key, 'me', 1)
      expect(lock.existing).toBeUndefined()
    }
  })

  it.each([
    ['', MINUTE],
    ['x'.repeat(2_100), MINUTE],
    ['t', 0],
    ['t', Number.NaN],
    ['t', Infinity],
  ])('refuses %j for %d ms', async (token, duration) => {
    const { locker, store } = set()
    await expect(locker.begin(token, 'me', duration)).rejects.toThrow(/begin: expected/)
    expect(store.calls).toEqual([])
  })
})

describe('the end', () => {
  it('of work that succeeded: result stored, no status, not in the index, remembered for the retention', async () => {
    const { store, acquire, clock, locker, token } = set({ retention: '2d' })
    const lock = await acquire()
    clock.advance(1_000)
    expect(await lock.endWithSuccess({ data: 'success' })).toEqual({ kind: 'marked' })
    expect(token()).toEqual({
      format: 1,
      pk: 'key#default/order_1',
      sk: 'token',
      lockedBy: 'me/1',
      created: '2026-01-01T00:00:00.000Z',
      expectedCompletion: '2026-01-01T00:01:00.000Z',
      actualCompletion: '2026-01-01T00:00:01.000Z',
      result: '{"data":"success"}',
      ttl: clock.now() / 1_000 + 2 * 86_400,
      attempt: 1,
      retention: 2 * 86_400_000,
      fence: Date.UTC(2026, 0, 1),
      attemptId: expect.any(String),
    })
    const again = await locker.begin('order_1', 'me/2', MINUTE)
    expect(again.existing).toMatchObject({ status: 'complete', result: { data: 'success' } })
    expect(store.calls).toEqual(['create', 'update', 'create'])
  })

  it('lets the key be used again after the retention, whether or not the item is deleted by then', async () => {
    const { acquire, clock } = set({ retention: '1h' })
    const first = await acquire()
    await first.endWithSuccess(undefined)
    clock.advance(61 * MINUTE)
    expect((await acquire()).fence).toBe(first.fence + 1)
  })

  it('never frees a key with retention forever', async () => {
    const { acquire, clock, locker, token } = set({ retention: 'forever' })
    await (await acquire()).endWithSuccess({ data: 'x' })
    expect(token()).not.toHaveProperty('ttl')
    clock.advance(1_000 * 86_400_000)
    expect((await locker.begin('order_1', 'me', 1)).existing?.status).toBe('complete')
  })

  it('with an error that needs an operator: listed, without ttl, never run again', async () => {
    const { acquire, clock, locker, token } = set()
    await (await acquire()).endWithError('{"error":"oh no"}')
    expect(token()).toMatchObject({ status: 'error', error: '{"error":"oh no"}' })
    expect(token()).toMatchObject({ statusShard: expect.stringMatching(/^error#/) })
    expect(token()).not.toHaveProperty('ttl')
    clock.advance(1_000 * 86_400_000)
    const again = await locker.begin('order_1', 'me', 1)
    expect(again.existing).toMatchObject({ status: 'error', error: '{"error":"oh no"}' })
  })

  it('with an error that is the answer: complete, and later callers get it', async () => {
    const { acquire, locker, token } = set()
    await (await acquire()).endWithError(new TerminalError('card declined'))
    expect(token()).not.toHaveProperty('status')
    const again = await locker.begin('order_1', 'me', 1)
    expect(again.existing).toMatchObject({
      status: 'complete',
      error: 'card declined',
      result: undefined,
      notKept: undefined,
    })
  })

  it('with an unknown outcome: unknown, never run again by itself', async () => {
    const { acquire, clock, locker } = set()
    await (await acquire()).endWithError(new UnknownOutcomeError('timed out after sending'))
    clock.advance(1_000 * 86_400_000)
    const again = await locker.begin('order_1', 'me', 1)
    expect(again.existing).toMatchObject({
      status: 'unknown',
      error: 'UnknownOutcomeError: timed out after sending',
    })
  })

  it('by release: free at once; the item and its fence stay, and it leaves the index', async () => {
    const { acquire, store, token } = set()
    const lock = await acquire()
    await lock.release()
    expect(store.items()).toHaveLength(1)
    expect(token()).not.toHaveProperty('statusShard')
    expect((await acquire()).fence).toBe(lock.fence + 1)
  })

  it('a released key that is held again cannot be deleted by its old ttl', async () => {
    const { acquire, token } = set()
    await (await acquire()).release()
    expect(token()).toHaveProperty('ttl')
    await acquire()
    expect(token()).not.toHaveProperty('ttl')
  })

  it('of an expired run leaves nothing on the next one', async () => {
    const { acquire, clock, token } = set({ retention: '1h' })
    await (await acquire()).endWithError(new TerminalError('no'))
    clock.advance(61 * MINUTE)
    await acquire()
    expect(token()).not.toHaveProperty('error')
    expect(token()).not.toHaveProperty('ttl')
    expect(token()).toMatchObject({ status: 'inProgress', dueAt: clock.now() + MINUTE })
  })

  it('follows from the thrown error', async () => {
    const refused = Object.assign(new Error('connect'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    })
    const reset = Object.assign(new Error('hang up'), { code: 'ECONNRESET' })
    const aborted = new DOMException('late', 'TimeoutError')
    const cases: readonly (readonly [unknown, string | undefined])[] = [
      [refused, 'inProgress'],
      [new TypeError('fetch failed', { cause: refused }), 'inProgress'],
      [new RetryableError('busy'), 'inProgress'],
      [new TerminalError('declined'), undefined],
      [new UnknownOutcomeError('?'), 'unknown'],
      [reset, 'unknown'],
      [new TypeError('fetch failed', { cause: reset }), 'unknown'],
      [aborted, 'unknown'],
      [new Error('HTTP 500'), 'error'],
      ['text', 'error'],
    ]
    for (const [thrown, status] of cases) {
      const { acquire, token } = set()
      await (await acquire()).endWithError(thrown)
      expect([thrown, token()?.['status']]).toEqual([thrown, status])
    }
  })
})

describe('an end that cannot be stored', () => {
  it('never turns done work into failed work, and is not thrown', async () => {
    const { store, acquire, locker, clock, logger } = set()
    const lock = await acquire()
    store.next('update', ...Array.from({ length: 40 }, () => 'fail' as const))
    const ending = lock.endWithSuccess({ data: 'done' })
    for (let tries = 0; tries < 40; tries++) {
      await new Promise(setImmediate)
      clock.advance(1_000)
    }
    expect(await ending).toMatchObject({ kind: 'failed', error: { code: 'STORE_UNAVAILABLE' } })
    expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'succeeded'],
      ['error', expect.stringMatching(/its end could not be stored/)],
    ])
    expect((await locker.begin('order_1', 'me', 1)).existing?.status).toBe('inProgress')
  })

  it('is retried while that is cheaper than doing the work again', async () => {
    const { store, acquire, clock, token } = set()
    const lock = await acquire()
    store.next('update', 'fail')
    const ending = lock.endWithSuccess({ data: 'done' })
    await new Promise(setImmediate)
    clock.advance(1_000)
    expect(await ending).toEqual({ kind: 'marked' })
    expect(token()).toHaveProperty('result')
  })

  it('is recognised as stored when only its answer was lost', async () => {
    const { store, acquire } = set()
    const lock = await acquire()
    store.next('update', 'lose')
    expect(await lock.endWithSuccess({ data: 'done' })).toEqual({ kind: 'marked' })
  })

  it.each(['endWithSuccess', 'endWithError', 'release'] as const)(
    'of %s is logged before it is tried',
    async (end) => {
      const { store, acquire, logger } = set()
      const lock = await acquire()
      const order: string[] = []
      const update = store.update.bind(store)
      Object.assign(store, {
        update: (...args: Parameters<typeof update>) => {
          order.push(...logger.lines.map(({ level }) => level), 'write')
          return update(...args)
        },
      })
      await lock[end]({ data: 'x' })
      expect(order).toEqual([expect.stringMatching(/info|warn|error/), 'write'])
    },
  )

  it('does not let a catch around both turn success into error', async () => {
    const { acquire, token } = set()
    const lock = await acquire()
    await lock.endWithSuccess({ data: 'x' })
    expect(await lock.endWithError('oh no')).toEqual({ kind: 'marked' })
    expect(token()).not.toHaveProperty('status')
  })
})

describe('a holder that was taken over', () => {
  it.each(['endWithSuccess', 'release', 'endWithError'] as const)(
    'changes nothing by %s',
    async (end) => {
      const { acquire, clock, token } = set()
      const zombie = await acquire()
      clock.advance(2 * MINUTE)
      await acquire()
      const before = token()
      expect(await zombie[end]({ data: 'z' })).toEqual({ kind: 'taken over' })
      expect(token()).toEqual(before)
    },
  )

  it('changes nothing when the next one has ended already', async () => {
    const { acquire, clock, locker } = set()
    const zombie = await acquire()
    clock.advance(2 * MINUTE)
    await (await acquire()).endWithSuccess({ data: 'of the second' })
    await zombie.endWithSuccess({ data: 'of the zombie' })
    await zombie.release()
    const { existing } = await locker.begin('order_1', 'me', 1)
    expect(existing?.result).toEqual({ data: 'of the second' })
  })
})

it('in a consumer, as the documentation shows it', async () => {
  const { locker } = set()
  let calls = 0
  const createOrder = async (orderId: string): Promise<unknown> => {
    const lock = await locker.begin(`order/create/${orderId}`, 'host/1', MINUTE)
    if (lock.existing !== undefined) {
      switch (lock.existing.status) {
        case 'error':
          return JSON.parse(lock.existing.error ?? '')
        case 'complete':
          return lock.existing.result
        default:
          throw new Error('Work is being done by another process, please try again later.')
      }
    }
    try {
      calls += 1
      const result = { data: 'success' }
      await lock.endWithSuccess(result)
      return result
    } catch {
      await lock.endWithError(JSON.stringify({ error: 'oh no' }))
      throw new Error('oh no')
    }
  }
  expect(await createOrder('12345')).toEqual({ data: 'success' })
  expect(await createOrder('12345')).toEqual({ data: 'success' })
  expect(calls).toBe(1)
})
