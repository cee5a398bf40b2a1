import { defineFlow, requestStatus, TerminalError } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const T1 = '2026-01-31T10:00:00Z'
const T2 = '2026-01-31T11:00:00Z'
const Trip = z.object({ key: z.string() })

function open(more: {
  process?: 'newest' | 'every'
  onConflict?: 'drop' | 'coalesce' | 'supersede'
}) {
  const consumed = { deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
  const cloud = memoryCloud({
    queues: { book: consumed, pay: consumed, quotes: consumed, dead: {} },
  })
  cloud.clock.advance(Date.parse(T2) - cloud.clock.now() + 60_000)
  const { store, clients, clock, logger } = cloud
  const flow = defineFlow({
    name: 'trip',
    store,
    clients,
    clock,
    logger,
    key: ({ key }) => key,
    ...more,
    stages: {
      book: { schema: Trip, queueUrl: cloud.queueUrl('book') },
      pay: { schema: Trip, queueUrl: cloud.queueUrl('pay'), final: true },
    },
    awaitingSteps: {
      quote: {
        schema: z.object({ quoteId: z.string() }),
        id: ({ quoteId }) => quoteId,
        queueUrl: cloud.queueUrl('quotes'),
      },
    },
  })
  const of = { flow, key: 'k', clock }
  return {
    cloud,
    flow,
    of,
    store,
    start: (id: string, sentAt = T1) => flow.start({ key: 'k' }, { uniqueRequestId: id, sentAt }),
    status: (id = 'r1', sentAt?: string) =>
      requestStatus(sentAt === undefined ? of : { ...of, sentAt }, id),
  }
}

describe('a run', () => {
  it('is told through its stages, by the id that start returns', async () => {
    const { cloud, flow, start, status } = open({})
    const seen: unknown[] = []
    const book = flow.stageHandler('book', async (_trip, ctx) => {
      seen.push(await status())
      await ctx.next('pay', { key: ctx.key })
    })
    const pay = flow.stageHandler('pay', async () => void seen.push(await status()))
    const { uniqueRequestId } = await start('r1')
    expect(uniqueRequestId).toBe('r1')
    await expect(status()).resolves.toEqual({
      state: 'unknown',
      possible: ['neverSeen', 'forgotten'],
    })
    await expect(status('r1', T1)).resolves.toEqual({ state: 'unknown', possible: ['neverSeen'] })
    await cloud.deliver('book', book)
    await expect(status()).resolves.toEqual({ state: 'queued', stage: 'pay' })
    await cloud.deliver('pay', pay)
    expect(seen).toMatchObject([
      { state: 'running', attempt: 1, stage: 'book' },
      { state: 'running', attempt: 1, stage: 'pay' },
    ])
    await expect(status()).resolves.toEqual({ state: 'completed', at: undefined })
  })

  it('waits for an answer, by the name of its step', async () => {
    const { cloud, flow, start, status } = open({})
    const book = flow.stageHandler('book', (_trip, ctx) => ctx.awaitStep('quote', 'q1', () => {}))
    await start('r1')
    await cloud.deliver('book', book)
    await expect(status()).resolves.toEqual({ state: 'waiting', step: 'quote' })
    const quoted = flow.answerHandler('quote', async (_quote, ctx) => {
      await ctx.next('pay', { key: ctx.key })
    })
    await flow.answer('quote', { quoteId: 'q1' })
    await cloud.deliver('quotes', quoted)
    await expect(status()).resolves.toEqual({ state: 'queued', stage: 'pay' })
  })

  it('is retrying after a failure, and dead with its reason and stage', async () => {
    const { cloud, flow, start, status } = open({})
    let isDead = false
    const book = flow.stageHandler('book', () => {
      throw isDead ? new TerminalError('never') : new Error('later')
    })
    await start('r1')
    await cloud.deliver('book', book)
    await expect(status()).resolves.toMatchObject({ state: 'retrying', attempt: 1, stage: 'book' })
    isDead = true
    await cloud.drain({ book })
    const died = { state: 'dead', reason: 'terminal', final: false, stage: 'book' }
    await expect(status()).resolves.toEqual(died)
  })

  it.each(['newest', 'every'] as const)(
    'that died and was followed is dead for good where a redrive would not continue it: %s',
    async (process) => {
      const { cloud, flow, start, status } = open({ process })
      const runs: string[] = []
      let isDead = true
      const book = flow.stageHandler('book', (_trip, ctx) => {
        runs.push(ctx.uniqueRequestId)
        if (isDead) throw new TerminalError('never')
      })
      await start('r1')
      await cloud.deliver('book', book)
      const died = { state: 'dead', reason: 'terminal', stage: 'book' }
      await expect(status()).resolves.toEqual({ ...died, final: false })
      isDead = false
      await start('r2', T2)
      await cloud.deliver('book', book)
      const isFinal = process === 'newest'
      await expect(status()).resolves.toEqual({ ...died, final: isFinal })
      await expect(status('r2')).resolves.toMatchObject({ state: 'completed' })
      // The operator's redrive agrees.
      await cloud.deliver('dead', book)
      expect(runs).toEqual(['r1', 'r2', ...(isFinal ? [] : ['r1'])])
      expect(cloud.messages('dead')).toEqual([])
    },
  )
})

describe('a request that gave way', () => {
  it('to a newer one is superseded where its time is known, and may be where it is not', async () => {
    const { cloud, flow, start, status } = open({})
    const book = flow.stageHandler('book', async (_trip, ctx) => ctx.next('pay', { key: ctx.key }))
    await start('r2', T2)
    await cloud.deliver('book', book)
    await expect(status('r1', T1)).resolves.toEqual({ state: 'superseded', because: 'newer' })
    await expect(status('r1')).resolves.toEqual({
      state: 'unknown',
      possible: ['neverSeen', 'forgotten', 'superseded'],
    })
    await expect(status('r3', '2026-01-31T11:00:01Z')).resolves.toEqual({
      state: 'unknown',
      possible: ['neverSeen'],
    })
  })

  it('because it was reset, or dropped, says so', async () => {
    const { cloud, flow, start, status } = open({ onConflict: 'drop' })
    const book = flow.stageHandler('book', async (_trip, ctx) => ctx.next('pay', { key: ctx.key }))
    await start('r1')
    await cloud.deliver('book', book)
    await start('r2', T2)
    await cloud.deliver('book', book)
    await expect(status('r2')).resolves.toEqual({ state: 'superseded', because: 'dropped' })
    await flow.reset('k')
    await expect(status()).resolves.toEqual({ state: 'superseded', because: 'reset' })
  })

  it('and waits on the queue is queued', async () => {
    const { cloud, flow, start, status } = open({ onConflict: 'coalesce' })
    const book = flow.stageHandler('book', async (_trip, ctx) => ctx.next('pay', { key: ctx.key }))
    await start('r1')
    await cloud.deliver('book', book)
    await start('r2', T2)
    await cloud.deliver('book', book)
    await expect(status('r2')).resolves.toEqual({ state: 'queued', stage: 'book' })
  })
})

it('an end of an `every` flow is told also when it has left the record', async () => {
  const { cloud, flow, start, status } = open({ process: 'every' })
  const book = flow.stageHandler('book', () => {})
  for (let number = 1; number <= 12; number++) {
    await start(`r${number}`, `2026-01-31T10:00:${String(number).padStart(2, '0')}Z`)
    await cloud.deliver('book', book)
  }
  const ends = [1, 5, 9, 12].map((number) => status(`r${number}`))
  await expect(Promise.all(ends)).resolves.toEqual(
    ends.map(() => ({ state: 'completed', at: undefined })),
  )
  await expect(status('r13', T2)).resolves.toEqual({ state: 'unknown', possible: ['neverSeen'] })
})

it('a record that cannot be read is an error', async () => {
  const { store, status } = open({})
  await store.create([{ pk: 'flow#trip/k', sk: 'stage', epoch: 'no number', fence: 1 }])
  await expect(status()).rejects.toMatchObject({ code: 'UNKNOWN_FORMAT' })
})
