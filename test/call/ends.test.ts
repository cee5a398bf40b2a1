import { idempotent, lockTokens, TerminalError } from 'lineclear'
import { fakeClock } from 'lineclear/testing'
import { assert, describe, expect, it } from 'vitest'
import { quietLogger } from '../deliver/quietLogger.ts'
import { notIn } from '../proof/hostile/mode.ts'
import { type FaultyStore, faultyStore } from './faultyStore.ts'
import { restEvent } from './httpEvents.ts'

const logger = quietLogger()

/** Each write takes one turn of the event loop, as over a network. */
function slowStore(): FaultyStore {
  const store = faultyStore()
  const update = store.update.bind(store)
  return Object.assign(store, {
    update: async (updates: Parameters<typeof update>[0]) => {
      await new Promise(setImmediate)
      return update(updates)
    },
  })
}

describe('before the caller gets its answer', () => {
  it('the end of a failed run is stored: Lambda freezes requests that are still pending', async () => {
    const store = slowStore()
    const run = idempotent(
      { name: 'default', store, logger, key: () => 'k', waitForOther: 0 },
      async () => {
        throw new Error('boom')
      },
    )
    await expect(run()).rejects.toThrow('boom')
    expect(store.items()[0]).toMatchObject({ leaseUntil: 0 })
    await expect(run()).rejects.toThrow('boom')
  })
})

describe('the lease of a caller that has waited', () => {
  it('counts from its claim, and outlasts the Lambda by the margin', async () => {
    const store = faultyStore()
    const clock = fakeClock()
    const deadline = clock.now() + 60_000
    const context = {
      awsRequestId: 'r',
      getRemainingTimeInMillis: () => deadline - clock.now(),
    }
    const leases: unknown[] = []
    const first = Promise.withResolvers<string>()
    let runs = 0
    const run = idempotent(
      { name: 'default', store, clock, logger, key: () => 'k' },
      async (_event: object, _context: object) => {
        runs += 1
        if (runs === 1) return first.promise
        leases.push(store.items()[0]?.['leaseUntil'])
        return 'second'
      },
    )
    const failing = run({}, context).catch(() => 'failed')
    const waiting = run({}, context)
    for (let turn = 0; turn < 100; turn += 1) {
      await new Promise(setImmediate)
      clock.advance(50)
      if (turn === 60) first.reject(new Error('boom'))
    }
    expect([await failing, await waiting]).toEqual(['failed', 'second'])
    expect(leases).toEqual([deadline + 5_000])
  })
})

describe('a store that throws', () => {
  it('at the end of the work: the work stays done, and the caller gets its answer', async () => {
    const store = faultyStore()
    const run = idempotent(
      { name: 'default', store, logger, key: () => 'k', waitForOther: 0 },
      async () => 'done',
    )
    Object.assign(store, { update: () => Promise.reject(new Error('no such table')) })
    expect(await run()).toBe('done')
    await expect(run()).rejects.toMatchObject({ code: 'IN_PROGRESS' })
  })

  it('is reported as a failed end to the holder of a lock token', async () => {
    const store = faultyStore()
    const lock = await lockTokens({ store, name: 'default', logger }).begin('t', 'me', 1_000)
    assert(lock.existing === undefined)
    Object.assign(store, { update: () => Promise.reject(new Error('no such table')) })
    expect(await lock.endWithSuccess('done')).toMatchObject({ kind: 'failed' })
  })
})

describe('an error as long as a page', () => {
  it.each([
    ['text', (text: string) => text],
    ['TerminalError', (text: string) => new TerminalError(text)],
  ])('is cut in a %s to what the token can hold', async (_what, thrown) => {
    const store = faultyStore()
    const lock = await lockTokens({ store, name: 'default', logger }).begin('t', 'me', 1_000)
    assert(lock.existing === undefined)
    expect(await lock.endWithError(thrown('x'.repeat(500_000)))).toEqual({ kind: 'marked' })
    expect(store.items()[0]?.['error']).toHaveLength(50_000)
  })
})

describe('a result that cannot be read now', () => {
  const large = { statusCode: 200, body: 'x'.repeat(5_000) }
  const kept = async () => {
    const store = faultyStore()
    const run = idempotent(
      { name: 'default', store, logger, tenant: 'none', key: () => 'k', payload: 'ignore' },
      async (_event: object) => large,
    )
    await run({})
    store.next('read', 'fail')
    return run
  }
  const calm = notIn(['twice', 'atOnce', 'ten'], 'its store fails at certain calls')

  it(
    'is not taken for one that was not stored: an HTTP request gets a retryable answer',
    calm,
    async () => {
      const run = await kept()
      expect(await run(restEvent())).toMatchObject({ statusCode: 503 })
      expect(await run(restEvent())).toMatchObject({ body: large.body })
    },
  )

  it('is an outage for callers that are no HTTP clients', calm, async () => {
    const run = await kept()
    await expect(run({})).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await run({})).toEqual(large)
  })
})
