import { defineFlow, TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { listTasks } from '../../src/tools/operator/tasks/listTasks.ts'
import type { SqsHandler } from '../../src/library/entries/consumer/recordHandler.ts'
import { MAX_MESSAGE_BYTES } from '../../src/library/protocol/record/envelope/buildMessage.ts'
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
import { failing, OUTAGE, sqsWith } from './outages.ts'
import { Booking, counting, tripOn } from './trip.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const calm = notIn(
  ['twice', 'atOnce', 'lost', 'dying', 'ten', 'killed'],
  'it has faults of its own',
)

/** A trip whose messages are refused while `queues.refuse` says so. */
function tripThatMayBeRefused() {
  const harness = flowHarness(cloud)
  const queues = { refuse: false }
  const sqs = sqsWith(cloud, () => {
    if (queues.refuse) throw new Error('injected')
  })
  return {
    harness,
    queues,
    trip: tripOn(cloud, { ...harness, options: { ...harness.options, clients: { sqs } } }),
  }
}

/** An operator redrives the dead letter. */
async function redrive(queue: 'book' | 'pay', handler: SqsHandler): Promise<void> {
  const [deadLetter] = await receive(cloud, 'dead')
  if (deadLetter === undefined) throw new Error('no dead letter')
  await emptyAll(cloud)
  await sendCopy(cloud, queue, deadLetter)
  await deliver(cloud, queue, handler)
}

const asks = (trip: ReturnType<typeof tripOn>, ids: readonly string[]) =>
  trip.stageHandler('book', (_booking, ctx) => ctx.awaitStep('quote', ids, () => {}))

describe('a queue that does not take a message', () => {
  it('fails the caller that starts a request', calm, async () => {
    const { queues, trip } = tripThatMayBeRefused()
    queues.refuse = true
    await expect(trip.start({ key: 'k' })).rejects.toMatchObject({ code: 'SEND_FAILED' })
  })

  it('fails the caller that sends an answer, and nothing is counted', calm, async () => {
    const { queues, trip } = tripThatMayBeRefused()
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', asks(trip, ['q1']))
    queues.refuse = true
    const answer = { quoteId: 'q1', price: 5 }
    await expect(trip.answer('quote', answer)).rejects.toMatchObject({ code: 'SEND_FAILED' })
    queues.refuse = false
    expect(await trip.answer('quote', answer)).toBe('accepted')
  })

  it(
    'leaves an answer for two runs where it is, until each has a copy of its own',
    calm,
    async () => {
      const { harness, queues, trip } = tripThatMayBeRefused()
      const log: string[] = []
      const quote = trip.answerHandler('quote', (_quote, ctx) => log.push(ctx.key))
      for (const key of ['k', 'l']) await trip.start({ key }, { uniqueRequestId: key })
      await deliver(cloud, 'book', asks(trip, ['q1']))
      await send(cloud, 'quotes', { quoteId: 'q1', price: 5 })
      queues.refuse = true
      // It fails alone: the others of its batch are not redelivered.
      expect(await deliver(cloud, 'quotes', quote)).toEqual({ came: 1, kept: 1 })
      expect(harness.settled.at(-1)).toMatchObject({
        kind: 'failed',
        error: { code: 'SEND_FAILED' },
      })
      queues.refuse = false
      expect(await deliver(cloud, 'quotes', quote)).toEqual({ came: 1, kept: 0 })
      const copies = await receive(cloud, 'quotes')
      const ids = copies.map(
        ({ messageAttributes }) => messageAttributes['uniquerequestid']?.stringValue,
      )
      expect(new Set(ids).size).toBe(2)
    },
  )

  it('does not get more copies of one answer than it should', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    for (let nth = 0; nth < 21; nth++) await trip.start({ key: `k${nth}` })
    await deliver(cloud, 'book', asks(trip, ['q1']))
    const note = 'x'.repeat(800_000)
    await send(cloud, 'quotes', { quoteId: 'q1', price: 5, note })
    expect(
      await deliver(
        cloud,
        'quotes',
        trip.answerHandler('quote', () => {}),
      ),
    ).toEqual({
      came: 1,
      kept: 0,
    })
    expect(harness.settled.at(-1)).toEqual({ kind: 'deadLettered', reason: 'fan-out' })
    expect(await receive(cloud, 'quotes')).toEqual([])
  })

  it(
    'leaves an answer for two runs on its queue when it is too large to name its run',
    calm,
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      for (const key of ['k', 'l']) await trip.start({ key }, { uniqueRequestId: key })
      await deliver(cloud, 'book', asks(trip, ['q1']))
      const answer = { quoteId: 'q1', price: 5, note: '' }
      const note = 'x'.repeat(MAX_MESSAGE_BYTES - JSON.stringify(answer).length)
      await send(cloud, 'quotes', { ...answer, note })
      const quote = trip.answerHandler('quote', () => {})
      expect(await deliver(cloud, 'quotes', quote)).toEqual({ came: 1, kept: 1 })
    },
  )

  it(
    'leaves a request on it that waits for its key, when its fresh copy is refused',
    calm,
    async () => {
      const { harness, queues, trip } = tripThatMayBeRefused()
      const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
      const at = harness.clock.now() - 1_000
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r1', sentAt: at })
      await deliver(cloud, 'book', book)
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r2', sentAt: at + 1 })
      queues.refuse = true
      for (let receipt = 1; receipt <= 3; receipt++)
        expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 1 })
      expect(harness.settled.at(-1)).toMatchObject({ kind: 'deferred' })
    },
  )
})

describe('a store that does not take a write', () => {
  it('leaves a request on its queue whose refusal was not recorded (drop)', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness, { onConflict: 'drop' })
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    const at = harness.clock.now() - 1_000
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1', sentAt: at })
    await deliver(cloud, 'book', book)
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r2', sentAt: at + 1 })
    failing(harness, 'update', () => true)
    expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 1 })
    expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 0 })
  })

  it(
    'does not end a dead run whose effects were not stored: a redrive would repeat them',
    calm,
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      const book = trip.stageHandler('book', () => {
        throw new TerminalError('broken')
      })
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
      failing(harness, 'create', ({ sk }) => sk === 'dead#r1')
      expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 1 })
      expect(harness.record()).toHaveProperty('uniquerequestid')
      harness.clock.advance(60_000)
      expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 0 })
      expect(harness.store.items().map(({ sk }) => sk)).toContain('dead#r1')
    },
  )

  it.each([
    ['is to be tried again', true],
    ['has handed on', false],
  ])('is named when the key of a run that %s could not be freed', calm, async (_what, fails) => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness, { giveUpAfter: '3h' })
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      if (fails) throw new Error('not now')
      await ctx.next('ship', { key: ctx.key })
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    await emptyAll(cloud)
    harness.clock.advance(6 * 3_600_000)
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r2' })
    harness.store.update = async (updates) => updates.map(() => OUTAGE)
    expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 1 })
    // Not 'deferred', as if another request still had the key.
    expect(harness.settled.at(-1)).toEqual(OUTAGE)
  })

  it('lists a redriven request until its run has ended', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    let broken = true
    const book = trip.stageHandler('book', () => {
      if (broken) throw new TerminalError('broken')
    })
    const listed = async (): Promise<readonly unknown[]> => {
      const ids = []
      const statuses = ['dead', 'running'] as const
      const tasks = listTasks(harness.store, { statuses }, harness.clock.now())
      for await (const { task } of tasks) ids.push(task.id)
      return ids
    }
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    broken = false
    failing(harness, 'update', ({ last }) => last !== undefined)
    await redrive('book', book)
    expect(await listed()).toHaveLength(1)
    harness.clock.advance(60_000)
    await deliver(cloud, 'book', book)
    expect(await listed()).toEqual([])
  })

  it('fails the caller of the heartbeat', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => {}, { timeout: '1h' }),
    )
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    failing(harness, 'update', ({ until }) => until !== undefined)
    await expect(trip.extendTimeout('quote', 'q1', '10h')).rejects.toThrow('injected')
    expect(await trip.extendTimeout('quote', 'q1', '10h')).toBe(1)
  })

  it('does not start an answer whose use could not be recorded', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const log: unknown[] = []
    const onLate = (): number => log.push('late')
    const quote = trip.answerHandler('quote', () => log.push('used'), { onLate })
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', asks(trip, ['q1']))
    await send(cloud, 'quotes', { quoteId: 'q1', price: 5 })
    failing(harness, 'update', ({ used }) => used === true)
    await deliver(cloud, 'quotes', quote)
    expect(log).toEqual([])
    await deliver(cloud, 'quotes', quote)
    expect(log).toEqual(['used'])
  })

  it('does not request an answer when the waiting run could not be stored', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    let asked = 0
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => (asked += 1)),
    )
    failing(harness, 'create', ({ sk }) => sk === 'waiters')
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    expect(asked).toBe(0)
    await deliver(cloud, 'book', book)
    expect(asked).toBe(1)
  })

  it('does not count an answer of a join that could not be stored', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const log: unknown[] = []
    const quote = trip.answerHandler('quote', (_quote, ctx) =>
      log.push([...ctx.answers.keys()].toSorted()),
    )
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', asks(trip, ['a', 'b']))
    failing(harness, 'create', ({ externalId }) => externalId === 'a')
    await send(cloud, 'quotes', { quoteId: 'a', price: 1 })
    expect(await deliver(cloud, 'quotes', quote)).toEqual({ came: 1, kept: 1 })
    await send(cloud, 'quotes', { quoteId: 'b', price: 1 })
    await deliver(cloud, 'quotes', quote)
    expect(log).toEqual([['a', 'b']])
  })
})

describe('a message that cannot be judged for now', () => {
  it('stays on its queue, and is not dead-lettered', async () => {
    const harness = flowHarness(cloud)
    let down = true
    const slow = Booking.refine(() => {
      if (down) throw new Error('the service that the schema asks is down')
      return true
    })
    const trip = defineFlow({
      name: 'trip',
      key: ({ key }) => key,
      stages: { book: { schema: slow, queueUrl: cloud.queueUrl('book') } },
      ...harness.options,
    })
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.write('seat', counting('seats')))
    await trip.start({ key: 'k' })
    expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 1 })
    down = false
    await deliver(cloud, 'book', book)
    expect(harness.count('seats')).toBe(1)
  })

  it('a timeout message that Lineclear did not send is dead-lettered as an invalid answer', async () => {
    const harness = flowHarness(cloud)
    const quote = tripOn(cloud, harness).answerHandler('quote', () => {})
    await send(cloud, 'quotes', { $lineclear: 'timeout' })
    await deliver(cloud, 'quotes', quote)
    const [deadLetter] = await receive(cloud, 'dead')
    expect(deadLetter?.body).toBe('{"$lineclear":"timeout"}')
  })
})

describe('a run that dies', () => {
  const unkilled = notIn(['killed'], 'a call that was killed before its end was kept is made again')
  it(
    'twice is stored with all effects made until then: no redrive repeats them',
    unkilled,
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      const calls: string[] = []
      let redriven = 0
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        await ctx.call('card', () => calls.push('card'))
        if (redriven > 0) await ctx.write('seat', counting('seats'))
        if (redriven < 2) throw new TerminalError('broken')
        await ctx.write('end', counting('ends'))
      })
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
      await deliver(cloud, 'book', book)
      for (redriven = 1; redriven <= 2; redriven++) await redrive('book', book)
      expect([harness.count('seats'), harness.count('ends')]).toEqual([1, 1])
      expect(calls).toEqual(['card'])
      expect(harness.record()).not.toHaveProperty('uniquerequestid')
    },
  )

  it('is stored with an effect whose write was not answered', calm, async () => {
    const harness = flowHarness(cloud)
    const { transact } = harness.store
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.write('seat', counting('seats')).catch(() => {
        throw new TerminalError('no answer')
      })
    })
    harness.store.transact = async (...args) => {
      await transact(...args)
      return OUTAGE
    }
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    harness.store.transact = transact
    await redrive('book', book)
    expect(harness.count('seats')).toBe(1)
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it(
    'is reopened by its dead letter, also when its payload was refused in between',
    calm,
    async () => {
      const harness = flowHarness(cloud)
      const now = { broken: true, refuses: false }
      const trip = defineFlow({
        name: 'trip',
        key: ({ key }) => key,
        stages: {
          book: {
            schema: Booking.refine(() => !now.refuses),
            queueUrl: cloud.queueUrl('book'),
          },
        },
        ...harness.options,
      })
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        if (now.broken) throw new TerminalError('broken')
        await ctx.write('seat', counting('seats'))
      })
      await trip.start({ key: 'k' })
      await deliver(cloud, 'book', book)
      Object.assign(now, { broken: false, refuses: true })
      await redrive('book', book)
      now.refuses = false
      await redrive('book', book)
      expect(harness.settled.map(({ kind }) => kind)).toEqual([
        'deadLettered',
        'deadLettered',
        'completed',
      ])
      expect(harness.count('seats')).toBe(1)
    },
  )

  it('is not listed as dead when it was reset while its dead letter was sent', calm, async () => {
    const harness = flowHarness(cloud)
    const sqs = sqsWith(
      cloud,
      ({ QueueUrl }) => QueueUrl === cloud.queueUrl('dead') && trip.reset('k'),
    )
    const trip = tripOn(cloud, { ...harness, options: { ...harness.options, clients: { sqs } } })
    const book = trip.stageHandler('book', () => {
      throw new TerminalError('broken')
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 0 })
    expect(harness.settled).toEqual([{ kind: 'reset' }])
    expect(harness.store.items().map(({ sk }) => sk)).not.toContain('dead#r1')
  })
})
