import fc from 'fast-check'
import { S3Client } from '@aws-sdk/client-s3'
import { startFauxqs } from 'fauxqs'
import { idempotent, lockTokens, type Offload } from 'lineclear'
import { s3Objects } from 'lineclear/s3'
import { memoryObjects } from 'lineclear/testing'
import { fakeClock } from 'lineclear/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quietLogger } from '../deliver/quietLogger.ts'
import { itemBytes } from '../../src/library/base/limits/wireValue.ts'
import { toAttributeMap } from '../../src/library/protocol/store/wire/attributes.ts'
import { notIn } from '../proof/hostile/mode.ts'
import { type FaultyStore, faultyStore } from './faultyStore.ts'
import { restEvent } from './httpEvents.ts'

/** Runs a function twice under one key. */
async function twice(result: unknown, options: { offload?: Offload; store?: FaultyStore } = {}) {
  const { store = faultyStore(), ...more } = options
  const logger = quietLogger()
  let runs = 0
  const run = idempotent({ name: 's', store, logger, key: () => 'k', ...more }, async () => {
    runs += 1
    return result
  })
  const first = await run()
  const second = await run().catch((error: unknown) => error)
  return {
    first,
    second,
    store,
    logger,
    runs: () => runs,
    token: store.items().find(({ sk }) => sk === 'token'),
  }
}

const UNREPEATED = notIn(
  ['twice', 'atOnce', 'ten'],
  'a call that is repeated at once waits by a clock that stands still',
)

describe('a result comes back as it was', () => {
  class Price {
    readonly cents = 3
  }
  class Money {
    #cents = 5
    toJSON() {
      return { cents: this.#cents }
    }
  }

  it.each([
    ['nested undefined', { a: undefined, b: [undefined, { c: undefined }] }],
    ['undefined itself', undefined],
    ['null', null],
    ['a Date', { at: new Date(0), list: [new Date(1)] }],
    ['NaN and the infinities', [Number.NaN, Infinity, -Infinity]],
    ['a bigint', { n: 2n ** 80n }],
    [
      'a Map',
      new Map<unknown, unknown>([
        ['a', 1],
        [{ b: 2 }, new Map([[1, undefined]])],
      ]),
    ],
    ['a Set', new Set([1, 'a', { b: 2 }])],
    ['bytes', new Uint8Array([0, 1, 255])],
    ['an empty text', ''],
    ['false', false],
    ['0', 0],
    ['our own tag', { $lineclear: 'date', value: 1 }],
    ['a key named __proto__', JSON.parse('{"__proto__":{"a":1},"b":2}')],
  ])('%s', async (_, result) => {
    const { first, second, runs, logger } = await twice(result)
    expect(first).toBe(result)
    expect(second).toStrictEqual(result)
    expect(runs()).toBe(1)
    expect(logger.lines.filter(({ level }) => level !== 'info' && level !== 'debug')).toEqual([])
  })

  it('whatever JSON value it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 4 }), async (text) => {
        const value: unknown = JSON.parse(JSON.stringify(JSON.parse(text)))
        const { second, runs } = await twice(value)
        expect(second).toEqual(value)
        expect(runs()).toBe(1)
      }),
      { numRuns: 200 },
    )
  })

  it('a class instance comes back as what JSON makes of it, and a warning is logged', async () => {
    const { second, runs, logger } = await twice({
      price: new Price(),
      money: [new Money()],
      url: new URL('https://a.example/'),
    })
    expect(second).toEqual({
      price: { cents: 3 },
      money: [{ cents: 5 }],
      url: 'https://a.example/',
    })
    expect(runs()).toBe(1)
    expect(logger.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', at: ['$.price', '$.money[0]', '$.url'] }),
    )
  })

  it('an object without prototype comes back with one', async () => {
    const { second, logger } = await twice(Object.assign(Object.create(null), { a: 1 }))
    expect(second).toStrictEqual({ a: 1 })
    expect(logger.lines.map(({ level }) => level)).not.toContain('warn')
  })

  it('the same object twice is no cycle', async () => {
    const shared = { a: 1 }
    expect((await twice({ one: shared, two: shared })).second).toEqual({
      one: { a: 1 },
      two: { a: 1 },
    })
  })
})

describe('a result that cannot be kept', () => {
  const circular: Record<string, unknown> = { a: 1 }
  circular['self'] = circular
  const breaking = {
    toJSON() {
      throw new Error('a bug')
    },
  }

  it.each([
    ['a circle', circular, 'contains itself'],
    ['a broken toJSON', breaking, 'a bug'],
  ])('%s: the work is done, and is not run again', async (_, result, why) => {
    const { first, second, runs, logger, token } = await twice(result)
    expect(first).toBe(result)
    expect(second).toMatchObject({
      code: 'TERMINAL',
      message: expect.stringContaining('its result was not kept'),
    })
    expect(runs()).toBe(1)
    expect(logger.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringContaining('could not be kept'),
      }),
    )
    expect(token).toMatchObject({ resultIn: 'none', notKept: expect.stringContaining(why) })
    expect(token).not.toHaveProperty('status')
  })

  it('of an HTTP request is 410: done, its response gone', async () => {
    const store = faultyStore()
    const handler = idempotent(
      { name: 'default', tenant: 'none', store, logger: quietLogger(), key: () => 'k' },
      async (_event: object) => ({
        statusCode: 200,
        body: 'x'.repeat(400_000),
      }),
    )
    await handler(restEvent())
    const answer = await handler(restEvent())
    expect(answer.statusCode).toBe(410)
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'RESPONSE_NOT_KEPT', status: 410 })
  })

  it('is reported to the holder of a lock token', async () => {
    const locker = lockTokens({ store: faultyStore(), name: 'default', logger: quietLogger() })
    const lock = await locker.begin('t', 'me', 1_000)
    if (lock.existing === undefined) await lock.endWithSuccess('x'.repeat(400_000))
    const { existing } = await locker.begin('t', 'me', 1_000)
    expect(existing).toMatchObject({
      status: 'complete',
      result: undefined,
      notKept: expect.stringContaining('400002 bytes'),
    })
  })

  it(
    'because its item cannot be written: done all the same',
    notIn(['twice', 'atOnce', 'ten'], 'its store fails at certain calls'),
    async () => {
      const store = faultyStore()
      const run = idempotent(
        { name: 'default', store, logger: quietLogger(), key: () => 'k' },
        async () => 'x'.repeat(5_000),
      )
      store.next('create', 'lose')
      store.next('create', 'fail')
      expect(await run()).toHaveLength(5_000)
      await expect(run()).rejects.toMatchObject({ code: 'TERMINAL' })
      expect(store.items()[0]).toMatchObject({ resultIn: 'none' })
    },
  )
})

describe('where a result is stored', () => {
  it('on the token, while the token is one write unit', async () => {
    const { token, store } = await twice({ trackingCode: 'x'.repeat(200) })
    expect(store.items()).toHaveLength(1)
    expect(token).toHaveProperty('result')
    expect(itemBytes(toAttributeMap(token ?? {}))).toBeLessThanOrEqual(1_024)
  })

  it(
    'else in an item of its own: a duplicate’s refused write stays one unit',
    notIn(['twice', 'atOnce', 'ten'], 'it counts the calls of the store'),
    async () => {
      const { token, store, second } = await twice('x'.repeat(20_000))
      expect(second).toHaveLength(20_000)
      expect(itemBytes(toAttributeMap(token ?? {}))).toBeLessThanOrEqual(1_024)
      expect(token).toMatchObject({ resultIn: 'item' })
      // Claim, result, end; then the refused claim and the read of the result.
      expect(store.calls).toEqual(['create', 'update', 'create', 'create', 'read'])
      const result = store.items().find(({ sk }) => sk !== 'token')
      expect(result).toMatchObject({ sk: expect.stringMatching(/^result#[0-9A-Z]{26}$/) })
      expect(Number(result?.['ttl'])).toBeGreaterThan(Number(token?.['ttl']))
    },
  )

  it(
    'and read consistently: it was written before the token referred to it',
    notIn(['twice', 'atOnce', 'ten'], 'it counts the calls of the store'),
    async () => {
      const store = faultyStore()
      const read = store.read.bind(store)
      const options: unknown[] = []
      Object.assign(store, {
        read: (...args: Parameters<typeof read>) => {
          options.push(args[1])
          return read(...args)
        },
      })
      await twice('x'.repeat(5_000), { store })
      expect(options).toEqual([{ consistent: true }])
    },
  )

  it('never more than one unit, whatever the size of key, name and result', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1_500), fc.nat(900), async (result, length) => {
        const store = faultyStore()
        const name = 'n'.repeat(length / 10 + 1)
        const run = idempotent({ store, logger: quietLogger(), key: () => 'k', name }, async () =>
          'ä'.repeat(result / 2),
        )
        await run()
        const token = store.items().find(({ sk }) => sk === 'token') ?? {}
        expect(itemBytes(toAttributeMap(token))).toBeLessThanOrEqual(1_024)
        expect(await run()).toHaveLength(Math.floor(result / 2))
      }),
      { numRuns: 60 },
    )
  })

  it('under its attempt: a late result of an attempt that lost the claim is never taken for its successor’s', async () => {
    const store = faultyStore()
    const clock = fakeClock()
    const locker = lockTokens<string>({ store, name: 'default', clock, logger: quietLogger() })
    const zombie = await locker.begin('t', 'zombie', 1_000)
    clock.advance(10_000)
    const second = await locker.begin('t', 'second', 1_000)
    if (second.existing === undefined) await second.endWithSuccess('b'.repeat(3_000))
    if (zombie.existing === undefined) await zombie.endWithSuccess('a'.repeat(3_000))
    expect((await locker.begin('t', 'me', 1_000)).existing?.result).toBe('b'.repeat(3_000))
  })

  it('and deleted before its token: reported, not run again', UNREPEATED, async () => {
    const store = faultyStore()
    const clock = fakeClock()
    const read = store.read.bind(store)
    const run = idempotent(
      {
        store: {
          ...store,
          read: async (keys) => (await read(keys)).map(() => ({ kind: 'found', item: undefined })),
        },
        name: 'default',
        logger: quietLogger(),
        clock,
        key: () => 'k',
      },
      async () => 'x'.repeat(5_000),
    )
    await run()
    clock.advance(20_000)
    await expect(run()).rejects.toThrow(/it is no longer there/)
  })
})

describe('a result store', () => {
  let server: Awaited<ReturnType<typeof startFauxqs>>
  let client: S3Client
  beforeAll(async () => {
    server = await startFauxqs({ port: 0, logger: false })
    server.createBucket('results')
    client = new S3Client({
      endpoint: `http://127.0.0.1:${server.port}`,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      forcePathStyle: true,
    })
  })
  afterAll(async () => {
    client.destroy()
    await server.stop()
  })

  it('on S3 stores what is larger than an item, byte for byte', async () => {
    const large = { text: 'ä€😀'.repeat(100_000), at: new Date(0) }
    const offload = s3Objects({ bucket: 'results', client })
    const { second, runs, token } = await twice(large, { offload })
    expect(second).toEqual(large)
    expect(runs()).toBe(1)
    expect(token).toMatchObject({ resultIn: 'store' })
    expect(itemBytes(toAttributeMap(token ?? {}))).toBeLessThanOrEqual(1_024)
  })

  it('on S3 gives undefined for a key that it does not have', async () => {
    expect(await s3Objects({ bucket: 'results', client }).get('missing')).toBeUndefined()
  })

  it('on S3 that cannot be read is not taken for an empty one', async () => {
    await expect(s3Objects({ bucket: 'not-there', client }).get('k')).rejects.toThrow(/bucket/i)
  })

  it(
    'that cannot be written to leaves the work done, without a result',
    notIn(['twice', 'atOnce', 'ten'], 'its store fails at certain calls'),
    async () => {
      const offload = s3Objects({ bucket: 'not-there', client })
      const { first, second, runs } = await twice('x'.repeat(400_000), { offload })
      expect(first).toHaveLength(400_000)
      expect(second).toMatchObject({ code: 'TERMINAL' })
      expect(runs()).toBe(1)
    },
  )

  it('gets the time until which a result is needed', async () => {
    const expiries: (number | undefined)[] = []
    const offload: Offload = {
      ...memoryObjects(),
      put: async (_key, _text, expiresAt) => void expiries.push(expiresAt),
      get: async () => undefined,
    }
    const { token } = await twice('x'.repeat(400_000), { offload })
    expect(expiries).toEqual([(Number(token?.['ttl']) + 3_600) * 1_000])
  })

  it(
    'that cannot be read now fails the caller, who can retry',
    notIn(['twice', 'atOnce', 'ten'], 'its store fails at certain calls'),
    async () => {
      let down = true
      const kept = new Map<string, string>()
      const offload: Offload = {
        ...memoryObjects(),
        put: async (key, text) => void kept.set(key, text),
        get: async (key) => {
          if (down) throw new Error('no route to host')
          return kept.get(key)
        },
      }
      const { store, second, runs } = await twice('x'.repeat(400_000), { offload })
      expect(second).toMatchObject({ message: 'no route to host' })
      down = false
      expect((await twice('x'.repeat(400_000), { offload, store })).first).toHaveLength(400_000)
      expect(runs()).toBe(1)
    },
  )

  it('that is missing from the options is reported in the log', async () => {
    const offload = s3Objects({ bucket: 'results', client })
    const { store } = await twice('x'.repeat(400_000), { offload })
    const logger = quietLogger()
    const run = idempotent({ name: 's', store, logger, key: () => 'k' }, async () => 'x')
    await expect(run()).rejects.toMatchObject({ code: 'TERMINAL' })
    expect(logger.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: expect.stringContaining('result store') }),
    )
  })

  it.each(['', undefined])('on S3 refuses %j as a bucket', (bucket) => {
    expect(() => s3Objects({ bucket: bucket as string })).toThrow(/bucket.*environment variable/)
  })
})
