import { documented } from '../proof/formats/page.ts'
import { idempotent, lockTokens, type Offload } from 'lineclear'
import { type FakeClock, fakeClock, memoryObjects, memoryStore } from 'lineclear/testing'
import { assert, describe, expect, it } from 'vitest'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'
import { expireKey } from '../../src/library/protocol/claim/token/endKey.ts'
import { readToken } from '../../src/library/protocol/claim/token/token.ts'
import { faultyStore } from './faultyStore.ts'

async function pass(clock: FakeClock, milliseconds: number, step = 500): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += step) {
    for (let n = 0; n < 5; n++) await new Promise(setImmediate)
    clock.advance(step)
  }
  for (let n = 0; n < 5; n++) await new Promise(setImmediate)
}

function held(options: { readonly lease?: '10s' | '30s' } = {}) {
  const store = faultyStore()
  const clock = fakeClock()
  const counts: string[] = []
  const metrics = {
    addDimension: () => {},
    addMetric: (name: string) => counts.push(name),
    publishStoredMetrics: () => {},
  }
  const logger = quietLogger()
  const work = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  let runs = 0
  const run = idempotent(
    { store, clock, logger, metrics, name: 's', key: () => 'k', waitForOther: 0, ...options },
    async (_event: object, _context?: unknown) => work[runs++]?.promise,
  )
  const token = () => store.items().find(({ sk }) => sk === 'token')
  return { store, clock, logger, counts, run, work, token, runs: () => runs }
}

const HOUR = 3_600_000

describe('a running call is not taken over, however long it runs', () => {
  it.each([
    ['without a context, after lease', undefined, { lease: '10s' }, 60_000],
    ['without a context, after 15 minutes', undefined, {}, HOUR],
    ['with the context of an earlier invocation', lambdaContext(-1_000), {}, 60_000],
  ] as const)('%s', async (_, context, options, time) => {
    const { run, clock, work, runs } = held(options)
    const first = run({}, context)
    await pass(clock, time)
    await expect(run({}, context)).rejects.toMatchObject({ code: 'IN_PROGRESS' })
    work[0]?.resolve('first')
    expect(await first).toBe('first')
    expect(await run({}, context)).toBe('first')
    expect(runs()).toBe(1)
  })

  it('a late renewal takes back neither a freed key nor an ended one', async () => {
    const { run, clock, work, token } = held({ lease: '10s' })
    const first = run({})
    await pass(clock, 2_000)
    work[0]?.reject(new Error('no'))
    await expect(first).rejects.toThrow('no')
    await pass(clock, 30_000)
    expect(token()).toMatchObject({ leaseUntil: 0, status: 'inProgress' })
    expect(token()).not.toHaveProperty('statusShard')
  })

  it('a first attempt is not listed by its renewals; one that has taken over stays listed, at its new time', async () => {
    const { run, clock, token } = held({ lease: '30s' })
    void run({})
    await pass(clock, 20_000)
    expect(token()).toMatchObject({ leaseUntil: expect.any(Number), attempt: 1 })
    expect(token()).not.toHaveProperty('statusShard')
    clock.advance(600_000)
    void run({})
    await pass(clock, 500)
    const dueAt = Number(token()?.['dueAt'])
    await pass(clock, 20_000)
    expect(token()).toMatchObject({ attempt: 2, statusShard: expect.stringMatching(/^inProgress/) })
    expect(Number(token()?.['dueAt'])).toBeGreaterThan(dueAt)
    expect(token()?.['dueAt']).toBe(Number(token()?.['leaseUntil']) - 5_000)
  })

  it('a process that was frozen past its lease does not renew it, and its end is fenced', async () => {
    const { run, clock, work, counts, logger } = held({ lease: '10s' })
    const frozen = run({})
    await pass(clock, 1_000)
    clock.advance(60_000)
    const second = run({})
    await pass(clock, 1_000)
    work[0]?.resolve('frozen')
    await expect(frozen).rejects.toMatchObject({ code: 'SUPERSEDED' })
    work[1]?.resolve('second')
    expect(await second).toBe('second')
    expect(await run({})).toBe('second')
    expect(counts).toEqual([
      'started',
      'started',
      'lostAttempts',
      'superseded',
      'completed',
      'replayed',
    ])
    expect(logger.lines.map(({ message }) => message)).toContain(
      'ended, but another attempt had taken over its token: that end counts',
    )
  })
})

it('an overtaken call gets the answer that counts, once there is one', async () => {
  const { run, clock, work } = held({ lease: '10s' })
  const frozen = run({})
  await pass(clock, 1_000)
  clock.advance(60_000)
  const second = run({})
  await pass(clock, 500)
  work[1]?.resolve('second')
  expect(await second).toBe('second')
  work[0]?.reject(new Error('late'))
  expect(await frozen).toBe('second')
})

describe('done work is not done again', () => {
  it('while the table throttles and there is time: its end is stored as soon as it can be', async () => {
    const { store, run, clock, work, token } = held()
    const first = run({}, lambdaContext(26_000))
    await pass(clock, 500)
    store.next('update', ...Array.from({ length: 9 }, () => 'fail' as const))
    work[0]?.resolve('charged')
    await pass(clock, 20_000)
    expect(await first).toBe('charged')
    expect(token()).not.toHaveProperty('status')
    expect(await run({}, lambdaContext(26_000))).toBe('charged')
  })

  it('when a result store hangs: the token is completed first, and the caller gets its answer', async () => {
    const clock = fakeClock()
    const offload: Offload = { ...memoryObjects(), put: () => new Promise(() => {}) }
    const store = documented(memoryStore())
    let runs = 0
    const run = idempotent(
      { store, clock, offload, logger: quietLogger(), name: 's', key: () => 'k', waitForOther: 0 },
      async () => {
        runs += 1
        return 'x'.repeat(400_000)
      },
    )
    const first = run()
    await pass(clock, 500)
    expect(store.items()[0]).not.toHaveProperty('status')
    await expect(run()).rejects.toMatchObject({ code: 'IN_PROGRESS' })
    await pass(clock, 12_000)
    expect(await first).toHaveLength(400_000)
    await expect(run()).rejects.toThrow(/not kept: .*gave no answer within/)
    expect(runs).toBe(1)
  })

  it('and a result store that hangs on reading fails the caller, who can retry', async () => {
    const clock = fakeClock()
    const kept = new Map<string, string>()
    let hangs = true
    const offload: Offload = {
      ...memoryObjects(),
      put: async (key, text) => void kept.set(key, text),
      get: (key) => (hangs ? new Promise(() => {}) : Promise.resolve(kept.get(key))),
    }
    const run = idempotent(
      {
        store: documented(memoryStore()),
        clock,
        offload,
        logger: quietLogger(),
        name: 's',
        key: () => 'k',
      },
      async () => 'x'.repeat(400_000),
    )
    await run()
    const second = run().catch((error: unknown) => error)
    await pass(clock, 6_000)
    expect(await second).toMatchObject({ message: expect.stringContaining('gave no answer') })
    hangs = false
    expect(await run()).toHaveLength(400_000)
  })

  it('a second caller waits for a large answer that is still being stored', async () => {
    const clock = fakeClock()
    const store = documented(memoryStore())
    const create = store.create.bind(store)
    const slow = {
      ...store,
      create: async (items: Parameters<typeof create>[0]) => {
        if (items[0]?.sk !== 'token') await clock.sleep(3_000)
        return create(items)
      },
    }
    const run = idempotent(
      { store: slow, clock, logger: quietLogger(), name: 's', key: () => 'k' },
      async () => 'x'.repeat(5_000),
    )
    const both = Promise.all([run(), run()])
    await pass(clock, 8_000, 100)
    expect((await both).map((answer) => answer.length)).toEqual([5_000, 5_000])
  })

  it('a token that was deleted while its work ran is not reported as taken over', async () => {
    const { store, run, clock, work, counts, logger } = held()
    const first = run({})
    await pass(clock, 500)
    Object.assign(store, { update: async () => [{ kind: 'refused', item: undefined }] })
    work[0]?.resolve('done')
    expect(await first).toBe('done')
    expect(counts).toEqual(['started', 'notStored'])
    expect(logger.lines.at(-1)).toMatchObject({
      level: 'error',
      message: expect.stringContaining('deleted'),
    })
  })
})

it('a call whose result was not kept is not reported as answered from the first run', async () => {
  const logger = quietLogger()
  const run = idempotent(
    { store: documented(memoryStore()), logger, name: 's', key: () => 'k' },
    async () => 'x'.repeat(400_000),
  )
  await run()
  await expect(run()).rejects.toMatchObject({ code: 'TERMINAL' })
  expect(logger.lines.map(({ message }) => message)).not.toContain('answered from the first run')
})

describe('a fence', () => {
  it('is above all earlier ones, also after DynamoDB has deleted the token', async () => {
    const clock = fakeClock()
    const fences: number[] = []
    for (let life = 0; life < 3; life++) {
      const locks = lockTokens({
        store: documented(memoryStore()),
        name: 's',
        clock,
        logger: quietLogger(),
      })
      for (let n = 0; n < 3; n++) {
        const lock = await locks.begin('t', 'me', 1_000)
        assert(lock.existing === undefined)
        fences.push(lock.fence)
        await lock.release()
      }
      clock.advance(60_000)
    }
    expect(fences).toEqual(fences.toSorted((one, other) => one - other))
    expect(new Set(fences).size).toBe(9)
  })
})

describe('a key whose holder crashed, and that is never called again', () => {
  it('leaves the index and is deleted by its ttl; a caller before that takes over', async () => {
    const { store, clock, run, token, work } = held({ lease: '10s' })
    void run({}).catch(() => {})
    await pass(clock, 500)
    clock.advance(60_000)
    const stale = readToken(token() ?? {})
    assert(stale)
    const [expired] = await store.update([expireKey(stale, clock.now())])
    expect(expired?.kind).toBe('applied')
    expect(token()).not.toHaveProperty('statusShard')
    expect(token()).toHaveProperty('ttl')
    const next = run({})
    await pass(clock, 500)
    expect(token()).toHaveProperty('statusShard')
    expect(token()).not.toHaveProperty('ttl')
    work[1]?.resolve('next')
    expect(await next).toBe('next')
  })

  it('is left alone while its lease runs', async () => {
    const { store, clock, run, token } = held({ lease: '10s' })
    void run({}).catch(() => {})
    await pass(clock, 500)
    const live = readToken(token() ?? {})
    assert(live)
    expect(await store.update([expireKey(live, clock.now())])).toMatchObject([{ kind: 'refused' }])
  })
})

describe('a handler that does not return its answer is refused', () => {
  const options = () => ({
    store: documented(memoryStore()),
    logger: quietLogger(),
    name: 's',
    key: () => 'k',
  })

  it('wrapped by awslambda.streamifyResponse before', () => {
    const streaming = Object.assign(async (_event: object) => 1, {
      [Symbol.for('aws.lambda.runtime.handler.streaming')]: 'response',
    })
    expect(() => idempotent(options(), streaming)).toThrow(/streaming handler/)
  })

  it('or after', async () => {
    let runs = 0
    const handler = idempotent(
      options(),
      async (_event: object, _out: unknown, _context: unknown) => {
        runs += 1
      },
    )
    const stream = { write: () => true, end: () => {} }
    await expect(handler({}, stream, lambdaContext())).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('Nothing was run'),
    })
    expect(runs).toBe(0)
  })

  it('because it calls back', async () => {
    let runs = 0
    const handler = idempotent(
      options(),
      (_event: object, _context: unknown, callback: (error: null, answer: string) => void) => {
        runs += 1
        setTimeout(() => callback(null, 'late'), 1)
      },
    )
    await expect(handler({}, lambdaContext(), () => {})).rejects.toMatchObject({ code: 'CONFIG' })
    expect(runs).toBe(0)
  })

  it('while a function of three arguments, or a handler that leaves the callback alone, is run', async () => {
    const sum = idempotent(options(), async (a: number, b: number, c: number) => a + b + c)
    expect(await sum(1, 2, 3)).toBe(6)
    const handler = idempotent(options(), async (_event: object, _context: unknown) => 'done')
    const lambda = handler as (...args: unknown[]) => Promise<string>
    expect(await lambda({}, lambdaContext(), () => {})).toBe('done')
  })
})

it('a consumer and a name of one name share no token', async () => {
  const store = documented(memoryStore())
  const options = { logger: quietLogger(), name: 'orders' }
  await store.create([
    {
      pk: 'lock#orders/o-1',
      sk: 'token',
      attemptId: 'a',
      attempt: 1,
      fence: 1,
      ttl: 9_999_999_999,
    },
  ])
  expect(
    (await lockTokens({ store, ...options }).begin('o-1', 'me', 1_000)).existing,
  ).toBeUndefined()
})
