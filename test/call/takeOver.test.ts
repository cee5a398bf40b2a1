import { documented } from '../proof/formats/page.ts'
import fc from 'fast-check'
import { type Lock, lockTokens, RetryableError, sweepHandler } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { type FakeClock, fakeClock, memoryStore } from 'lineclear/testing'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shardsOf } from '../../src/library/protocol/claim/statusIndex.ts'
import { readToken, type Token } from '../../src/library/protocol/claim/token/token.ts'
import type { Store } from '../../src/library/protocol/store/store.ts'
import { planReopen, planRelease, planResolve } from '../../src/tools/operator/plan/planToken.ts'
import { quietLogger } from '../deliver/quietLogger.ts'
import { startCloud } from '../tools/cli/operatorHarness.ts'

const MINUTE = 60_000

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

function open(store: Store, clock: FakeClock) {
  const name = crypto.randomUUID()
  const logger = quietLogger()
  const shared = { store, name, clock, logger, retention: 'forever' } as const
  const locks = lockTokens<string>({ ...shared, takeOver: false })
  const item = async () => {
    const [read] = await store.read([{ pk: `key#${name}/t`, sk: 'token' }], { consistent: true })
    return read?.kind === 'found' ? read.item : undefined
  }
  return {
    clock,
    logger,
    store,
    shared,
    item,
    begin: (by = 'host-2') => locks.begin('t', by, MINUTE),
    /** Holds the token, and says no more. */
    async held(): Promise<Lock<string>> {
      const lock = await locks.begin('t', 'host-1', MINUTE)
      if (lock.existing !== undefined) throw new Error(lock.existing.status)
      return lock
    },
    leaseOver: () => clock.advance(MINUTE + 5_001),
    async token(): Promise<Token> {
      const token = readToken((await item()) ?? { pk: '', sk: '' })
      if (token === undefined) throw new Error('no token')
      return token
    },
  }
}

/** The clock of the engine goes on: only the claims are judged by the given one. */
const STORES = [
  ['memory', () => open(documented(memoryStore()), fakeClock(Date.now()))],
  [
    'DynamoDB',
    () => {
      const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
      return open(store, fakeClock(Date.now()))
    },
  ],
] as const

describe.each(STORES)('takeOver: false, on %s', (_kind, make) => {
  it('lets nothing attempt the work again after its holder has died', async () => {
    const { held, begin, leaseOver, clock, item } = make()
    await held()
    expect((await begin()).existing).toMatchObject({ status: 'inProgress', lockedBy: 'host-1' })
    leaseOver()
    const all = await Promise.all([begin('a'), begin('b'), begin('c')])
    for (const { existing } of all) {
      expect(existing).toMatchObject({
        status: 'unknown',
        lockedBy: 'host-1',
        error: expect.stringContaining('its holder has died'),
      })
    }
    expect(await item()).toMatchObject({
      status: 'unknown',
      attempt: 1,
      statusShard: expect.toBeOneOf([...shardsOf('unknown')]),
      dueAt: clock.now(),
    })
    expect(await item()).not.toHaveProperty('ttl')
    clock.advance(1_000 * 24 * 60 * MINUTE)
    expect((await begin()).existing?.status).toBe('unknown')
  })

  it('is what the holder wanted, whatever the next caller has for an option', async () => {
    const { held, leaseOver, shared } = make()
    await held()
    leaseOver()
    const others = lockTokens<string>(shared)
    expect((await others.begin('t', 'other', MINUTE)).existing?.status).toBe('unknown')
  })

  it('holds for a token of before it was set', async () => {
    const { begin, leaseOver, shared } = make()
    await lockTokens<string>(shared).begin('t', 'old', MINUTE)
    leaseOver()
    expect((await begin()).existing).toMatchObject({ status: 'unknown', lockedBy: 'old' })
  })

  it('stores the end of a holder that lives after all', async () => {
    const { held, begin, leaseOver, item } = make()
    const lock = await held()
    leaseOver()
    await begin()
    expect(await lock.endWithSuccess('receipt')).toEqual({ kind: 'marked' })
    expect(await item()).not.toHaveProperty('statusShard')
    expect(await item()).not.toHaveProperty('error')
    expect((await begin()).existing).toMatchObject({ status: 'complete', result: 'receipt' })
  })

  it.each([
    ['release', (lock: Lock<string>) => lock.release()],
    ['an error that says so', (lock: Lock<string>) => lock.endWithError(new RetryableError('no'))],
  ])('frees the token by %s, also once it is parked', async (_what, end) => {
    const { held, begin, leaseOver, item } = make()
    const lock = await held()
    leaseOver()
    await begin()
    expect(await end(lock)).toEqual({ kind: 'marked' })
    const next = await held()
    expect(next.fence).toBeGreaterThan(lock.fence)
    expect(await item()).not.toHaveProperty('error')
    expect(await lock.endWithSuccess('late')).toEqual({ kind: 'marked' })
    expect((await begin()).existing?.status).toBe('inProgress')
  })

  it('is parked by the sweeper, which counts and logs it', async () => {
    const { held, leaseOver, store, clock, token, begin } = make()
    await held()
    const logger = quietLogger()
    const sweep = sweepHandler({ store, clock, logger, search: false })
    leaseOver()
    clock.advance(MINUTE)
    await sweep()
    expect((await token()).status).toBe('unknown')
    expect(logger.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringContaining('waits for an operator'),
      }),
    )
    expect((await begin()).existing?.status).toBe('unknown')
  })

  it('is ended or freed by an operator, who says which', async () => {
    const done = make()
    await done.held()
    done.leaseOver()
    await done.begin()
    await apply(
      done.store,
      planResolve(await done.token(), { result: 'receipt 7' }, done.clock.now()),
    )
    expect((await done.begin()).existing).toMatchObject({ status: 'complete', result: 'receipt 7' })

    const free = make()
    const lock = await free.held()
    free.leaseOver()
    await free.begin()
    const token = await free.token()
    expect(planRelease(token, [], free.clock.now())).toMatchObject({ kind: 'impossible' })
    expect(planReopen(token, {}, free.clock.now())).toMatchObject({ kind: 'impossible' })
    await apply(free.store, planRelease(token, ['section'], free.clock.now()))
    const next = await free.held()
    expect(await lock.endWithSuccess('late')).toEqual({ kind: 'taken over' })
    expect(next.fence).toBeGreaterThan(lock.fence)
  })
})

async function apply(store: Store, plan: ReturnType<typeof planResolve>): Promise<void> {
  if (plan.kind !== 'change' || plan.effect.kind !== 'updates') throw new Error('no change')
  const [outcome] = await store.update(plan.effect.updates)
  expect(outcome).toMatchObject({ kind: 'applied' })
}

it('has one holder for each time that the token was free, whatever happens in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('begin', 'later', 'end', 'release'), { maxLength: 30 }),
      async (steps) => {
        const { begin, leaseOver } = open(documented(memoryStore()), fakeClock())
        const holders: Lock<string>[] = []
        let freed = 0
        for (const step of steps) {
          const last = holders.at(-1)
          if (step === 'later') leaseOver()
          else if (step === 'end') await last?.endWithSuccess('done')
          else if (step === 'release') freed += Number((await last?.release())?.kind === 'marked')
          else {
            const lock = await begin()
            if (lock.existing === undefined) holders.push(lock)
          }
        }
        expect(holders.length).toBeLessThanOrEqual(1 + freed)
      },
    ),
  )
})
