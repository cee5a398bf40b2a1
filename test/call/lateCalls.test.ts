import { type Clock, idempotent, invocationHandler } from 'lineclear'
import { type FakeClock, fakeClock } from 'lineclear/testing'
import { assert, describe, expect, it } from 'vitest'
import { expireKey } from '../../src/library/protocol/claim/token/endKey.ts'
import { readToken } from '../../src/library/protocol/claim/token/token.ts'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'
import { faultyStore } from './faultyStore.ts'
import { chain } from './middy/chain.ts'

const SECOND = 1_000
const LEASE_MARGIN = 5 * SECOND

async function turns(): Promise<void> {
  for (let n = 0; n < 5; n++) await new Promise(setImmediate)
}

async function pass(clock: FakeClock, milliseconds: number, step = 500): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += step) {
    await turns()
    clock.advance(step)
  }
  await turns()
}

const FORMS = {
  idempotent: (
    options: { store: ReturnType<typeof faultyStore>; clock: Clock; lease?: '1m' },
    work: () => Promise<unknown>,
  ) =>
    idempotent(
      { ...options, logger: quietLogger(), name: 's', key: () => 'k', waitForOther: 0 },
      async (_event: object, _context: unknown) => work(),
    ),
  invocationHandler: (
    options: { store: ReturnType<typeof faultyStore>; clock: Clock },
    work: () => Promise<unknown>,
  ) =>
    invocationHandler(
      { ...options, logger: quietLogger(), name: 's', key: () => 'k', waitForOther: 0 },
      async (_event: object) => work(),
    ),
} as const

/** A function that runs until the test lets it end; each run has its own end. */
function opened(form: keyof typeof FORMS) {
  const store = faultyStore()
  const clock = fakeClock()
  const work = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  let runs = 0
  const onClock = (its: Clock) =>
    FORMS[form]({ store, clock: its }, async () => work[runs++]?.promise)
  const token = () => store.items().find(({ sk }) => sk === 'token')
  return { store, clock, work, token, onClock, run: onClock(clock), runs: () => runs }
}

/** A process that is frozen: it runs nothing that it waits for. */
function frozen(clock: Clock): Clock {
  return { ...clock, sleep: () => new Promise(() => {}) }
}

const ONE_SECOND = lambdaContext(SECOND)

describe.each(['idempotent', 'invocationHandler'] as const)(
  'a function of %s that runs on after the time of its invocation',
  (form) => {
    it('waits for no longer than a timer can, which would end at once, before it renews a lease', async () => {
      const { onClock, clock, work } = opened(form)
      const waits: number[] = []
      const sleep: Clock['sleep'] = async (milliseconds) => {
        waits.push(milliseconds)
        return new Promise(() => {})
      }
      work[0]?.resolve('done')
      await onClock({ ...clock, sleep })({}, lambdaContext(Number.MAX_SAFE_INTEGER))
      expect(Math.max(...waits)).toBe(2 ** 31 - 1)
    })

    it('keeps its key until it has ended: no other call runs it beside', async () => {
      const { run, clock, work, runs, store } = opened(form)
      const first = run({}, ONE_SECOND)
      for (let minute = 0; minute < 3; minute++) {
        await pass(clock, 60 * SECOND)
        const again = { ...ONE_SECOND, awsRequestId: `again-${minute}` }
        await expect(run({}, again)).rejects.toMatchObject({ code: 'IN_PROGRESS' })
      }
      work[0]?.resolve('late')
      expect(await first).toBe('late')
      expect(await run({}, ONE_SECOND)).toBe('late')
      expect(runs()).toBe(1)
      const written = store.calls.length
      await pass(clock, 120 * SECOND)
      expect(store.calls).toHaveLength(written)
    })

    it('keeps it also when its process was too busy to renew in time, if no other call came before', async () => {
      const { run, clock, runs } = opened(form)
      void run({}, ONE_SECOND)
      await turns()
      clock.advance(60 * SECOND)
      await expect(run({}, ONE_SECOND)).rejects.toMatchObject({ code: 'IN_PROGRESS' })
      expect(runs()).toBe(1)
    })

    it('prolongs nothing before Lambda would have killed it, and frees the key soon after its death', async () => {
      const { run, clock, token } = opened(form)
      const ends = clock.now() + SECOND + LEASE_MARGIN
      void run({}, ONE_SECOND)
      await pass(clock, 3 * SECOND)
      expect(token()?.['leaseUntil']).toBe(ends)
      await pass(clock, SECOND)
      expect(Number(token()?.['leaseUntil'])).toBeGreaterThan(ends)
      expect(Number(token()?.['leaseUntil'])).toBeLessThanOrEqual(clock.now() + 36 * SECOND)
    })

    it('tries again at once when a renewal fails', async () => {
      const { run, clock, store, runs } = opened(form)
      void run({}, ONE_SECOND)
      await pass(clock, 3 * SECOND)
      store.next('update', 'fail', 'failAfter', 'lose')
      await pass(clock, 30 * SECOND)
      await expect(run({}, ONE_SECOND)).rejects.toMatchObject({ code: 'IN_PROGRESS' })
      expect(runs()).toBe(1)
    })

    it('whose key was taken over while its process was frozen renews nothing, stores nothing and frees nothing', async () => {
      const { onClock, run, clock, work, token, runs } = opened(form)
      const thaw = Promise.withResolvers<void>()
      const late = onClock({ ...clock, sleep: () => thaw.promise })({}, ONE_SECOND)
      await turns()
      clock.advance(60 * SECOND)
      const second = run({}, ONE_SECOND)
      await turns()
      expect(runs()).toBe(2)
      const held = token()
      thaw.resolve()
      await turns()
      work[0]?.reject(new Error('late'))
      await expect(late).rejects.toThrow(/took over|late/)
      expect(token()).toEqual(held)
      work[1]?.resolve('second')
      expect(await second).toBe('second')
      expect(await run({}, ONE_SECOND)).toBe('second')
    })

    it('is not deleted by DynamoDB after the sweeper has taken it for dead', async () => {
      const { run, clock, store, token } = opened(form)
      void run({}, ONE_SECOND)
      await turns()
      const held = readToken(token() ?? {})
      assert(held)
      await store.update([expireKey(held, clock.now() + 10 * SECOND)])
      expect(token()).toHaveProperty('ttl')
      await pass(clock, 5 * SECOND)
      expect(token()).not.toHaveProperty('ttl')
    })

    it('leaves the key to the next caller once its process is dead', async () => {
      const { onClock, run, clock, work, runs } = opened(form)
      void onClock(frozen(clock))({}, ONE_SECOND)
      await pass(clock, 7 * SECOND)
      const second = run({}, ONE_SECOND)
      work[1]?.resolve('second')
      expect(await second).toBe('second')
      expect(runs()).toBe(2)
    })
  },
)

it('a call shorter than its lease renews nothing, and leaves no timer behind', async () => {
  const { run, clock, work, store } = opened('idempotent')
  const first = run({}, ONE_SECOND)
  await pass(clock, 3 * SECOND)
  work[0]?.resolve('done')
  expect(await first).toBe('done')
  await pass(clock, 60 * SECOND)
  expect(store.calls).toEqual(['create', 'update'])
})

it('behind the early timeout of middy, which does not see the end of a function, nothing is renewed', async () => {
  const timeoutEarlyResponse = (): never => {
    throw Object.assign(new Error('late'), {
      name: 'TimeoutError',
      cause: { package: '@middy/core' },
    })
  }
  const { call, clock, store } = chain(
    () => new Promise(() => {}),
    {},
    { plugin: { timeoutEarlyInMillis: 2_960, timeoutEarlyResponse } },
  )
  await expect(call({}, lambdaContext(3_000))).rejects.toThrow('late')
  const written = store.calls.length
  await pass(clock, 120 * SECOND)
  expect(store.calls).toHaveLength(written)
})
