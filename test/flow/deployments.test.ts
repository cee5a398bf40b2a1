import { defineFlow } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { notIn } from '../proof/hostile/mode.ts'
import {
  deliver,
  type FlowHarness,
  flowHarness,
  emptyAll,
  type Queue,
  receive,
  sendCopy,
  startFlowCloud,
} from './flowHarness.ts'
import { failing } from './outages.ts'
import { counting, Quote } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const calm = notIn(
  ['twice', 'atOnce', 'lost', 'dying', 'ten', 'killed', 'clocks'],
  'it counts deliveries one by one',
)
const Booking = z.object({ key: z.string() })

/** The dead letter, redriven by an operator. */
async function redrive(queue: Queue): Promise<string | undefined> {
  const [deadLetter] = await receive(cloud, 'dead')
  if (deadLetter === undefined) throw new Error('no dead letter')
  await emptyAll(cloud)
  await sendCopy(cloud, queue, deadLetter)
  return /"reason":"([^"]*)"/.exec(
    deadLetter.messageAttributes['lineclear']?.stringValue ?? '',
  )?.[1]
}

describe('a deployment that refuses what it must not, in the middle of retries', () => {
  const broken = {
    schema: { schema: Booking.refine(() => false) },
    key: {
      key: (): string => {
        throw new Error('bad key')
      },
    },
    sentAt: {
      sentAt: (): number => {
        throw new Error('bad time')
      },
    },
  } as const

  const deployed = (
    harness: FlowHarness,
    process: 'newest' | 'every',
    bad: keyof typeof broken | undefined,
  ) => {
    const now: Partial<{ schema: typeof Booking; key(): string; sentAt(): number }> =
      bad === undefined ? {} : broken[bad]
    const { schema = Booking, ...rest } = now
    const flow = defineFlow({
      name: 'trip',
      process,
      key: ({ key }) => key,
      stages: { book: { schema, queueUrl: cloud.queueUrl('book') } },
      ...rest,
      ...harness.options,
      retry: { delay: () => 0 },
    })
    const run = { fails: true }
    return {
      flow,
      book: flow.stageHandler('book', async (_booking, ctx) => {
        await ctx.write('seat', counting('seats'))
        if (!run.fails) return
        run.fails = false
        throw new Error('not now')
      }),
    }
  }

  it.each(
    (['schema', 'key', 'sentAt'] as const).flatMap((bad) =>
      (['newest', 'every'] as const).map((process) => [bad, process] as const),
    ),
  )(
    'by its %s (process %s): the run ends as dead, and a redrive of its dead letter reopens it',
    calm,
    async (bad, process) => {
      const harness = flowHarness(cloud)
      const good = deployed(harness, process, undefined)
      await good.flow.start({ key: 'k' })
      await deliver(cloud, 'book', good.book)
      expect(harness.settled.at(-1)?.kind).toBe('resent')
      await deliver(cloud, 'book', deployed(harness, process, bad).book)
      expect(harness.settled.at(-1)).toEqual({ kind: 'deadLettered', reason: 'rejected' })
      expect(harness.record()).not.toHaveProperty('uniquerequestid')
      await redrive('book')
      await deliver(cloud, 'book', good.book)
      expect(harness.settled.at(-1)?.kind).toBe('completed')
      expect(harness.count('seats')).toBe(1)
      expect(harness.record()).not.toHaveProperty('uniquerequestid')
    },
  )

  it(
    'by its schema, twice: each time a redrive of the newest dead letter reopens it',
    calm,
    async () => {
      const harness = flowHarness(cloud)
      const good = deployed(harness, 'every', undefined)
      const bad = deployed(harness, 'every', 'schema')
      await good.flow.start({ key: 'k' })
      await deliver(cloud, 'book', good.book)
      await deliver(cloud, 'book', bad.book)
      await redrive('book')
      await deliver(cloud, 'book', bad.book)
      await redrive('book')
      await deliver(cloud, 'book', good.book)
      expect(harness.settled.at(-1)?.kind).toBe('completed')
      expect(harness.count('seats')).toBe(1)
    },
  )

  it('ends the run of a message that was redelivered, not resent, as dead', calm, async () => {
    const harness = flowHarness(cloud)
    const good = deployed(harness, 'newest', undefined)
    await good.flow.start({ key: 'k' })
    failing(harness, 'update', ({ 'stage:book': entry }) => entry !== undefined)
    await deliver(cloud, 'book', good.book)
    expect(harness.settled.at(-1)?.kind).toBe('failed')
    harness.clock.advance(60_000)
    await deliver(cloud, 'book', deployed(harness, 'newest', 'schema').book)
    expect(harness.settled.at(-1)).toEqual({ kind: 'deadLettered', reason: 'rejected' })
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
    await redrive('book')
    await deliver(cloud, 'book', good.book)
    expect(harness.settled.at(-1)?.kind).toBe('completed')
    expect(harness.count('seats')).toBe(1)
  })

  it('runs a dead letter that does not name the run that it had begun', calm, async () => {
    const harness = flowHarness(cloud)
    const good = deployed(harness, 'newest', undefined)
    const reason = 'rejected'
    await good.flow.start({ key: 'k' })
    const [first] = await receive(cloud, 'book')
    if (first === undefined) throw new Error('nothing came')
    await sendCopy(cloud, 'book', first)
    await deliver(cloud, 'book', good.book)
    await emptyAll(cloud)
    const stamp = { format: 1, resendNumber: 0, reason, sentAt: harness.clock.now() }
    const stringValue = JSON.stringify(stamp)
    await sendCopy(cloud, 'book', {
      ...first,
      messageAttributes: {
        ...first.messageAttributes,
        lineclear: { dataType: 'String', stringValue },
      },
    })
    await deliver(cloud, 'book', good.book)
    expect(harness.settled.at(-1)?.kind).toBe('completed')
    expect(harness.count('seats')).toBe(1)
  })
})

describe('a stage that is renamed while runs are under way', () => {
  const handlers = (
    harness: FlowHarness,
    names: { readonly first: string; readonly last: string; readonly former: boolean },
  ) => {
    const { first, last, former } = names
    const was = (name: string) => (former ? { formerNames: [name] } : {})
    const flow = defineFlow({
      name: 'trip',
      key: ({ key }: { key: string }) => key,
      stages: {
        [first]: { schema: Booking, queueUrl: cloud.queueUrl('book'), ...was('book') },
        [last]: { schema: Booking, queueUrl: cloud.queueUrl('pay'), ...was('pay') },
      },
      ...harness.options,
      retry: { delay: () => 0 },
    })
    const run = { fails: false }
    return {
      flow,
      run,
      first: flow.stageHandler(first, async (_booking, ctx) => {
        await ctx.write('seat', counting('seats'))
        if (run.fails) throw new Error('not now')
        await ctx.next(last as never, { key: ctx.key })
      }),
      last: flow.stageHandler(last, async (_payment, ctx) => {
        await ctx.write('paid', counting('payments'))
        if (run.fails) throw new Error('not now')
      }),
    }
  }
  const OLD = { first: 'book', last: 'pay', former: false }
  const NEW = { first: 'reserve', last: 'bill', former: true }

  it('continues under its former name: a message that was under way', calm, async () => {
    const harness = flowHarness(cloud)
    const [old, renamed] = [handlers(harness, OLD), handlers(harness, NEW)]
    await old.flow.start({ key: 'k' })
    await deliver(cloud, 'book', old.first)
    await deliver(cloud, 'pay', renamed.last)
    expect(harness.settled.at(-1)?.kind).toBe('completed')
    expect(harness.count('payments')).toBe(1)
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it.each([
    ['the first', 'book', 'first', 'seats'],
    ['a later', 'pay', 'last', 'payments'],
  ] as const)(
    'continues under its former name: a retry of %s stage',
    calm,
    async (_w, queue, part, id) => {
      const harness = flowHarness(cloud)
      const [old, renamed] = [handlers(harness, OLD), handlers(harness, NEW)]
      await old.flow.start({ key: 'k' })
      if (part === 'last') await deliver(cloud, 'book', old.first)
      old.run.fails = true
      await deliver(cloud, queue, old[part])
      await deliver(cloud, queue, renamed[part])
      if (part === 'first') await deliver(cloud, 'pay', renamed.last)
      expect(harness.settled.at(-1)?.kind).toBe('completed')
      expect(harness.count(id)).toBe(1)
      expect(harness.record()).not.toHaveProperty('uniquerequestid')
    },
  )

  it.each([
    ['the first', 'book', 'first', 'seats'],
    ['a later', 'pay', 'last', 'payments'],
  ] as const)(
    'without its former name: %s stage is dead-lettered, and can be redriven once the name is given',
    calm,
    async (_which, queue, part, id) => {
      const harness = flowHarness(cloud)
      const old = handlers(harness, OLD)
      const silent = handlers(harness, { ...NEW, former: false })
      const renamed = handlers(harness, NEW)
      await old.flow.start({ key: 'k' })
      if (part === 'last') await deliver(cloud, 'book', old.first)
      old.run.fails = true
      await deliver(cloud, queue, old[part])
      await deliver(cloud, queue, silent[part])
      expect(harness.settled.at(-1)).toEqual({ kind: 'deadLettered', reason: 'unknown stage' })
      expect(harness.record()).not.toHaveProperty('uniquerequestid')
      expect(await redrive(queue)).toBe('unknown stage')
      await deliver(cloud, queue, renamed[part])
      if (part === 'first') await deliver(cloud, 'pay', renamed.last)
      expect(harness.settled.at(-1)?.kind).toBe('completed')
      expect(harness.count(id)).toBe(1)
      expect(harness.record()).not.toHaveProperty('uniquerequestid')
    },
  )

  it(
    'a duplicate of a finished first stage is a duplicate under its new name too',
    calm,
    async () => {
      const harness = flowHarness(cloud)
      const [old, renamed] = [handlers(harness, OLD), handlers(harness, { ...NEW, former: false })]
      await old.flow.start({ key: 'k' })
      const [first] = await receive(cloud, 'book')
      if (first === undefined) throw new Error('nothing came')
      await sendCopy(cloud, 'book', first)
      await deliver(cloud, 'book', old.first)
      await sendCopy(cloud, 'book', first)
      await deliver(cloud, 'book', renamed.first)
      expect(harness.settled.at(-1)).toEqual({ kind: 'duplicate' })
      expect(harness.count('seats')).toBe(1)
    },
  )

  it.each([true, false])(
    'a step that is waited for (former name given: %s)',
    calm,
    async (former) => {
      const harness = flowHarness(cloud)
      const flowWith = (step: string, formerNames: readonly string[]) =>
        defineFlow({
          name: 'trip',
          key: ({ key }) => key,
          stages: { book: { schema: Booking, queueUrl: cloud.queueUrl('book') } },
          awaitingSteps: {
            [step]: {
              schema: Quote.extend({ currency: z.string().default('EUR') }),
              id: ({ quoteId }: { readonly quoteId: string }) => quoteId,
              queueUrl: cloud.queueUrl('quotes'),
              formerNames,
            },
          },
          ...harness.options,
          retry: { delay: () => 0 },
        })
      const log: unknown[] = []
      const old = flowWith('quote', [])
      const book = old.stageHandler('book', (_booking, ctx) =>
        ctx.awaitStep('quote', ['q1', 'q2'], () => {}),
      )
      const renamed = flowWith('bid', former ? ['quote'] : [])
      const bid = renamed.answerHandler('bid', (_bid, ctx) =>
        log.push([...ctx.answers].map(([id, { currency }]) => `${id} ${currency}`).toSorted()),
      )
      await old.start({ key: 'k' })
      await deliver(cloud, 'book', book)
      expect(await renamed.answer('bid', { quoteId: 'q1', price: 1 })).toBe(
        former ? 'accepted' : 'unknown',
      )
      await deliver(cloud, 'quotes', bid)
      await renamed.answer('bid', { quoteId: 'q2', price: 1 })
      await deliver(cloud, 'quotes', bid)
      expect(log).toEqual(former ? [['q1 EUR', 'q2 EUR']] : [])
      expect('uniquerequestid' in (harness.record() ?? {})).toBe(!former)
    },
  )

  it('names that two stages have or had are refused when the flow is defined', () => {
    const harness = flowHarness(cloud)
    expect(() => handlers(harness, { first: 'pay', last: 'bill', former: true })).toThrow(
      'stages.bill.formerNames: expected names that no other stage or step has, or had',
    )
  })
})
