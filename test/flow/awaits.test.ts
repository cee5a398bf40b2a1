import { defineFlow, sweepHandler, TerminalError, snsTopic } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { snsWrapped } from 'lineclear/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectDeliveries, expectLastDelivery } from '../proof/hostile/expectDeliveries.ts'
import { expectHanded, expectMessages } from '../proof/hostile/expectHanded.ts'
import { withoutRepeats } from '../proof/hostile/withoutRepeats.ts'
import { notIn } from '../proof/hostile/mode.ts'
import {
  deliver,
  flowHarness,
  emptyAll,
  receive,
  send,
  sendCopy,
  startFlowCloud,
} from './flowHarness.ts'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { Booking, counting, Quote, tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const HOUR = 3_600_000

interface Asking {
  readonly ids?: readonly string[]
  readonly need?: 'all' | 'any' | number
  readonly timeout?: '10h' | '30h'
  readonly otherwise?: boolean
}

/** A flow that asks for quotes and ships when it has them. */
function asking({ ids = ['q1'], need = 'all', timeout, otherwise = true }: Asking = {}) {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness, { onConflict: 'supersede' })
  const log: unknown[] = []
  const book = trip.stageHandler('book', async (_booking, ctx) => {
    const options = { need, ...(timeout === undefined ? {} : { timeout }) }
    const ask = () => ctx.send(cloud.queueUrl('outside'), { ids })
    await ctx.awaitStep('quote', ids, ask, options)
  })
  const quote = trip.answerHandler(
    'quote',
    async ({ price }, ctx) => {
      await ctx.write('quoted', counting('quotes'))
      const answers = [...ctx.answers].map(([id, answer]) => `${id}=${answer.price}`)
      log.push([ctx.externalId, price, ...answers.toSorted()])
      await ctx.next('ship', { key: ctx.key })
    },
    otherwise
      ? {
          onTimeout: async (ctx) => {
            log.push(['timeout', ctx.key])
            await ctx.next('ship', { key: ctx.key })
          },
          onLate: (answer) => {
            log.push(['late', answer.price])
          },
        }
      : {},
  )
  const ship = trip.stageHandler('ship', (_shipping, ctx) =>
    ctx.write('parcel', counting('parcels')),
  )
  const begin = async (key = 'k', uniqueRequestId = `r-${key}`): Promise<void> => {
    await trip.start({ key }, { uniqueRequestId })
    await deliver(cloud, 'book', book)
  }
  const answer = async (quoteId: string, price: number) => {
    await send(cloud, 'quotes', { quoteId, price })
    return deliver(cloud, 'quotes', quote)
  }
  return { harness, trip, log, book, quote, ship, begin, answer }
}

describe('an answer from outside', () => {
  it('continues the run that waits, by its external id alone', async () => {
    const { harness, log, ship, begin, answer } = asking()
    await begin()
    expectMessages(await receive(cloud, 'outside'), 1)
    expect(harness.record()).toMatchObject({ uniquerequestid: 'r-k' })
    expectHanded(await answer('q1', 5), { came: 1, kept: 0 })
    await deliver(cloud, 'ship', ship)
    expect(withoutRepeats(log)).toEqual([['q1', 5, 'q1=5']])
    expect(harness.count('parcels')).toBe(1)
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it('delivered twice is used once; a different answer is dead-lettered', async () => {
    const { harness, log, begin, answer } = asking()
    await begin()
    await answer('q1', 5)
    await answer('q1', 5)
    expectLastDelivery(harness.settled, { kind: 'duplicate' })
    await answer('q1', 6)
    expectLastDelivery(harness.settled, { kind: 'deadLettered', reason: 'conflict' })
    expect(withoutRepeats(log)).toHaveLength(1)
    expect(harness.count('quotes')).toBe(1)
  })

  it('that arrives before its step waits on the queue until the step is registered', async () => {
    const { harness, log, begin, answer, quote } = asking()
    expectHanded(await answer('q1', 5), { came: 1, kept: 1 })
    expectLastDelivery(harness.settled, { kind: 'deferred' })
    await begin()
    await deliver(cloud, 'quotes', quote)
    expect(withoutRepeats(log)).toEqual([['q1', 5, 'q1=5']])
  })

  it('that matches no step is dead-lettered after the grace time, with its body', async () => {
    const { harness, quote, answer } = asking()
    await answer('q9', 5)
    harness.clock.advance(6 * HOUR)
    await deliver(cloud, 'quotes', quote)
    expectLastDelivery(harness.settled, { kind: 'deadLettered', reason: 'unknown step' })
    const [deadLetter] = await receive(cloud, 'dead')
    expect(deadLetter?.body).toBe(JSON.stringify({ quoteId: 'q9', price: 5 }))
  })

  it('for a run that was superseded reaches onLate, once', async () => {
    const { trip, log, begin, answer } = asking()
    await begin()
    await trip.reset('k')
    await answer('q1', 5)
    await answer('q1', 5)
    expect(withoutRepeats(log)).toEqual([['late', 5]])
  })

  it('for two runs that are both over reaches onLate, once', async () => {
    const { trip, log, begin, answer } = asking()
    for (const key of ['k', 'l']) {
      await begin(key)
      await trip.reset(key)
    }
    await answer('q1', 5)
    await answer('q1', 5)
    expect(withoutRepeats(log)).toEqual([['late', 5]])
  })

  it('that was accepted and not used before its run was superseded reaches onLate, once', async () => {
    const { trip, log, begin, answer } = asking()
    await begin()
    // The call has accepted it; no handler has started with it.
    expect(await trip.answer('quote', { quoteId: 'q1', price: 5 })).toBe('accepted')
    await emptyAll(cloud)
    await trip.reset('k')
    await answer('q1', 5)
    await answer('q1', 5)
    expect(withoutRepeats(log)).toEqual([['late', 5]])
  })

  it('that was used before its run was superseded is not late', async () => {
    const { trip, log, begin, answer } = asking()
    await begin()
    await answer('q1', 5)
    await trip.reset('k')
    await answer('q1', 5)
    expect(withoutRepeats(log)).toEqual([['q1', 5, 'q1=5']])
  })

  it('that was used before an onLate handler was added is not late', async () => {
    const { trip, log, begin, answer } = asking()
    await begin()
    const before = trip.answerHandler('quote', (_quote, ctx) => ctx.next('ship', { key: ctx.key }))
    await send(cloud, 'quotes', { quoteId: 'q1', price: 5 })
    await deliver(cloud, 'quotes', before)
    await answer('q1', 5)
    expect(withoutRepeats(log)).toEqual([])
  })

  it('for a run that has ended is dropped when there is no onLate handler', async () => {
    const { harness, trip, log, begin, answer } = asking({ otherwise: false })
    await begin()
    await trip.reset('k')
    expectHanded(await answer('q1', 5), { came: 1, kept: 0 })
    expectLastDelivery(harness.settled, { kind: 'superseded' })
    expect(withoutRepeats(log)).toEqual([])
  })

  it(
    'reaches all runs that wait for the same id, each once',
    notIn(['killed', 'ten'], 'it delivers what is handed on once, and needs it more often'),
    async () => {
      const { harness, log, begin, answer, quote, ship } = asking()
      await begin('k1')
      await begin('k2')
      expectHanded(await answer('q1', 5), { came: 1, kept: 0 })
      await deliver(cloud, 'quotes', quote)
      await deliver(cloud, 'ship', ship)
      expect(withoutRepeats(log)).toHaveLength(2)
      expect(harness.count('parcels')).toBe(2)
      await answer('q1', 5)
      await deliver(cloud, 'quotes', quote)
      expect(withoutRepeats(log)).toHaveLength(2)
    },
  )

  it('that the newer run of a key can use is not late for the older one', async () => {
    const { log, begin, answer, harness, quote } = asking()
    await begin('k', 'r1')
    harness.clock.advance(10)
    await begin('k', 'r2')
    await answer('q1', 5)
    await deliver(cloud, 'quotes', quote)
    expect(withoutRepeats(log)).toEqual([['q1', 5, 'q1=5']])
  })

  it(
    'belongs to the run that took it, also when it is retried or redriven and other runs wait by then',
    notIn(['killed'], 'being killed costs attempts, and it counts them'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { retry: { maxAttempts: 2 } })
      const log: string[] = []
      let broken = true
      const book = trip.stageHandler('book', (_booking, ctx) =>
        ctx.awaitStep('quote', 'q1', () => {}),
      )
      const quote = trip.answerHandler('quote', (_quote, ctx) => {
        if (broken) throw new Error('not yet')
        log.push(ctx.key)
      })
      const begin = async (key: string): Promise<void> => {
        await trip.start({ key })
        await deliver(cloud, 'book', book)
      }
      await begin('k')
      await send(cloud, 'quotes', { quoteId: 'q1', price: 5 })
      await deliver(cloud, 'quotes', quote)
      await begin('l')
      await deliver(cloud, 'quotes', quote)
      expectDeliveries(harness.settled, [
        { kind: 'completed' },
        { kind: 'resent' },
        { kind: 'completed' },
        { kind: 'deadLettered', reason: 'exhausted' },
      ])
      const [deadLetter] = await receive(cloud, 'dead')
      if (deadLetter === undefined) throw new Error('no dead letter')
      broken = false
      await sendCopy(cloud, 'quotes', deadLetter)
      await deliver(cloud, 'quotes', quote)
      expect(withoutRepeats(log)).toEqual(['k'])
      expect(harness.record('k')).not.toHaveProperty('uniquerequestid')
    },
  )

  it(
    'whose onLate handler failed reaches onLate at its retry, also when another run waits by then',
    notIn(['killed'], 'being killed costs attempts, and it counts them'),
    async () => {
      const { harness, trip, log, begin, book } = asking()
      let broken = true
      const quote = trip.answerHandler('quote', (_quote, ctx) => log.push(ctx.key), {
        onLate: ({ price }) => {
          if (broken) throw new Error('not yet')
          log.push(['late', price])
        },
      })
      await begin('k')
      await trip.reset('k')
      await send(cloud, 'quotes', { quoteId: 'q1', price: 5 })
      await deliver(cloud, 'quotes', quote)
      expectLastDelivery(harness.settled, { kind: 'resent' })
      await trip.start({ key: 'l' })
      await deliver(cloud, 'book', book)
      broken = false
      await deliver(cloud, 'quotes', quote)
      expect(withoutRepeats(log)).toEqual([['late', 5]])
    },
  )

  it('may come by SNS', async () => {
    const harness = flowHarness(cloud)
    const topic = 'arn:aws:sns:us-east-1:000000000000:quotes'
    const flow = defineFlow({
      name: 'trip',
      ...harness.options,
      key: ({ key }) => key,
      stages: { book: { schema: Booking, queueUrl: cloud.queueUrl('book') } },
      awaitingSteps: {
        quote: { schema: Quote, id: ({ quoteId }) => quoteId, envelopes: [snsTopic(topic)] },
      },
    })
    const prices: number[] = []
    const book = flow.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => {}),
    )
    const quote = flow.answerHandler('quote', ({ price }) => prices.push(price))
    await flow.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    const wrapped = snsWrapped({ quoteId: 'q1', price: 7 }, { topicArn: topic })
    const record = { ...wrapped, eventSourceARN: cloud.queueArn('quotes') }
    expect(await quote({ Records: [record] }, lambdaContext())).toEqual({ batchItemFailures: [] })
    expect(prices).toEqual([7])
  })

  it('is retried in its run when its handler fails', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => {}),
    )
    const quote = trip.answerHandler('quote', async (_quote, ctx) => {
      await ctx.write('quoted', counting('quotes'))
      if (ctx.attempt < 3) throw new Error('not yet')
    })
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await send(cloud, 'quotes', { quoteId: 'q1', price: 1 })
    for (let attempt = 1; attempt <= 3; attempt++) await deliver(cloud, 'quotes', quote)
    expectDeliveries(harness.settled, ['completed', 'resent', 'resent', 'completed'])
    expect(harness.count('quotes')).toBe(1)
  })

  it('whose handler resets the run ends as reset, as that of a stage does', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => {}),
    )
    const quote = trip.answerHandler('quote', (_quote, ctx) => ctx.reset())
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await send(cloud, 'quotes', { quoteId: 'q1', price: 1 })
    expectHanded(await deliver(cloud, 'quotes', quote), { came: 1, kept: 0 })
    expectLastDelivery(harness.settled, { kind: 'reset' })
  })
})

describe('a join', () => {
  it('of all continues once, with the last answer, and has every answer', async () => {
    const { log, begin, answer } = asking({ ids: ['a', 'b', 'c'] })
    await begin()
    await answer('b', 2)
    await answer('a', 1)
    await answer('a', 1)
    expect(withoutRepeats(log)).toEqual([])
    await answer('c', 3)
    expect(withoutRepeats(log)).toEqual([['c', 3, 'a=1', 'b=2', 'c=3']])
  })

  it('of one id given twice continues with its answer', async () => {
    const { log, begin, answer } = asking({ ids: ['a', 'a'] })
    await begin()
    await answer('a', 1)
    expect(withoutRepeats(log)).toEqual([['a', 1, 'a=1']])
  })

  it('dead-letters an answer that is too long to be stored', async () => {
    const { harness, trip, begin } = asking({ ids: ['a', 'b'] })
    await begin()
    const quote = trip.answerHandler('quote', () => {})
    await send(cloud, 'quotes', { quoteId: 'a', price: 1, note: 'x'.repeat(400_000) })
    await deliver(cloud, 'quotes', quote)
    expectLastDelivery(harness.settled, { kind: 'deadLettered', reason: 'terminal' })
    const [deadLetter] = await receive(cloud, 'dead')
    expect(deadLetter?.messageAttributes['lineclear']?.stringValue).toContain('send a reference')
  })

  it.each([
    ['any', 1],
    [2, 2],
  ] as const)('of %s continues with that many; later answers are late', async (need, count) => {
    const { log, begin, answer } = asking({ ids: ['a', 'b', 'c'], need })
    await begin()
    await answer('a', 1)
    await answer('b', 2)
    await answer('c', 3)
    expect(log[0]).toHaveLength(2 + count)
    expect(withoutRepeats(log).slice(1)).toEqual(
      count === 1
        ? [
            ['late', 2],
            ['late', 3],
          ]
        : [['late', 3]],
    )
  })
})

describe('a late answer', () => {
  it('reaches onLate once for each different answer', async () => {
    const { log, begin, answer } = asking({ ids: ['a', 'b'], need: 'any' })
    await begin()
    await answer('a', 1)
    for (const price of [2, 3, 2]) await answer('b', price)
    expect(withoutRepeats(log).slice(1)).toEqual([
      ['late', 2],
      ['late', 3],
    ])
  })

  it(
    'reaches onLate once for each run that waited for it',
    notIn(['killed', 'ten'], 'it delivers what is handed on once, and needs it more often'),
    async () => {
      const { trip, log, begin, answer, quote } = asking()
      for (const key of ['k', 'l']) await begin(key)
      await answer('q1', 5)
      for (const key of ['k', 'l']) await trip.reset(key)
      await deliver(cloud, 'quotes', quote)
      expect(log).toEqual([
        ['late', 5],
        ['late', 5],
      ])
    },
  )
})

describe('a timeout', () => {
  it('continues without an answer at its timeout, and not before', async () => {
    const { harness, log, begin, quote, ship, answer } = asking({ timeout: '10h' })
    await begin()
    expect(cloud.inspectQueue('quotes').delayed).not.toHaveLength(0)
    await sendReminder(harness)
    expectHanded(await deliver(cloud, 'quotes', quote), { came: 1, kept: 1 })
    harness.clock.advance(13 * HOUR)
    await deliver(cloud, 'quotes', quote)
    await deliver(cloud, 'ship', ship)
    expect(withoutRepeats(log)).toEqual([['timeout', 'k']])
    expect(harness.count('parcels')).toBe(1)
    await answer('q1', 5)
    expect(withoutRepeats(log)).toEqual([
      ['timeout', 'k'],
      ['late', 5],
    ])
  })

  it('is moved by a heartbeat', async () => {
    const { harness, trip, log, begin, quote } = asking({ timeout: '10h' })
    await begin()
    await sendReminder(harness)
    harness.clock.advance(8 * HOUR)
    expect(await trip.extendTimeout('quote', 'q1', '10h')).toBe(1)
    harness.clock.advance(4 * HOUR)
    expectHanded(await deliver(cloud, 'quotes', quote), { came: 1, kept: 1 })
    harness.clock.advance(9 * HOUR)
    await deliver(cloud, 'quotes', quote)
    expect(withoutRepeats(log)).toEqual([['timeout', 'k']])
    expect(await trip.extendTimeout('quote', 'q1', '10h')).toBe(0)
    expect(await trip.extendTimeout('quote', 'unknown', '10h')).toBe(0)
  })

  it('that ends after the run itself is refused at the call, and nothing is requested', async () => {
    const { harness, trip } = asking()
    const log: unknown[] = []
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      const asked = ctx.awaitStep('quote', 'q1', () => log.push('asked'), { timeout: '24h' })
      await asked.catch((error: Error) => log.push(error.message))
    })
    harness.clock.advance(1)
    await trip.start({ key: 'k' }, { sentAt: harness.clock.now() - 1 })
    await deliver(cloud, 'book', book)
    expect(withoutRepeats(log)).toEqual([expect.stringContaining('giveUpAfter')])
    const kept = harness.store.items().map(({ sk }) => sk)
    expect(kept.filter((sk) => typeof sk === 'string' && sk.startsWith('await#'))).toEqual([])
    expect(kept).not.toContain('waiters')
  })

  it('that a heartbeat moves behind the end of its run does not keep the run alive', async () => {
    const { harness, trip, begin, quote } = asking({ timeout: '10h' })
    await begin()
    await trip.extendTimeout('quote', 'q1', '30h')
    harness.clock.advance(25 * HOUR)
    await sendReminder(harness)
    harness.clock.advance(6 * HOUR)
    await deliver(cloud, 'quotes', quote)
    expectLastDelivery(harness.settled, { kind: 'deadLettered', reason: 'too old' })
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it('that was not set is not sent, whatever the sweeper finds', async () => {
    const { harness, begin } = asking()
    await begin()
    harness.clock.advance(HOUR)
    await sweepHandler({
      store: harness.store,
      clock: harness.clock,
      logger: harness.options.logger,
      clients: { sqs: cloud.sqs },
    })()
    expect(await receive(cloud, 'quotes')).toEqual([])
  })

  it('that comes after the answer does nothing', async () => {
    const { harness, log, begin, quote, answer } = asking({ timeout: '10h' })
    await begin()
    await sendReminder(harness)
    await answer('q1', 5)
    harness.clock.advance(13 * HOUR)
    await deliver(cloud, 'quotes', quote)
    expect(withoutRepeats(log)).toEqual([['q1', 5, 'q1=5']])
  })

  it('dead-letters the run when there is no onTimeout', async () => {
    const { harness, begin, quote } = asking({ timeout: '10h', otherwise: false })
    await begin()
    await sendReminder(harness)
    harness.clock.advance(13 * HOUR)
    await deliver(cloud, 'quotes', quote)
    expectLastDelivery(harness.settled, { kind: 'deadLettered', reason: 'terminal' })
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  /** The timeout message is on the queue with its delay; the test sends a copy of it at once. */
  async function sendReminder(harness: ReturnType<typeof flowHarness>): Promise<void> {
    const item = harness.store
      .items()
      .find(({ sk }) => typeof sk === 'string' && sk.startsWith('await#quote'))
    const { uniquerequestid, epoch, sentAt, from } = item ?? {}
    const flow = {
      name: 'trip',
      key: 'k',
      id: uniquerequestid,
      epoch,
      sentAt,
      from,
      timeout: true,
    }
    await sendCopy(cloud, 'quotes', {
      body: JSON.stringify({ $lineclear: 'timeout' }),
      messageAttributes: {
        lineclear: {
          dataType: 'String',
          stringValue: JSON.stringify({ format: 1, flow }),
        },
      },
    })
  }
})

describe('a reopened run', () => {
  /** Its payment died while the quote was awaited, and the run was given up; days later its dead letter is redriven. */
  async function bringBack() {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness, { giveUpAfter: '3h' })
    const log: string[] = []
    let broken = true
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.awaitStep('quote', 'q1', () => {})
      if (ctx.key === 'k') await ctx.next('pay', { key: ctx.key, price: 1 })
    })
    const pay = trip.stageHandler('pay', () => {
      if (broken) throw new TerminalError('the card is blocked')
    })
    const quote = trip.answerHandler('quote', ({ price }, ctx) => log.push(`${ctx.key}=${price}`))
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'pay', pay)
    const [deadLetter] = await receive(cloud, 'dead')
    if (deadLetter === undefined) throw new Error('no dead letter')
    harness.clock.advance(6 * HOUR)
    await sweepHandler({
      store: harness.store,
      clock: harness.clock,
      logger: harness.options.logger,
    })()
    broken = false
    await sendCopy(cloud, 'pay', deadLetter)
    await deliver(cloud, 'pay', pay)
    return { harness, trip, book, quote, log }
  }

  it('takes the answer of a call', async () => {
    const { harness, trip, quote, log } = await bringBack()
    expect(await trip.answer('quote', { quoteId: 'q1', price: 5 })).toBe('accepted')
    await deliver(cloud, 'quotes', quote)
    expect(withoutRepeats(log)).toEqual(['k=5'])
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it('takes the answer that another run waits for as well', async () => {
    const { trip, book, quote, log } = await bringBack()
    await trip.start({ key: 'l' })
    await deliver(cloud, 'book', book)
    await send(cloud, 'quotes', { quoteId: 'q1', price: 5 })
    await deliver(cloud, 'quotes', quote)
    await deliver(cloud, 'quotes', quote)
    expect(withoutRepeats(log).toSorted()).toEqual(['k=5', 'l=5'])
  })
})

describe('an answer by a call', () => {
  it('reports how it was received, and continues the run through the queue', async () => {
    const { trip, log, begin, quote } = asking()
    expect(await trip.answer('quote', { quoteId: 'q1', price: 5 })).toBe('unknown')
    expectMessages(await receive(cloud, 'quotes'), 1)
    await emptyAll(cloud)
    await begin()
    expect(await trip.answer('quote', { quoteId: 'q1', price: 5 })).toBe('accepted')
    expect(await trip.answer('quote', { quoteId: 'q1', price: 5 })).toBe('duplicate')
    expect(await trip.answer('quote', { quoteId: 'q1', price: 6 })).toBe('conflict')
    await deliver(cloud, 'quotes', quote)
    expect(withoutRepeats(log)).toEqual([['q1', 5, 'q1=5']])
  })

  it('is late for a join that has what it needs, and superseded for a run that is over', async () => {
    const { trip, begin, log, quote } = asking({ ids: ['a', 'b'], need: 'any' })
    await begin()
    expect(await trip.answer('quote', { quoteId: 'a', price: 1 })).toBe('accepted')
    expect(await trip.answer('quote', { quoteId: 'b', price: 1 })).toBe('late')
    await trip.reset('k')
    expect(await trip.answer('quote', { quoteId: 'b', price: 1 })).toBe('superseded')
    await deliver(cloud, 'quotes', quote)
    // The accepted answer has found no run to continue.
    expect(withoutRepeats(log)).toEqual([['late', 1]])
  })

  it('reaches the one run that can still use it', async () => {
    const { trip, begin, log, quote } = asking()
    for (const key of ['k', 'l']) await begin(key)
    await trip.reset('k')
    expect(await trip.answer('quote', { quoteId: 'q1', price: 5 })).toBe('accepted')
    await deliver(cloud, 'quotes', quote)
    expect(withoutRepeats(log)).toEqual([['q1', 5, 'q1=5']])
  })

  it('counts for a join', async () => {
    const { trip, begin, log, quote } = asking({ ids: ['a', 'b'] })
    await begin()
    expect(await trip.answer('quote', { quoteId: 'a', price: 1 })).toBe('accepted')
    await deliver(cloud, 'quotes', quote)
    expect(withoutRepeats(log)).toEqual([])
    expect(await trip.answer('quote', { quoteId: 'b', price: 2 })).toBe('accepted')
    await deliver(cloud, 'quotes', quote)
    expect(withoutRepeats(log)).toEqual([['b', 2, 'a=1', 'b=2']])
  })
})
