import {
  ConfigError,
  defineFlow,
  recordHandler,
  type SqlEffects,
  StoreUnavailableError,
  SupersededError,
  TerminalError,
} from 'lineclear'
import { fakeClock, memoryCloud, memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Fencing } from '../../src/library/protocol/claim/hold.ts'
import type { Store } from '../../src/library/protocol/store/store.ts'
import { consumerOf } from './consumerOf.ts'

/** Writes down the fences that are raised. */
function sqlDouble(onRaise: (fencing: Fencing) => void = () => {}) {
  const raised: Fencing[] = []
  const effects: SqlEffects<string> = {
    async raise({ fencing }) {
      raised.push(fencing)
      onRaise(fencing)
    },
    open: () => ({
      sql: async (_name, work) => (await work('the transaction')) as never,
      assertOutside() {},
    }),
  }
  return { raised, effects }
}

const HOUR = 3_600_000

it('the fence is not raised for the first attempt of a request, and raised before the handler of each later one', async () => {
  const { raised, effects } = sqlDouble()
  const begun: number[] = []
  const { clock, deliver, send } = consumerOf(
    () => {
      begun.push(raised.length)
      if (begun.length < 3) throw new Error('again')
    },
    { sql: effects as never, retry: { transport: 'visibility', delay: '1s' } },
  )
  const message = send('{}')
  while (await deliver(message)) clock.advance(HOUR)
  expect(begun).toEqual([0, 1, 2])
  const [subject] = new Set(raised.map((each) => each.subject))
  expect(raised).toMatchObject([
    { subject, request: '', epoch: 0, stage: '', fence: 2 },
    { subject, request: '', epoch: 0, stage: '', fence: 3 },
  ])
})

it('a claim whose answer was lost is not taken for a first one', async () => {
  const { raised, effects } = sqlDouble()
  const memory = memoryStore()
  const store: Store = {
    ...memory,
    create: async (items) => {
      await memory.create(items)
      return memory.create(items)
    },
  }
  const { deliver, send } = consumerOf(() => {}, { store, sql: effects as never })
  await deliver(send('{}'))
  expect(raised).toMatchObject([{ fence: 1, isSurelyFirst: false }])
})

it('the fence is raised before a dead letter leaves, also when a first attempt dies by itself', async () => {
  const lettersBefore: number[] = []
  const { effects } = sqlDouble(() => lettersBefore.push(consumer.dead.messages.length))
  const consumer = consumerOf(
    () => {
      throw new TerminalError('never')
    },
    { sql: effects as never },
  )
  expect(await consumer.deliver(consumer.send('{}'))).toBe(false)
  expect(lettersBefore).toEqual([0])
  expect(consumer.dead.messages).toHaveLength(1)
})

it('while the database is down no dead letter leaves, and the record stays on the queue', async () => {
  let down = true
  const { effects } = sqlDouble(() => {
    if (down) throw new StoreUnavailableError('down')
  })
  const consumer = consumerOf(
    () => {
      throw new TerminalError('never')
    },
    { sql: effects as never },
  )
  const message = consumer.send('{}')
  await expect(consumer.deliver(message)).rejects.toThrow('stay on the queue')
  expect(consumer.dead.messages).toEqual([])
  down = false
  consumer.clock.advance(HOUR)
  expect(await consumer.deliver(message)).toBe(false)
  expect(consumer.reasons()).toEqual(['terminal'])
})

it('while the database is down no handler begins, and no attempt counts', async () => {
  let down = true
  const { effects } = sqlDouble(() => {
    if (down) throw new StoreUnavailableError('down')
  })
  const attempts: number[] = []
  const { clock, deliver, send } = consumerOf(
    (_payload, ctx) => {
      attempts.push(ctx.attempt)
      if (attempts.length === 1) throw new Error('again')
    },
    { sql: effects as never, retry: { transport: 'visibility', delay: '1s', maxAttempts: 2 } },
  )
  const message = send('{}')
  for (let n = 0; n < 4; n += 1) {
    expect(await deliver(message)).toBe(true)
    clock.advance(HOUR)
  }
  down = false
  expect(await deliver(message)).toBe(false)
  expect(attempts).toEqual([1, 2])
})

it('a wrong set-up is logged as an error, and spends no attempt', async () => {
  let runs = 0
  const { clock, deliver, send, logger } = consumerOf(
    () => {
      runs += 1
      if (runs > 3) return
      throw new StoreUnavailableError('the tables are missing', { reason: 'setUp' })
    },
    { retry: { transport: 'visibility', delay: '1s', maxAttempts: 1 } },
  )
  const message = send('{}')
  while (await deliver(message)) clock.advance(HOUR)
  expect(runs).toBe(4)
  const failed = logger.lines.filter(({ message: text }) => text.startsWith('failed'))
  expect(failed).toHaveLength(3)
  expect(failed[0]).toMatchObject({
    level: 'error',
    message: 'failed, will be retried without counting: a table or a queue did not answer',
  })
})

it('an attempt whose fence is refused does not begin, and sends no dead letter', async () => {
  const { effects } = sqlDouble(() => {
    throw new SupersededError('later')
  })
  let runs = 0
  const { clock, deliver, send, dead } = consumerOf(
    () => {
      runs += 1
      throw new Error('again')
    },
    { sql: effects as never, retry: { transport: 'visibility', delay: '1s' } },
  )
  const message = send('{}')
  await deliver(message)
  clock.advance(HOUR)
  expect(await deliver(message)).toBe(true)
  expect(runs).toBe(1)
  expect(dead.messages).toEqual([])
})

it('without the option, ctx.sql is a mistake in the program', async () => {
  const errors: unknown[] = []
  const { deliver, send, reasons } = consumerOf(async (_payload, ctx) => {
    try {
      await (ctx as never as { sql(name: string, work: () => void): Promise<void> }).sql(
        'book',
        () => {},
      )
    } catch (error) {
      errors.push(error)
    }
  })
  await deliver(send('{}'))
  expect(errors).toEqual([expect.any(ConfigError)])
  expect(String(errors[0])).toContain("ctx.sql('book')")
  expect(reasons()).toEqual(['terminal'])
})

it('the option is checked', () => {
  const define = (sql: unknown) =>
    recordHandler(
      { name: 'orders', store: memoryStore(), sql: sql as SqlEffects<unknown> },
      () => {},
    )
  expect(() => define({ query() {} })).toThrow('sql: expected SQL effects, such as postgresEffects')
})

const Trip = z.object({ key: z.string(), version: z.number() })

function flowOf(onBook: () => unknown = () => {}) {
  const { raised, effects } = sqlDouble()
  const clock = fakeClock()
  const cloud = memoryCloud({ clock, queues: { book: {}, pay: {} } })
  const { store, clients, logger } = cloud
  const flow = defineFlow({
    name: 'trip',
    store,
    clients,
    clock,
    logger,
    sql: effects,
    onConflict: 'supersede',
    key: ({ key }) => key,
    sentAt: ({ version }) => clock.now() - 1_000 + version,
    stages: {
      book: { schema: Trip, queueUrl: cloud.queueUrl('book') },
      pay: { schema: Trip, queueUrl: cloud.queueUrl('pay') },
    },
  })
  const handlers = {
    book: flow.stageHandler('book', async (trip, ctx) => {
      await onBook()
      await ctx.sql('book', (tx) => tx.length)
      await ctx.next('pay', trip)
    }),
    pay: flow.stageHandler('pay', () => {}),
  }
  return { raised, cloud, handlers }
}

it('each later stage of a flow raises its own fence, and a start after a completed run none', async () => {
  const { raised, cloud, handlers } = flowOf()
  const begun = cloud.clock.now()
  for (const version of [1, 2]) {
    cloud.send('book', { key: 'a', version })
    await cloud.drain(handlers)
  }
  const { epoch = 0, fence = 0 } = raised[0] ?? {}
  // The epochs and fences of a record begin at the time, above those of its earlier lives.
  expect(Math.min(epoch, fence)).toBeGreaterThan(begun)
  expect(raised).toMatchObject([
    { subject: 'flow#trip/a', stage: 'pay' },
    { subject: 'flow#trip/a', stage: 'pay', epoch: epoch + 2, fence: fence + 2 },
  ])
})

it('a request that supersedes another one raises the fence before it begins', async () => {
  let runs = 0
  const { raised, cloud, handlers } = flowOf(async () => {
    runs += 1
    if (runs > 1) return
    cloud.send('book', { key: 'a', version: 2 })
    await cloud.deliver('book', handlers.book)
  })
  const begun = cloud.clock.now()
  cloud.send('book', { key: 'a', version: 1 })
  await cloud.deliver('book', handlers.book)
  expect(runs).toBe(2)
  expect(raised).toMatchObject([{ stage: 'book' }])
  expect(raised[0]?.epoch).toBeGreaterThan(begun + 1)
  expect(new Set(raised.map(({ request }) => request)).size).toBe(1)
})
