import { randomBytes, randomFillSync, randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, SQSEvent } from 'aws-lambda'
import { idempotent, newerThan, type RecordContext, recordHandler } from 'lineclear'
import { type CrashCloud, type CrashOptions, exploreCrashes } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { bound } from '../../proof/depth.ts'
import { consumerOf, Key, ORDER, type Order, SOUND, summing, type Work } from './consumerOf.ts'

const [OLD, NEW]: readonly Order[] = [
  { orderId: 'o1', state: 2 },
  { orderId: 'o1', state: 1 },
]

describe('what a handler takes from its process', () => {
  const keyed =
    (keyOf: () => string): Work =>
    (_, _ctx, { outside }) =>
      outside('charge', { idempotencyKey: keyOf() })
  const KEYS: readonly (readonly [string, () => string])[] = [
    ['the time', () => String(Date.now())],
    ['a date', () => new Date().toISOString()],
    ['chance', () => String(Math.random())],
    ['a random id', () => crypto.randomUUID()],
    ['random values', () => crypto.getRandomValues(new Uint8Array(4)).join()],
    ['a random id of Node', () => randomUUID()],
    ['random bytes of Node', () => randomBytes(8).toString('hex')],
    ['random bytes filled by Node', () => randomFillSync(Buffer.alloc(8), 2, 4).toString('hex')],
    ['a random number of Node', () => String(randomInt(10, 1_000_000))],
  ]
  it.each(KEYS)('%s in a key: doubled, and its seed runs it again', async (_, keyOf) => {
    const wrong = consumerOf(keyed(keyOf))
    const report = await exploreCrashes(wrong, ORDER)
    expect(report.finding?.anomaly).toBe('doubled')
    const again = await exploreCrashes(wrong, ORDER, { seed: report.seed ?? '' })
    expect(again.trace).toEqual(report.trace)
  })

  it('is given back afterwards', async () => {
    const taken = () => [
      Date,
      Math.random,
      crypto.randomUUID,
      randomUUID,
      randomBytes,
      randomInt,
      sleep,
    ]
    const real = taken()
    await exploreCrashes(consumerOf(summing), ORDER, { limit: 5 })
    expect(taken()).toEqual(real)
    expect(Object.keys(crypto)).toEqual([])
    expect(randomUUID()).not.toBe(randomUUID())
  })

  it('is real between the schedules, and by callback as well', async () => {
    const drawn = new Set<string>()
    const report = await exploreCrashes(
      consumerOf(async (_, ctx) => {
        const bytes = await new Promise<Buffer>((resolve, reject) => {
          randomBytes(4, (error, given) => (error ? reject(error) : resolve(given)))
        })
        const number = await new Promise<number>((resolve, reject) => {
          randomInt(100, (error, given) => (error ? reject(error) : resolve(given)))
        })
        drawn.add(`${bytes.toString('hex')} ${number < 100}`)
        await ctx.write('sum', { TableName: 't', Key, add: { n: 1 } })
      }),
      ORDER,
      { together: 1, faults: 0 },
    )
    expect(report).toMatchObject({ ...SOUND, complete: true })
    expect([...drawn]).toHaveLength(1)
    expect([...drawn][0]).toMatch(/ true$/)
  })
})

describe('requests one after the other', () => {
  it('an older one that writes over a newer one: stale', async () => {
    const wrong = consumerOf(({ state = 0 }, ctx) =>
      ctx.write('state', { TableName: 't', Key, set: { state } }),
    )
    const report = await exploreCrashes(wrong, OLD, { also: [NEW] })
    expect(report.finding?.anomaly).toBe('stale')
    expect(report).toMatchObject({ doubled: 0, lost: 0 })
  })

  it('guarded by their times: sound', async () => {
    const right = consumerOf(({ state = 0 }, ctx) =>
      ctx.write('state', {
        TableName: 't',
        Key,
        set: { state },
        guard: newerThan('at', ctx.sentAt),
      }),
    )
    expect(await exploreCrashes(right, OLD, { also: [NEW], together: 1 })).toMatchObject({
      ...SOUND,
      complete: true,
    })
  })

  it('that share a key in an outside system: lost', async () => {
    const wrong = consumerOf((order, ctx, { outside }) =>
      ctx.call('charge', () => outside('charge', { idempotencyKey: order.orderId }, order)),
    )
    const { finding } = await exploreCrashes(wrong, OLD, { also: [NEW], faults: 0 })
    expect(finding?.anomaly).toBe('lost')
    expect(finding?.what).toMatch(/^call 'charge': the key of .* stands for .* too$/)
  })

  it('that carry keys of their own: sound', async () => {
    const right = consumerOf((order, ctx, { outside }) =>
      ctx.call('charge', (key) => outside('charge', key, order)),
    )
    expect(await exploreCrashes(right, OLD, { also: [NEW], faults: 0 })).toMatchObject(SOUND)
  })
})

type Raw = (cloud: CrashCloud) => (event: SQSEvent, context: Context) => Promise<void>

describe('what never comes to rest: stuck', () => {
  const failing: Raw = () => () => Promise.reject(new Error('no'))
  const hanging: Raw = () => () => new Promise(() => {})
  const locked: Raw =
    ({ store, outside }) =>
    async () => {
      const [taken] = await store.create([{ pk: 'lock', sk: 'lock' }])
      if (taken?.kind !== 'applied') throw new Error('another attempt is running')
      await outside('charge', { idempotencyKey: 'o1' })
      await store.update([{ key: { pk: 'lock', sk: 'lock' }, where: [], set: { done: true } }])
    }
  it.each([
    ['fails each time', failing],
    ['never answers', hanging],
    ['takes a lock that is never freed', locked],
  ])('a handler that %s', async (_, wrong) => {
    const report = await exploreCrashes(wrong, ORDER, { together: 1 })
    expect(report.finding).toMatchObject({ anomaly: 'stuck', what: 'it never came to rest' })
  })
})

describe('time', () => {
  it('a handler that sleeps by a promised timer passes, in no time', async () => {
    const right = consumerOf(async (order, ctx, cloud) => {
      if ((await sleep(600_000, 'awake')) !== 'awake') throw new Error('the value is lost')
      await summing(order, ctx, cloud)
    })
    const begun = Date.now()
    const report = await exploreCrashes(right, ORDER, { together: 1, only: ['request lost'] })
    expect(report).toMatchObject({ ...SOUND, complete: true })
    expect(Date.now() - begun).toBeLessThan(60_000)
  })

  it('a promised timer that is aborted rejects', async () => {
    const reasons = new Set<unknown>()
    const aborting = consumerOf(async (order, ctx, cloud) => {
      await summing(order, ctx, cloud)
      const abort = new AbortController()
      const sleeping = sleep(3_600_000, undefined, { signal: abort.signal })
      abort.abort()
      await sleeping.catch((error: unknown) => reasons.add((error as Error).name))
    })
    const report = await exploreCrashes(aborting, ORDER, { together: 1, faults: 0 })
    expect(report).toMatchObject(SOUND)
    expect([...reasons]).toEqual(['AbortError'])
  })

  it.each([1_000, 100_000])('a handler that sleeps %d ms passes', async (milliseconds) => {
    const right = consumerOf(async (order, ctx, cloud) => {
      await new Promise((resolve) => {
        setTimeout(resolve, milliseconds)
      })
      await summing(order, ctx, cloud)
    })
    expect(await exploreCrashes(right, ORDER)).toMatchObject({ ...SOUND, complete: true })
  })

  it('a handler that never returns is timed out by Lambda, and dead-lettered', async () => {
    const report = await exploreCrashes(
      consumerOf(async (order, ctx, cloud) => {
        await summing(order, ctx, cloud)
        await new Promise(() => {})
      }),
      ORDER,
      {
        together: 1,
        expectedFailures: ['exhausted: the last of 3 attempts'],
        limit: bound(0, 700, 40_000),
      },
    )
    expect(report).toMatchObject(SOUND)
  })

  it('that jumps past the lease of a live handler doubles what no claim guards', async () => {
    const only = ['clock jumps'] as const
    const guarded = await exploreCrashes(consumerOf(summing), ORDER, { only })
    expect(guarded).toMatchObject({ ...SOUND, complete: true })
    const wrong = consumerOf((_, _ctx, { outside }) => outside('charge'))
    expect(await exploreCrashes(wrong, ORDER, { only })).toMatchObject({
      finding: { anomaly: 'doubled' },
    })
  })
})

describe('machines whose clocks are an hour off', () => {
  const only = ['clock an hour ahead', 'clock an hour behind'] as const
  const newest =
    (timeOf: (ctx: RecordContext) => number): Work =>
    async ({ state = 0 }, ctx) => {
      const guard = newerThan('at', timeOf(ctx))
      await ctx.write('state', { TableName: 't', Key, set: { state }, guard })
    }

  it('let what is guarded by the local time overwrite newer data: stale', async () => {
    const wrong = consumerOf(newest(() => Date.now()))
    const report = await exploreCrashes(wrong, OLD, { only, also: [NEW], together: 1 })
    expect(report.stale).toBeGreaterThan(0)
    expect(report.trace.join('\n')).toMatch('its clock an hour')
  })

  it('do nothing to what is guarded by the time of the sending', async () => {
    const right = consumerOf(newest((ctx) => ctx.sentAt))
    const report = await exploreCrashes(right, OLD, { only, also: [NEW], ignore: ['at'] })
    expect(report).toMatchObject(SOUND)
  })
})

describe('no false alarms', () => {
  it('where the payload names the request, and it is sent again', async () => {
    const right = consumerOf(summing, { id: (order) => (order as Order).orderId })
    expect(await exploreCrashes(right, ORDER)).toMatchObject({ ...SOUND, complete: true })
  })

  it('of fields that may differ', async () => {
    const right = consumerOf((_, ctx) =>
      ctx.write('row', { TableName: 't', Key, put: { by: crypto.randomUUID() } }),
    )
    expect((await exploreCrashes(right, ORDER)).finding?.anomaly).toBe('stale')
    expect(await exploreCrashes(right, ORDER, { ignore: ['by'] })).toMatchObject(SOUND)
  })
})

describe('an outside system without idempotency keys', () => {
  const charging = (ifUnknown: 'repeat' | 'stop') =>
    consumerOf((_, ctx, { outside }) => ctx.call('c', (key) => outside('c', key), { ifUnknown }))

  it('is called twice by what relies on its keys: doubled', async () => {
    const report = await exploreCrashes(charging('repeat'), ORDER, { keys: 'ignored' })
    expect(report.finding?.anomaly).toBe('doubled')
  })

  it('is called once by a handler that stops on an unknown outcome: sound', async () => {
    const options = { keys: 'ignored', together: 1 } as const
    const report = await exploreCrashes(charging('stop'), ORDER, options)
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })

  it.each([
    [{ keys: 'lost' as never }, "keys: expected 'honoured' or 'ignored'; got \"lost\""],
    [{ ignore: 'at' as never }, 'ignore: expected a list of names of fields; got "at"'],
  ])('is not made with %j', async (options, message) => {
    const made = exploreCrashes(charging('stop'), ORDER, options)
    await expect(made).rejects.toThrow(`exploreCrashes: ${message}`)
  })
})

it('what is thrown at once: by the set-up, to the caller; by a handler, a failed delivery', async () => {
  const wrong = ({ store }: CrashCloud) =>
    recordHandler({ name: 'orders', store, retry: { maxAttempts: 0 } }, () => {})
  await expect(exploreCrashes(wrong, ORDER)).rejects.toThrow('maxAttempts')
  const sudden = () => (): Promise<void> => {
    throw new Error('at once')
  }
  expect((await exploreCrashes(sudden, ORDER)).trace[1]).toBe('A throws: Error: at once')
})

it('an API that answers 409 or 503 is called again; a 500 is its final answer', async () => {
  for (const status of [409, 503]) {
    // In the run without faults: were it an answer, nothing would be charged there.
    let answers = [status]
    const busyOnce =
      ({ outside }: CrashCloud) =>
      async () => {
        const [statusCode = 200] = answers
        answers = []
        if (statusCode === 200) await outside('charge', { idempotencyKey: 'o1' })
        return { statusCode }
      }
    const report = await exploreCrashes(busyOnce, ORDER, { as: 'function', faults: 0 })
    expect(report).toMatchObject(SOUND)
  }
  const failing =
    ({ outside }: CrashCloud) =>
    async () => {
      await outside('charge', { idempotencyKey: 'o1' })
      return { statusCode: 500 }
    }
  const named: CrashOptions = {
    as: 'function',
    together: 1,
    expectedFailures: ['TerminalError: it answers 500'],
  }
  expect(await exploreCrashes(failing, ORDER, named)).toMatchObject(SOUND)
})

it('callers that wait for each other pause as the schedule says, each time it is run', async () => {
  const pausesOf = async (): Promise<number[]> => {
    const pauses: number[] = []
    const waiting = ({ store, clock, logger, outside }: CrashCloud) => {
      const sleep = (milliseconds: number): Promise<void> => {
        pauses.push(milliseconds)
        return clock.sleep(milliseconds)
      }
      const options = { store, logger, name: 'pay', waitForOther: '1s' } as const
      return idempotent(
        { ...options, clock: { ...clock, sleep }, key: (order: Order) => order.orderId },
        ({ orderId }: Order) => outside('charge', undefined, orderId),
      )
    }
    await exploreCrashes(waiting, ORDER, { as: 'function', faults: 0, limit: 300 })
    return pauses
  }
  const pauses = await pausesOf()
  expect(new Set(pauses).size).toBeGreaterThan(5)
  expect(await pausesOf()).toEqual(pauses)
})
