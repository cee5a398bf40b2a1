import { idempotent, type IdempotentOptions, type Store } from 'lineclear'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { faultyStore } from '../../call/faultyStore.ts'
import { httpApiEvent, restEvent } from '../../call/httpEvents.ts'
import { chain } from '../../call/middy/chain.ts'

interface Event {
  readonly id: string
}

const event: Event = { id: 'a' }
const logger = quietLogger()
const later = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

function guarded(
  work: (run: number) => unknown,
  options: Partial<IdempotentOptions<[Event, ReturnType<typeof lambdaContext>?], unknown>> = {},
) {
  const store = faultyStore()
  let runs = 0
  const call = idempotent(
    { store, logger, name: 'f', key: ({ id }) => id, waitForOther: 0, ...options },
    async (_event: Event, _context?: ReturnType<typeof lambdaContext>) => work((runs += 1)),
  )
  return { call, store, runs: () => runs, token: () => store.items()[0] }
}

/** A run that never ends: its sandbox is dead. */
const dead = (): Promise<never> => new Promise(() => {})

/** The faults of idempotender: Lineclear has none of them. */
describe('idempotender', () => {
  it('1: the lock of a crashed holder cannot be taken over, and then all callers run at once', async () => {
    const clock = fakeClock()
    const { call, runs } = guarded((run) => (run === 1 ? dead() : run), { clock, lease: '10s' })
    void call(event)
    clock.advance(16_000)
    const outcomes = await Promise.allSettled([call(event), call(event), call(event)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(runs()).toBe(2)
  })

  it('2: a caller that waited in vain runs without the lock', async () => {
    const { call, runs } = guarded(dead, { waitForOther: 100 })
    void call(event)
    await expect(call(event)).rejects.toMatchObject({ code: 'IN_PROGRESS' })
    expect(runs()).toBe(1)
  })

  it('3: a caller that read "absent" just before replaces the finished record, and runs again', async () => {
    const memory = memoryStore()
    // Each read shows the store as it was before anything was written.
    const store: Store = {
      ...memory,
      read: async (keys) => keys.map(() => ({ kind: 'found', item: undefined })),
    }
    let runs = 0
    const call = idempotent(
      { name: 'default', store, logger, key: ({ id }) => id, waitForOther: 1_000 },
      async (_event: Event) => {
        runs += 1
        await later(80)
        return runs
      },
    )
    expect(await Promise.all([call(event), call(event), call(event)])).toEqual([1, 1, 1])
    expect(runs).toBe(1)
  })

  it('4: a slow holder deletes or replaces what another has finished', async () => {
    const clock = fakeClock()
    const slow = Promise.withResolvers<unknown>()
    const { call } = guarded((run) => (run === 1 ? slow.promise : 'second'), {
      clock,
      lease: '10s',
    })
    const zombie = call(event).catch(() => {})
    clock.advance(16_000)
    await call(event)
    slow.reject(new Error('late'))
    await zombie
    expect(await call(event)).toBe('second')
  })

  it('5: a result of 450 KB that cannot be stored: the work is repeated on each call', async () => {
    const { call, runs } = guarded(() => 'x'.repeat(450_000))
    await call(event)
    await call(event).catch(() => {})
    await call(event).catch(() => {})
    expect(runs()).toBe(1)
  })

  it('6: two functions share results, because the key prefix is the AWS account', async () => {
    const store = memoryStore()
    const make = (answer: string) =>
      idempotent(
        { store, logger, key: ({ id }) => id },
        async (_event: Event, _context: object) => answer,
      )
    const [a, b] = [make('a'), make('b')]
    expect(await a(event, { ...lambdaContext(), functionName: 'function-a' })).toBe('a')
    expect(await b(event, { ...lambdaContext(), functionName: 'function-b' })).toBe('b')
  })

  it('7: all callers without the header share one response', async () => {
    const { call, runs } = chain((_, run) => ({ statusCode: 200, body: `customer ${run}` }), {
      key: (request) => [
        (request as { headers: Record<string, string> }).headers['idempotency-key'],
      ],
    })
    expect(await call(httpApiEvent())).toMatchObject({ statusCode: 400 })
    expect(await call(httpApiEvent())).toMatchObject({ statusCode: 400 })
    expect(runs()).toBe(0)
  })

  it('8: a 500 of an HTTP API is stored for a day', async () => {
    const { call, runs } = chain((_, run) => ({ statusCode: run === 1 ? 500 : 200, body: '' }))
    expect(await call(httpApiEvent())).toMatchObject({ statusCode: 500 })
    expect(await call(httpApiEvent())).toMatchObject({ statusCode: 200 })
    expect(runs()).toBe(2)
  })

  it.each(['text', ['list'], 7, undefined])('9: %j comes back as an object', async (value) => {
    const { call } = chain(() => value)
    await call()
    expect(await call()).toStrictEqual(value)
  })

  it('10: the time of the first run is a top-level field of the response, which REST APIs refuse', async () => {
    const { call } = chain(() => ({ statusCode: 200, body: '' }))
    await call(restEvent())
    expect(Object.keys((await call(restEvent())) as object).toSorted()).toEqual([
      'body',
      'headers',
      'statusCode',
    ])
  })

  it('11: a function that is not awaited: {} is stored, and the lock is freed before the work ends', async () => {
    let done = false
    const { call } = guarded(async () => {
      await later(30)
      done = true
      return 'ok'
    })
    const first = call(event)
    await later(5)
    await expect(call(event)).rejects.toMatchObject({ code: 'IN_PROGRESS' })
    expect(await first).toBe('ok')
    expect(done).toBe(true)
    expect(await call(event)).toBe('ok')
  })

  it('12: a wait that is longer than configured, without a last look', async () => {
    const { call, store } = guarded(() => later(1_000), { waitForOther: 200 })
    void call(event)
    const start = Date.now()
    await expect(call(event)).rejects.toMatchObject({ code: 'IN_PROGRESS' })
    expect(Date.now() - start).toBeLessThan(400)
    expect(store.calls.at(-1)).toBe('read')
  })

  it('13: another middleware that answers the error leaves the lock behind', async () => {
    const boom = (): never => {
      throw new Error('boom')
    }
    const { call, runs } = chain(boom, {}, { inner: [{ onError: () => 'answered' }] })
    expect([await call(), await call()]).toEqual(['answered', 'answered'])
    expect(runs()).toBe(2)
  })

  it('14: the ttl is a fraction', async () => {
    const { call, token } = guarded(() => 1, { clock: fakeClock(1_767_225_600_123) })
    await call(event)
    expect(token()?.['ttl']).toBe(1_767_225_601 + 86_400)
  })

  it('15: no payload check, no tenants, no lease by the deadline, no replay of errors', async () => {
    const principal = (principalId: string) => ({ requestContext: { authorizer: { principalId } } })
    const { call, runs } = chain(() => ({ statusCode: 201, body: '' }), {
      payload: (request) => (request as { body: string }).body,
      tenant: (request) =>
        (request as { requestContext: { authorizer: { principalId: string } } }).requestContext
          .authorizer.principalId,
    })
    expect(await call(restEvent({ body: '1', ...principal('one') }))).toMatchObject({
      statusCode: 201,
    })
    expect(await call(restEvent({ body: '2', ...principal('one') }))).toMatchObject({
      statusCode: 422,
    })
    expect(await call(restEvent({ body: '2', ...principal('two') }))).toMatchObject({
      statusCode: 201,
    })
    expect(runs()).toBe(2)
    const lease = guarded(() => 1)
    const create = lease.store.create.bind(lease.store)
    let leaseUntil = 0
    Object.assign(lease.store, {
      create: (items: Parameters<typeof create>[0]) => {
        leaseUntil = Number(items[0]?.['leaseUntil'])
        return create(items)
      },
    })
    await lease.call(event, lambdaContext(20_000))
    expect(leaseUntil - Date.now()).toBeGreaterThan(20_000)
  })

  it('16: calls that are concurrent only in the title of their test', async () => {
    let at = 0
    let most = 0
    const { call, runs } = guarded(
      async () => {
        most = Math.max(most, (at += 1))
        await later(20)
        at -= 1
        return 'ok'
      },
      { waitForOther: 5_000 },
    )
    const calls = Array.from({ length: 30 }, (_, n) => call({ id: `k${n % 3}` }))
    expect(await Promise.all(calls)).toEqual(calls.map(() => 'ok'))
    expect([runs(), most]).toEqual([3, 3])
  })
})
