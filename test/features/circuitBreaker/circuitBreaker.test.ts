import { type CircuitBreaker, circuitBreaker, defineFlow, recordHandler } from 'lineclear'
import { memoryCloud, type MemoryCloud } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const isDown = (error: unknown): boolean => error instanceof Error && error.message === 'down'
const breaker = circuitBreaker({ after: 5, when: isDown })

interface Provider {
  down: boolean
  /** Calls, by the id of the message. */
  readonly calls: string[]
  readonly done: string[]
}

function call(provider: Provider, id: string): void {
  provider.calls.push(id)
  if (provider.down) throw new Error('down')
  provider.done.push(id)
}

const DEAD = { deadLetter: { queue: 'dead', maxReceiveCount: 20 } }

function queuesOf(queue: string) {
  if (!queue.endsWith('.fifo')) return { [queue]: DEAD, dead: {} }
  return { [queue]: { deadLetter: { queue: 'dead.fifo', maxReceiveCount: 20 } }, 'dead.fifo': {} }
}

function shop(how: CircuitBreaker | null = breaker, queue = 'pay') {
  const cloud = memoryCloud({ queues: queuesOf(queue) })
  const provider: Provider = { down: true, calls: [], done: [] }
  /** A process of its own. */
  const process = () =>
    recordHandler(
      {
        ...partsOf(cloud),
        name: 'pay',
        parse: 'text',
        schema: z.string(),
        concurrency: 2,
        retry: { maxAttempts: 8, delay: '10s' },
        ...(how && { circuitBreaker: how }),
      },
      (id) => call(provider, id),
    )
  return { cloud, provider, process, queue }
}

function partsOf({ store, clients, clock, logger }: MemoryCloud) {
  return { store, clients, clock, logger }
}

/** Two processes take turns, every ten seconds. */
async function run(
  { cloud, queue }: Pick<ReturnType<typeof shop>, 'cloud' | 'queue'>,
  handlers: readonly ReturnType<ReturnType<typeof shop>['process']>[],
  time: number,
): Promise<void> {
  for (const end = cloud.clock.now() + time; cloud.clock.now() < end;) {
    for (const handler of handlers) await cloud.deliver(queue, handler)
    cloud.clock.advance(10 * SECOND)
  }
}

const IDS = Array.from({ length: 40 }, (_, at) => `m${at}`)

describe.each([1, 8])('a provider that is down for %i hours', (hours) => {
  it('gets a few calls, and then every message once: none dies, and none is lost', async () => {
    const { cloud, provider, process } = shop()
    for (const id of IDS) cloud.send('pay', id)
    const processes = [process(), process()]
    await run({ cloud, queue: 'pay' }, processes, hours * HOUR)
    const calls = provider.calls.length
    // 5 of the process that opens it, those beside them, and a probe every 5 minutes.
    expect(calls).toBeLessThan(20 + hours * 12)
    provider.down = false
    await run({ cloud, queue: 'pay' }, processes, hours * HOUR + HOUR)
    expect(provider.done.toSorted()).toEqual(IDS.toSorted())
    expect(cloud.messages('pay')).toEqual([])
    expect(cloud.messages('dead')).toEqual([])
    const changes = cloud.lines.filter(({ message }) => message.startsWith('circuit '))
    expect(changes.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'error: circuit open: no handler is started until a probe completes',
      'warn: circuit closed: a probe has completed',
    ])
  })
})

it.each<[string, CircuitBreaker | null]>([
  ['no circuit breaker', null],
  ['a circuit breaker whose probes and late failures count', countingAttempts()],
])('with %s messages die', async (_what, how) => {
  const { cloud, provider, process } = shop(how)
  for (const id of ['m0', 'm1']) cloud.send('pay', id)
  const processes = [process()]
  await run({ cloud, queue: 'pay' }, processes, 8 * HOUR)
  provider.down = false
  await run({ cloud, queue: 'pay' }, processes, 12 * HOUR)
  expect(cloud.messages('dead').length).toBeGreaterThan(0)
})

function countingAttempts(): CircuitBreaker {
  return {
    openFor: (consumer) => {
      const gate = breaker.openFor(consumer)
      return { ...gate, failed: async (error) => (await gate.failed(error), undefined) }
    },
  }
}

it('spends no attempt, and writes nothing, for a message that it holds back', async () => {
  const { cloud, process } = shop()
  for (const id of IDS.slice(0, 10)) cloud.send('pay', id)
  const handler = process()
  await cloud.deliver('pay', handler)
  cloud.send('pay', 'later')
  const { store } = cloud
  const writes = countWrites(store)
  await cloud.deliver('pay', handler)
  expect(writes()).toBe(0)
  expect(cloud.messages('pay').some(({ visibleAt }) => visibleAt > cloud.clock.now())).toBe(true)
})

function countWrites(store: MemoryCloud['store']): () => number {
  let writes = 0
  const { create, update } = store
  store.create = async (items) => ((writes += items.length), create.call(store, items))
  store.update = async (updates) => ((writes += updates.length), update.call(store, updates))
  return () => writes
}

it('costs one read in five seconds while it is closed, and nothing per record', async () => {
  const { cloud, provider, process } = shop()
  provider.down = false
  const reads: number[] = []
  const { read } = cloud.store
  cloud.store.read = async (keys, options) => {
    reads.push(...keys.filter(({ pk }) => pk === 'circuits').map(() => 1))
    return read.call(cloud.store, keys, options)
  }
  const handler = process()
  for (const id of IDS) cloud.send('pay', id)
  for (let nth = 0; nth < 4; nth++) await cloud.deliver('pay', handler)
  expect(provider.done).toHaveLength(40)
  expect(reads).toHaveLength(1)
})

it('is learned by another process within five seconds, without a failure of its own', async () => {
  const { cloud, provider, process } = shop()
  const [first, second] = [process(), process()]
  cloud.send('pay', 'early')
  await cloud.deliver('pay', second, { batchSize: 1 })
  for (const id of IDS.slice(0, 10)) cloud.send('pay', id)
  await cloud.deliver('pay', first)
  const calls = provider.calls.length
  cloud.clock.advance(5 * SECOND)
  cloud.send('pay', 'new')
  await cloud.deliver('pay', second)
  expect(provider.calls).toHaveLength(calls)
})

it('does not stay on when the process of a probe is killed', async () => {
  const { cloud, provider, process } = shop()
  for (const id of IDS.slice(0, 10)) cloud.send('pay', id)
  await cloud.deliver('pay', process())
  cloud.clock.advance(35 * SECOND)
  cloud.send('pay', 'killed')
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const hanging = recordHandler(
    { ...partsOf(cloud), name: 'pay', parse: 'text', schema: z.string(), circuitBreaker: breaker },
    () => {
      begin()
      return new Promise(() => {})
    },
  )
  void cloud.deliver('pay', hanging)
  await begun
  provider.down = false
  await run({ cloud, queue: 'pay' }, [process()], HOUR)
  expect(cloud.messages('dead')).toEqual([])
  expect(provider.done.toSorted()).toEqual([...IDS.slice(0, 10), 'killed'].toSorted())
})

/** One message, whose attempt is killed after the circuit has opened. */
async function killedAlone(how: CircuitBreaker, queue: string): Promise<readonly string[]> {
  const { cloud, provider, process } = shop(how, queue)
  cloud.send(queue, 'm0', queue.endsWith('.fifo') ? { groupId: 'g', deduplicationId: 'm0' } : {})
  await cloud.deliver(queue, process())
  cloud.clock.advance(40 * SECOND)
  const started = Promise.withResolvers<void>()
  const hanging = recordHandler(
    { ...partsOf(cloud), name: 'pay', parse: 'text', schema: z.string(), circuitBreaker: how },
    () => (started.resolve(), new Promise(() => {})),
  )
  void cloud.deliver(queue, hanging)
  await started.promise
  provider.down = false
  await run({ cloud, queue }, [process()], HOUR)
  return provider.done
}

describe.each(['pay', 'pay.fifo'])('the only message of %s, whose probe is killed', (queue) => {
  const once = circuitBreaker({ after: 1, when: isDown })

  it('is the next probe, although it is claimed apart from others', async () => {
    expect(await killedAlone(once, queue)).toEqual(['m0'])
  })

  it('waits for ever when a probe that did not start is not kept for it', async () => {
    const careless: CircuitBreaker = {
      openFor: (consumer) => ({ ...once.openFor(consumer), unused: () => {} }),
    }
    expect(await killedAlone(careless, queue)).toEqual([])
  })
})

describe('a FIFO queue', () => {
  it('keeps the order of each group, and holds it back as a whole', async () => {
    const { cloud, provider, process } = shop(breaker, 'pay.fifo')
    const ids = [0, 1, 2].flatMap((group) => [0, 1, 2, 3].map((nth) => `g${group} ${nth}`))
    for (const id of ids)
      cloud.send('pay.fifo', id, { groupId: id.slice(0, 2), deduplicationId: id.replace(' ', '-') })
    const processes = [process(), process()]
    await run({ cloud, queue: 'pay.fifo' }, processes, HOUR)
    expect(provider.calls.length).toBeGreaterThan(5)
    expect(provider.done).toEqual([])
    provider.down = false
    await run({ cloud, queue: 'pay.fifo' }, processes, 3 * HOUR)
    for (const group of ['g0', 'g1', 'g2']) {
      const done = provider.done.filter((id) => id.startsWith(group))
      expect(done).toEqual(ids.filter((id) => id.startsWith(group)))
    }
    expect(cloud.messages('dead.fifo')).toEqual([])
  })

  it('keeps the order even with a circuit breaker that lets every second record through', async () => {
    let asked = 0
    const moody: CircuitBreaker = {
      openFor: (consumer) => ({
        ...breaker.openFor(consumer),
        admit: async (wanted) => {
          const admitted = asked++ % 2 === 0 ? 0 : wanted
          return { admitted, probe: undefined, until: consumer.clock.now() + 30 * SECOND }
        },
      }),
    }
    const { cloud, provider, process } = shop(moody, 'pay.fifo')
    provider.down = false
    const ids = [0, 1, 2, 3, 4].map((nth) => `m${nth}`)
    for (const id of ids) cloud.send('pay.fifo', id, { groupId: 'g', deduplicationId: id })
    await run({ cloud, queue: 'pay.fifo' }, [process()], HOUR)
    expect(provider.done).toEqual(ids)
  })
})

it.each([
  [{ after: 0, when: isDown }, 'after: expected a whole number from 1 to 1000'],
  [{ after: 5 }, 'when: expected a function'],
  [{ after: 5, when: isDown, probeAfter: 'soon' }, 'probeAfter'],
  [{ after: 5, when: isDown, every: '1s' }, 'every'],
])('refuses %j', (options, said) => {
  expect(() => circuitBreaker(options as never)).toThrow(said)
})

it('is refused as the plain object of options', () => {
  const cloud = memoryCloud({ queues: { pay: {} } })
  const options = { ...partsOf(cloud), name: 'pay', circuitBreaker: { after: 5, when: isDown } }
  expect(() => recordHandler(options as never, () => {})).toThrow(
    'circuitBreaker: expected circuitBreaker',
  )
})

it('holds one stage of a flow back, and no other', async () => {
  const cloud = memoryCloud({ queues: { book: DEAD, pay: DEAD, dead: {} } })
  const provider: Provider = { down: true, calls: [], done: [] }
  const Order = z.object({ id: z.string() })
  const booked: string[] = []
  const flow = defineFlow({
    ...partsOf(cloud),
    name: 'checkout',
    key: ({ id }) => id,
    giveUpAfter: '5d',
    stages: {
      book: { schema: Order, queueUrl: cloud.queueUrl('book') },
      pay: { schema: Order, queueUrl: cloud.queueUrl('pay'), final: true, circuitBreaker: breaker },
    },
  })
  const book = flow.stageHandler('book', async ({ id }, ctx) => {
    booked.push(id)
    await ctx.next('pay', { id })
  })
  const pay = flow.stageHandler('pay', ({ id }) => call(provider, id))
  for (const id of IDS) cloud.send('book', { id })
  for (let nth = 0; nth < 3_000; nth++) {
    if (nth === 1_000) provider.down = false
    await cloud.deliver('book', book)
    await cloud.deliver('pay', pay)
    cloud.clock.advance(10 * SECOND)
  }
  expect(booked.toSorted()).toEqual(IDS.toSorted())
  expect(provider.done.toSorted()).toEqual(IDS.toSorted())
  expect(cloud.messages('dead')).toEqual([])
})
