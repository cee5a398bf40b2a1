import { documented } from '../proof/formats/page.ts'
import {
  idempotent,
  type IdempotentOptions,
  RejectedError,
  RetryableError,
  TerminalError,
  UnknownOutcomeError,
} from 'lineclear'
import { type FakeClock, fakeClock, memoryStore } from 'lineclear/testing'
import { describe, expect, it, vi } from 'vitest'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'
import { inCalm, notIn } from '../proof/hostile/mode.ts'
import { faultyStore } from './faultyStore.ts'

interface Order {
  readonly id: string | number | null | undefined
  readonly amount?: number
}

type Work = (order: Order) => unknown

function set(work: Work, options: Partial<IdempotentOptions<[Order], unknown>> = {}) {
  const store = faultyStore()
  const clock = fakeClock()
  const logger = quietLogger()
  let runs = 0
  const charge = idempotent(
    { store, clock, logger, name: 'charge', key: (order) => order.id, ...options },
    async (order: Order) => {
      runs += 1
      return work(order)
    },
  )
  const token = (): Readonly<Record<string, unknown>> | undefined =>
    store.items().find(({ sk }) => sk === 'token')
  return { store, clock, logger, charge, token, runs: () => runs }
}

/** Lets waiting calls proceed. */
async function pass(clock: FakeClock, milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 25) {
    await new Promise(setImmediate)
    clock.advance(25)
  }
  await new Promise(setImmediate)
}

/** A run that the test ends. */
function gate<T>() {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  return { promise, open: resolve, fail: reject }
}

const MINUTE = 60_000
const DAY = 86_400_000

describe('one key', () => {
  it('runs once, and gives every caller the same answer', async () => {
    const { charge, runs, store } = set(({ id }) => ({ receipt: `r-${id}` }))
    expect(await charge({ id: 'a' })).toEqual({ receipt: 'r-a' })
    expect(await charge({ id: 'a' })).toEqual({ receipt: 'r-a' })
    expect(await charge({ id: 'b' })).toEqual({ receipt: 'r-b' })
    expect(runs()).toBe(2)
    inCalm('requests', () =>
      expect(store.calls).toEqual(['create', 'update', 'create', 'create', 'update']),
    )
  })

  it('is the hash of its parts: nothing of the input is stored', async () => {
    const { charge, token, store } = set(() => 1)
    await charge({ id: 'secret-customer' })
    expect(token()?.['pk']).toMatch(/^key#charge\/[0-9a-f]{64}$/)
    expect(JSON.stringify(store.items())).not.toContain('secret')
  })

  it('is stored readable with hash plain', async () => {
    const { charge, token } = set(() => 1, { hash: 'plain', key: ({ id }) => ['a/b', id] })
    await charge({ id: 'x y' })
    expect(token()?.['pk']).toBe('key#charge/a%2Fb/x%20y')
  })

  it('can be used again after the retention, a day by default', async () => {
    const { charge, runs, clock, token } = set(() => 1)
    await charge({ id: 'a' })
    expect(token()?.['ttl']).toBe(Math.ceil((clock.now() + DAY) / 1_000))
    clock.advance(DAY - 1_000)
    await charge({ id: 'a' })
    expect(runs()).toBe(1)
    clock.advance(2_000)
    await charge({ id: 'a' })
    expect(runs()).toBe(2)
  })

  it('0 is a key, and so is false', async () => {
    const { charge, runs } = set(() => 1)
    await charge({ id: 0 })
    await charge({ id: 0 })
    expect(runs()).toBe(1)
  })

  it.each([null, undefined, '', Number.NaN])('%s is no key: nothing is run', async (id) => {
    const { charge, runs } = set(() => 1)
    await expect(charge({ id })).rejects.toMatchObject({ code: 'REJECTED' })
    expect(runs()).toBe(0)
  })

  it.each([
    [[]],
    [['a', null]],
    [[null, null]],
    [['a', undefined, 'b']],
    [[[], 'a']],
    [{ a: null, b: null }],
    [{}],
  ])('%j is no key, as parts are missing', async (key) => {
    const { charge, runs } = set(() => 1, { key: () => key as never })
    await expect(charge({ id: 'a' })).rejects.toMatchObject({ code: 'REJECTED' })
    expect(runs()).toBe(0)
  })

  it('keeps parts apart that would join to the same text', async () => {
    const { charge, runs } = set(() => 1, {
      key: ({ id }) => String(id).split('|'),
      payload: 'ignore',
    })
    const ids = ['a|bc', 'ab|c', 'abc', 'a|b|c', 'aS:b|c', 'a|bS:c', '1:S|a', '1|:S|a']
    for (const id of ids) await charge({ id })
    expect(runs()).toBe(ids.length)
  })

  it(
    'is the same whatever the order of the fields in a part',
    notIn(['twice', 'atOnce', 'ten'], 'its key is another one at each call'),
    async () => {
      const keys = [
        { a: 1, b: { c: 2, d: 3 } },
        { b: { d: 3, c: 2 }, a: 1 },
      ]
      const { charge, runs } = set(() => 1, { key: () => keys.pop() as never, payload: 'ignore' })
      await charge({ id: 'x' })
      await charge({ id: 'x' })
      expect(runs()).toBe(1)
    },
  )

  it('belongs to its name: two functions with one store never share a result', async () => {
    const store = documented(memoryStore())
    const options = { store, key: (id: string) => id, logger: quietLogger() }
    const charge = idempotent({ ...options, name: 'charge' }, async (_id: string) => 'charged')
    const book = idempotent({ ...options, name: 'book' }, async (_id: string) => 'booked')
    expect([await charge('1'), await book('1'), await charge('1')]).toEqual([
      'charged',
      'booked',
      'charged',
    ])
  })

  it('belongs to the Lambda when its handler has no name', async () => {
    const options = { key: (id: string) => id, logger: quietLogger() }
    const store = documented(memoryStore())
    const handler = idempotent({ ...options, store }, async (id: string, _context: unknown) => id)
    expect([await handler('1', lambdaContext()), await handler('1', lambdaContext())]).toEqual([
      '1',
      '1',
    ])
    expect(store.items()[0]?.['pk']).toMatch(/^key#consumer\//)
  })

  it.each([
    ['arrows in one place', async (_id: string, _context?: unknown) => 2],
    [
      'named functions',
      async function book(_id: string, _context?: unknown) {
        return 2
      },
    ],
  ])(
    'a Lambda has one handler: of two %s without a name the second is refused',
    async (_, second) => {
      const options = {
        store: documented(memoryStore()),
        key: (id: string) => id,
        logger: quietLogger(),
      }
      const first = idempotent(options, async (_id: string, _context?: unknown) => 1)
      expect(await first('1', lambdaContext())).toBe(1)
      await expect(idempotent(options, second)('1', lambdaContext())).rejects.toMatchObject({
        code: 'CONFIG',
        message: expect.stringMatching(/name: expected .* Nothing was run/),
      })
      expect(await first('1', lambdaContext())).toBe(1)
    },
  )

  it('a function that is no handler needs a name, whatever its name', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'shop')
    let runs = 0
    const charge = async (_id: string): Promise<number> => (runs += 1)
    const store = documented(memoryStore())
    const guarded = idempotent({ store, key: (id) => id, logger: quietLogger() }, charge)
    await expect(guarded('a')).rejects.toThrow(/name: expected a text/)
    expect([runs, store.items()]).toEqual([0, []])
  })

  it('belongs to its tenant', async () => {
    const { charge, runs } = set(() => 1, {
      key: () => 'k',
      tenant: ({ id }) => id,
      payload: 'ignore',
    })
    await charge({ id: 'customer-1' })
    await charge({ id: 'customer-2' })
    await charge({ id: 'customer-1' })
    expect(runs()).toBe(2)
    await expect(charge({ id: undefined })).rejects.toThrow(/tenant: it is missing/)
  })
})

describe('the same key with another payload', () => {
  it('is neither run nor answered', async () => {
    const { charge, runs } = set(() => 'ok')
    await charge({ id: 'a', amount: 1 })
    await expect(charge({ id: 'a', amount: 2 })).rejects.toThrow(RejectedError)
    expect(await charge({ amount: 1, id: 'a' })).toBe('ok')
    expect(runs()).toBe(1)
  })

  it('is refused at once, also while the first one runs', async () => {
    const { promise, open } = gate()
    const { charge } = set(() => promise)
    const first = charge({ id: 'a', amount: 1 })
    await expect(charge({ id: 'a', amount: 2 })).rejects.toMatchObject({ code: 'REJECTED' })
    open('ok')
    expect(await first).toBe('ok')
  })

  it('is compared as the option payload says', async () => {
    const { charge, runs } = set(() => 'ok', { payload: ({ amount }) => amount })
    await charge({ id: 'a', amount: 1 })
    await expect(charge({ id: 'a', amount: 2 })).rejects.toThrow(/different payload/)
    expect(runs()).toBe(1)
  })

  it('is not compared for an event of a queue, whose fields differ at each delivery', async () => {
    const { charge, runs } = set(() => 'ok', { key: () => 'k' })
    const event = (receiptHandle: string) => ({ id: 'a', Records: [{ receiptHandle }] })
    expect([await charge(event('1')), await charge(event('2'))]).toEqual(['ok', 'ok'])
    expect(runs()).toBe(1)
  })

  it('is not compared with payload ignore', async () => {
    const ignoring = set(() => 'ok', { payload: 'ignore' })
    await ignoring.charge({ id: 'a', amount: 1 })
    expect(await ignoring.charge({ id: 'a', amount: 2 })).toBe('ok')
  })

  it('is refused, with what to do, when it is no plain data and cannot be compared', async () => {
    class Client {
      counter = 0
    }
    for (const held of [new Client(), () => 1, /a/, new AbortController().signal]) {
      const { charge, runs } = set(() => 'ok')
      await expect(charge({ id: 'a', held } as Order)).rejects.toThrow(/payload: \(order\) => /)
      expect(runs()).toBe(0)
    }
    const named = set(() => 'ok', { payload: ({ amount }) => amount })
    const order = { id: 'a', amount: 1, client: new Client() }
    expect([await named.charge(order), await named.charge(order)]).toEqual(['ok', 'ok'])
    expect(named.runs()).toBe(1)
  })
})

describe('a function that throws', () => {
  it('counts as not done: the key is free again, at once', async () => {
    let fail = true
    const { charge, runs } = set(() => {
      if (fail) throw new Error('boom')
      return 'ok'
    })
    await expect(charge({ id: 'a' })).rejects.toThrow('boom')
    fail = false
    expect(await charge({ id: 'a' })).toBe('ok')
    expect(runs()).toBe(2)
  })

  it.each([undefined, null, 'text', 0])('%s counts as not done either', async (thrown) => {
    const { charge, runs } = set(() => {
      const { promise, fail } = gate()
      fail(thrown)
      return promise
    })
    await expect(charge({ id: 'a' })).rejects.toBe(thrown)
    await expect(charge({ id: 'a' })).rejects.toBe(thrown)
    expect(runs()).toBe(2)
  })

  it('RetryableError frees the key', async () => {
    const { charge, runs } = set(() => {
      throw new RetryableError('busy')
    })
    await expect(charge({ id: 'a' })).rejects.toThrow('busy')
    await expect(charge({ id: 'a' })).rejects.toThrow('busy')
    expect(runs()).toBe(2)
  })

  it('TerminalError is the answer: later callers get the same error', async () => {
    const declined = Object.assign(new TerminalError('declined'), { statusCode: 402, expose: true })
    const { charge, runs, token } = set(() => {
      throw declined
    })
    await expect(charge({ id: 'a' })).rejects.toBe(declined)
    const again = await charge({ id: 'a' }).catch((error: unknown) => error)
    expect(again).not.toBe(declined)
    expect(again).toMatchObject({
      name: 'TerminalError',
      message: 'declined',
      code: 'TERMINAL',
      statusCode: 402,
      expose: true,
    })
    expect(again).toBeInstanceOf(TerminalError)
    expect(runs()).toBe(1)
    expect(token()).not.toHaveProperty('status')
  })

  it('UnknownOutcomeError keeps the key for an operator', async () => {
    const { charge, runs, clock, token } = set(() => {
      throw new UnknownOutcomeError('timed out after sending')
    })
    await expect(charge({ id: 'a' })).rejects.toThrow('timed out after sending')
    clock.advance(100 * DAY)
    await expect(charge({ id: 'a' })).rejects.toMatchObject({
      code: 'UNKNOWN_OUTCOME',
      message: expect.stringContaining('timed out after sending'),
    })
    expect(runs()).toBe(1)
    expect(token()).toMatchObject({ status: 'unknown' })
  })

  it('is classified by the caller', async () => {
    const { charge, runs, token } = set(
      () => {
        throw new Error('HTTP 500')
      },
      { classify: (error) => (String(error).includes('500') ? 'parked' : undefined) },
    )
    await expect(charge({ id: 'a' })).rejects.toThrow('HTTP 500')
    await expect(charge({ id: 'a' })).rejects.toMatchObject({ code: 'TERMINAL' })
    expect(runs()).toBe(1)
    expect(token()).toMatchObject({ status: 'error', error: 'Error: HTTP 500' })
  })

  it.each([
    () => {
      throw new Error('a bug')
    },
    () => 'wrong' as 'terminal',
  ])(
    'with a broken classify waits for an operator, and still throws its own error',
    async (classify) => {
      const { charge, token } = set(
        () => {
          throw new Error('boom')
        },
        { classify },
      )
      await expect(charge({ id: 'a' })).rejects.toThrow('boom')
      expect(token()).toMatchObject({ status: 'error' })
    },
  )

  it('throws its own error also when the key cannot be freed', async () => {
    const { charge, store, clock } = set(() => {
      throw new Error('boom')
    })
    store.next('update', 'fail', 'fail', 'fail')
    const failing = charge({ id: 'a' }).catch((error: unknown) => error)
    await pass(clock, 2_000)
    expect(await failing).toMatchObject({ message: 'boom' })
  })

  it('is done with an error that is too large to be stored whole', async () => {
    const error = Object.assign(new TerminalError('declined'), { page: 'x'.repeat(100_000) })
    const { charge } = set(() => {
      throw error
    })
    await expect(charge({ id: 'a' })).rejects.toBe(error)
    const again = await charge({ id: 'a' }).catch((thrown: unknown) => thrown)
    expect(again).toMatchObject({ message: 'declined', code: 'TERMINAL' })
    expect(again).not.toHaveProperty('page')
  })

  it('is done with an error that cannot be stored whole', async () => {
    const error: Error & { self?: unknown } = new TerminalError('x'.repeat(100_000))
    error.self = error
    const { charge } = set(() => {
      throw error
    })
    await expect(charge({ id: 'a' })).rejects.toBe(error)
    await expect(charge({ id: 'a' })).rejects.toMatchObject({
      message: expect.stringMatching(/^x+$/),
    })
  })
})

describe('an answer that is not valid', () => {
  it(
    'is returned, not stored',
    notIn(['twice', 'atOnce', 'ten'], 'what is not kept, or not guarded, runs at each call'),
    async () => {
      const { charge, runs } = set(() => ({ ok: false }), {
        validResponse: (answer) => (answer as { ok: boolean }).ok,
      })
      expect(await charge({ id: 'a' })).toEqual({ ok: false })
      expect(await charge({ id: 'a' })).toEqual({ ok: false })
      expect(runs()).toBe(2)
    },
  )

  it('is stored when the check itself throws: the work is done', async () => {
    const { charge, runs, logger } = set(() => 'done', {
      validResponse: () => {
        throw new Error('a bug')
      },
    })
    expect([await charge({ id: 'a' }), await charge({ id: 'a' })]).toEqual(['done', 'done'])
    expect(runs()).toBe(1)
    expect(logger.lines.some(({ message }) => message.includes('validResponse threw'))).toBe(true)
  })
})

describe('a second call while the first one runs', () => {
  it('waits, and gets its answer', async () => {
    const { promise, open } = gate()
    const { charge, runs, clock } = set(() => promise)
    const both = Promise.all([charge({ id: 'a' }), charge({ id: 'a' })])
    await pass(clock, 500)
    open('ok')
    await pass(clock, 2_000)
    expect(await both).toEqual(['ok', 'ok'])
    expect(runs()).toBe(1)
  })

  it('runs when the first one fails', async () => {
    const { promise, fail } = gate()
    let first = true
    const { charge, runs, clock } = set(() => {
      if (!first) return 'ok'
      first = false
      return promise
    })
    const both = Promise.allSettled([charge({ id: 'a' }), charge({ id: 'a' })])
    await pass(clock, 500)
    fail(new Error('boom'))
    await pass(clock, 2_000)
    expect(await both).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 'ok' }])
    expect(runs()).toBe(2)
  })

  it('is refused after waitForOther, not later, and after one last look', async () => {
    const { promise, open } = gate()
    const { charge, clock, store } = set(() => promise, { waitForOther: '2s' })
    const start = clock.now()
    void charge({ id: 'a' })
    const second = charge({ id: 'a' }).catch((error: unknown) => [error, clock.now() - start])
    await pass(clock, 3_000)
    expect(await second).toEqual([
      expect.objectContaining({ code: 'IN_PROGRESS', until: expect.any(Number) }),
      2_000,
    ])
    expect(store.calls.at(-1)).toBe('read')
    open('ok')
  })

  it('gets the answer also when it is stored at the last moment of the wait', async () => {
    const { promise, open } = gate()
    const { charge, clock } = set(() => promise, { waitForOther: '2s' })
    const both = Promise.all([charge({ id: 'a' }), charge({ id: 'a' })])
    await pass(clock, 1_975)
    open('ok')
    await pass(clock, 200)
    expect(await both).toEqual(['ok', 'ok'])
  })

  it(
    'polls less and less often, and callers do not poll at the same time',
    notIn(['twice', 'atOnce', 'ten'], 'it counts the calls of the store'),
    async () => {
      const { promise, open } = gate()
      const { charge, clock, store } = set(() => promise)
      void charge({ id: 'a' })
      const waiting = charge({ id: 'a' }).catch(() => {})
      await pass(clock, 11_000)
      await waiting
      const looks = store.calls.filter((call) => call === 'read').length
      expect(looks).toBeGreaterThan(8)
      expect(looks).toBeLessThan(30)
      open('ok')
    },
  )

  it('does not wait at all with waitForOther 0', async () => {
    const { promise, open } = gate()
    const { charge, store } = set(() => promise, { waitForOther: 0 })
    void charge({ id: 'a' })
    await expect(charge({ id: 'a' })).rejects.toMatchObject({ code: 'IN_PROGRESS' })
    expect(store.calls).not.toContain('read')
    open('ok')
  })

  it.each([{ Records: [{ messageId: '1' }] }, { 'detail-type': 'Placed', source: 'shop' }])(
    'does not wait in an asynchronous event: %j',
    async (event) => {
      const { promise, open } = gate()
      const store = documented(memoryStore())
      const handler = idempotent(
        {
          name: 'default',
          store,
          clock: fakeClock(),
          logger: quietLogger(),
          key: () => 'k',
        },
        (_event: object) => promise,
      )
      void handler(event)
      await expect(handler(event)).rejects.toMatchObject({ code: 'IN_PROGRESS' })
      open('ok')
    },
  )

  it('answers an event that is replayed with the result of its live delivery', async () => {
    let runs = 0
    const handler = idempotent(
      {
        name: 'default',
        store: documented(memoryStore()),
        logger: quietLogger(),
        key: ({ SystemMetadata }) => SystemMetadata['aws:EventId'],
      },
      (_event: { readonly SystemMetadata: { readonly 'aws:EventId': string } }) => (runs += 1),
    )
    const event = (type: string) => ({
      Data: { n: 1 },
      SystemMetadata: { 'aws:EventId': 'b-1', 'aws:DeliveryType': type },
    })
    expect(await handler(event('LIVE'))).toBe(1)
    expect(await handler(event('REPLAY'))).toBe(1)
  })

  it('never waits into the end of its own invocation', async () => {
    const { promise, open } = gate()
    const clock = fakeClock()
    const handler = idempotent(
      {
        name: 'default',
        store: documented(memoryStore()),
        clock,
        logger: quietLogger(),
        key: () => 'k',
      },
      (_event: object, _context: unknown) => promise,
    )
    const start = clock.now()
    void handler({}, lambdaContext(3_000))
    const second = handler({}, lambdaContext(3_000)).catch(() => clock.now() - start)
    await pass(clock, 3_000)
    expect(await second).toBe(2_400)
    open('ok')
  })

  it(
    'takes over from a crashed call once its lease has ended, and the late one changes nothing',
    notIn(['twice'], 'its one call is over when another one has taken over'),
    async () => {
      const { promise: never, open } = gate()
      let first = true
      const { charge, clock } = set(
        () => {
          if (!first) return 'second'
          first = false
          return never
        },
        { lease: '30s' },
      )
      const zombie = charge({ id: 'a' })
      clock.advance(36_000)
      expect(await charge({ id: 'a' })).toBe('second')
      open('zombie')
      expect(await zombie).toBe('second')
      expect(await charge({ id: 'a' })).toBe('second')
    },
  )
})

describe('the lease', () => {
  const leaseWith = async (context: unknown, options = {}): Promise<number> => {
    const store = documented(memoryStore())
    const clock = fakeClock()
    const run = idempotent(
      { store, clock, logger: quietLogger(), name: 's', key: () => 'k', ...options },
      async (_event: object, _context: unknown) => 0,
    )
    let lease = 0
    const create = store.create.bind(store)
    const watched = {
      ...store,
      create: (items: Parameters<typeof create>[0]) => {
        lease = Number(items[0]?.['leaseUntil']) - clock.now()
        return create(items)
      },
    }
    const again = idempotent(
      { store: watched, clock, logger: quietLogger(), name: 's', key: () => 'k', ...options },
      async (_event: object, _context: unknown) => 0,
    )
    await again({}, context)
    await run({}, context)
    return lease
  }

  it('outlasts the Lambda that claimed it', async () => {
    expect(await leaseWith(lambdaContext(30_000))).toBe(35_000)
  })
  it('is 15 minutes where the remaining time is not known', async () => {
    expect(await leaseWith(undefined)).toBe(905_000)
    expect(await leaseWith({ awsRequestId: 'r', getRemainingTimeInMillis: () => Number.NaN })).toBe(
      905_000,
    )
  })
  it('is short, and renewed, where no time is left', async () => {
    expect(await leaseWith(lambdaContext(0))).toBe(5_000)
    expect(await leaseWith(lambdaContext(-10))).toBe(5_000)
  })
  it('is at least lease', async () => {
    expect(await leaseWith(lambdaContext(1_000), { lease: '1m' })).toBe(65_000)
    expect(await leaseWith(lambdaContext(5 * MINUTE), { lease: '1m' })).toBe(5 * MINUTE + 5_000)
    expect(await leaseWith(undefined, { lease: '1m' })).toBe(65_000)
  })
})

describe('what the function does to its arguments and its answer', () => {
  it(
    'changes neither key nor payload',
    notIn(['twice'], 'its arguments are changed by the first call'),
    async () => {
      const { charge, runs } = set((order) => {
        Object.assign(order, { id: 'other', amount: 99 })
        return 'ok'
      })
      await charge({ id: 'a', amount: 1 })
      expect(await charge({ id: 'a', amount: 1 })).toBe('ok')
      expect(runs()).toBe(1)
    },
  )

  it('changes no replay, and no replay changes the next one', async () => {
    const { charge } = set(() => ({ list: [1] }))
    const answers = []
    for (let n = 0; n < 3; n++) {
      const answer = (await charge({ id: 'a' })) as { list: number[] }
      answers.push(structuredClone(answer))
      answer.list.push(99)
    }
    expect(answers).toEqual([{ list: [1] }, { list: [1] }, { list: [1] }])
  })
})

describe('concurrent calls in one process', () => {
  it('share nothing: fifty keys, four calls each', async () => {
    const store = documented(memoryStore())
    let runs = 0
    const charge = idempotent(
      { name: 'default', store, key: ({ id }: Order) => id, logger: quietLogger() },
      async ({ id, amount }: Order) => {
        runs += 1
        await new Promise((resolve) => setTimeout(resolve, 5))
        return `${id}:${amount}`
      },
    )
    const orders = Array.from({ length: 200 }, (_, n) => ({ id: `o${n % 50}`, amount: n % 50 }))
    const answers = await Promise.all(orders.map((order) => charge(order)))
    expect(answers).toEqual(orders.map(({ id, amount }) => `${id}:${amount}`))
    expect(runs).toBe(50)
  })

  it(
    'two configurations on one store keep their own',
    { timeout: 5_000, ...notIn(['clocks'], 'it compares times') },
    async () => {
      const store = documented(memoryStore())
      const clock = fakeClock()
      const options = { store, clock, logger: quietLogger(), key: (id: string) => id }
      const short = idempotent(
        { ...options, name: 'short', retention: '1m' },
        async (_id: string) => 1,
      )
      const long = idempotent(
        { ...options, name: 'long', retention: '1h' },
        async (_id: string) => 2,
      )
      await Promise.all([short('a'), long('a')])
      const ttls = store
        .items()
        .map(({ attempt, ttl }) => [attempt, Number(ttl) - Math.ceil(clock.now() / 1_000)])
      expect(ttls).toEqual([
        [1, 60],
        [1, 3_600],
      ])
    },
  )
})

describe('a store that fails', () => {
  it(
    'before the run: nothing is run',
    notIn(['twice', 'atOnce', 'ten'], 'its store fails at certain calls'),
    async () => {
      const { charge, store, runs } = set(() => 1)
      store.next('create', 'fail')
      await expect(charge({ id: 'a' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
      expect(runs()).toBe(0)
    },
  )

  it(
    'after the run, for long: the caller has its answer, and the next one does not run it again within the lease',
    notIn(['twice', 'atOnce', 'ten'], 'its store fails at certain calls'),
    async () => {
      const { charge, store, runs, clock } = set(() => 'done', { waitForOther: 0 })
      store.next('update', ...Array.from({ length: 40 }, () => 'fail' as const))
      const first = charge({ id: 'a' })
      await pass(clock, 40_000)
      expect(await first).toBe('done')
      await expect(charge({ id: 'a' })).rejects.toMatchObject({ code: 'IN_PROGRESS' })
      expect(runs()).toBe(1)
    },
  )

  it('by losing answers: each write is recognised as its own', async () => {
    const { charge, store, runs } = set(() => 'done')
    store.next('create', 'lose')
    store.next('update', 'lose')
    expect([await charge({ id: 'a' }), await charge({ id: 'a' })]).toEqual(['done', 'done'])
    expect(runs()).toBe(1)
  })

  it(
    'while waiting: the waiting call fails, and the first one is not disturbed',
    notIn(['twice', 'atOnce', 'ten'], 'its store fails at certain calls'),
    async () => {
      const { promise, open } = gate()
      const { charge, store, clock } = set(() => promise)
      const first = charge({ id: 'a' })
      store.next('read', 'fail')
      const second = charge({ id: 'a' }).catch((error: unknown) => error)
      await pass(clock, 200)
      expect(await second).toMatchObject({ code: 'STORE_UNAVAILABLE' })
      open('ok')
      expect(await first).toBe('ok')
    },
  )

  it('by holding an unreadable item: nothing is run', async () => {
    const { charge, store, runs } = set(() => 1, { hash: 'plain' })
    await store.create([{ pk: 'key#charge/a', sk: 'token', status: 'brand new' }])
    await expect(charge({ id: 'a' })).rejects.toThrow(/cannot be read/)
    expect(runs()).toBe(0)
  })
})

describe('options', () => {
  const store = documented(memoryStore())
  const fn = async (id: string): Promise<string> => id
  it.each([
    [{ store, retries: 1 }, /"retries" is not known here: expected store, key/],
    [{}, /store: expected a store/],
    [{ store, key: 'id' }, /key: expected a function/],
    [{ store, hash: 'md5' }, /hash: expected 'sha256' or 'plain'; got "md5"/],
    [{ store, name: '' }, /name: expected a text/],
    [{ store, tenant: 'all' }, /tenant: .* or 'none'/],
    [{ store, waitForOther: '10 s' }, /waitForOther: expected milliseconds/],
    [{ store, waitForOther: '2m', lease: '1m' }, /waitForOther .* at most lease/],
    [{ store, lease: '2d' }, /lease at most retention/],
    [{ store, validResponse: true }, /validResponse: expected a function/],
    [{ store, classify: 'release' }, /classify: expected a function/],
    [{ store, offload: {} }, /offload: expected s3Objects/],
    [undefined, /expected an object of options/],
  ])('%j are refused at once', (options, message) => {
    expect(() => idempotent(options as never, fn)).toThrow(message)
  })

  it('need a function', () => {
    expect(() => idempotent({ name: 'default', store }, undefined as never)).toThrow(
      /second argument/,
    )
  })

  it('without a key take HTTP requests only', async () => {
    const plain = idempotent({ name: 'default', store, logger: quietLogger() }, fn)
    await expect(plain('a')).rejects.toThrow(/no HTTP request, and there is no option key/)
  })

  it(
    'when: an unprotected call is run as it is',
    notIn(['twice', 'atOnce', 'ten'], 'what is not kept, or not guarded, runs at each call'),
    async () => {
      const { charge, runs, store: untouched } = set(() => 1, { when: ({ id }) => id !== 'free' })
      await charge({ id: 'free' })
      await charge({ id: 'free' })
      expect([runs(), untouched.calls]).toEqual([2, []])
    },
  )

  it('onReplay changes a replay', async () => {
    const { charge, token } = set(() => ({ n: 1 }), {
      onReplay: (answer, { from }) => ({ ...(answer as object), from }),
    })
    expect(await charge({ id: 'a' })).toEqual({ n: 1 })
    expect(await charge({ id: 'a' })).toEqual({ n: 1, from: token()?.['created'] })
  })
})

it('is a method where the function is one', async () => {
  const charge = idempotent(
    { store: memoryStore(), name: 'pay', key: (id: string) => id, logger: quietLogger() },
    async function (this: { readonly bank: string }, id: string) {
      return `${this.bank} ${id}`
    },
  )
  expect(await { bank: 'one', charge }.charge('a')).toBe('one a')
  expect(await charge.call({ bank: 'two' }, 'b')).toBe('two b')
})
