import type { LocalCloud } from 'lineclear/local'
import {
  type ApplyResult,
  applyPlan,
  type ChangePlan,
} from '../../../src/tools/operator/plan/applyPlan.ts'
import { NO_READER } from '../operator/noReader.ts'
import { planDecision } from '../../../src/tools/operator/plan/planDecision.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { awsMessenger } from '../../../src/library/adapters/send/awsMessenger.ts'
import { deliver, emptyAll, hand, receive } from '../../flow/flowHarness.ts'
import { counting, tripOn } from '../../flow/trip.ts'
import { countOf } from './counts.ts'
import { type OperatorHarness, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const HOUR = 3_600_000
const MINUTE = 60_000

async function openTrip(more: Parameters<typeof tripOn>[2] = {}) {
  const harness = await operatorHarness(cloud)
  // The flow of the tests asks its harness for the options alone.
  const trip = tripOn(cloud, harness as never, more)
  return { harness, trip, record: () => harness.item('flow#trip/k', 'stage') }
}

describe('decide free', () => {
  it('frees the key of a run whose messages are gone, once; late messages are stale', async () => {
    const { harness, trip, record } = await openTrip()
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    const ship = trip.stageHandler('ship', (_shipping, ctx) =>
      ctx.write('shipped', counting(harness.tableName)),
    )
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    const [late] = await receive(cloud, 'ship')
    const listed = await harness.cli('ls', '--flow', 'trip')
    expect(listed.out).toContain('Nothing is open')
    expect((await harness.cli('explain', 'trip/k')).out).toContain('r1 holds the key')
    const plan = await harness.cli('decide', 'trip/k', 'free')
    expect(plan.out).toContain('the run of r1 ends')
    expect(plan.out).toContain('if it is still wanted, start it again under another id')
    expect(await record()).toHaveProperty('uniquerequestid', 'r1')
    const applied = await harness.apply('decide', 'trip/k', 'free', '--why', 'lost')
    expect(applied.code).toBe(0)
    expect(await record()).toMatchObject({ operatorBy: 'ann', operatorWhy: 'lost' })
    expect(await record()).not.toHaveProperty('uniquerequestid')
    const again = await harness.apply('decide', 'trip/k', 'free')
    expect(again).toMatchObject({ code: 0 })
    expect(again.out).toContain('Nothing to do')
    if (late === undefined) throw new Error('nothing was sent')
    expect(await hand(cloud, 'ship', [late], ship)).toEqual({ kept: 0 })
    expect(await countOf(cloud, harness.tableName)).toBe(0)
    const asked = await harness.cli('explain', 'trip/k', '--request', 'r1')
    expect(asked.out).toContain('if r1 is delivered now: dropped: the request was reset')
  })

  it('is refused while an attempt may be running; with --force, the attempt can write nothing', async () => {
    const { harness, trip, record } = await openTrip()
    const going = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      begun.resolve()
      await going.promise
      await ctx.write('seat', counting(harness.tableName))
    })
    await trip.start({ key: 'k' })
    const late = deliver(cloud, 'book', book)
    await begun.promise
    const refused = await harness.apply('decide', 'trip/k', 'free')
    expect(refused.code).toBe(1)
    expect(refused.out).toContain('An attempt may be running')
    expect(await record()).toHaveProperty('uniquerequestid')
    expect((await harness.apply('decide', 'trip/k', 'free', '--force')).code).toBe(0)
    going.resolve()
    expect(await late).toEqual({ came: 1, kept: 0 })
    expect(await countOf(cloud, harness.tableName)).toBe(0)
  })

  it('made before a stage settled is outdated, and changes nothing', async () => {
    const { harness, trip, record } = await openTrip()
    let plan: ChangePlan | undefined
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      plan = await planDecision(
        'flow#trip/k',
        'free',
        {},
        { reader: NO_READER, store: harness.store, now: harness.clock.now() },
      )
      await ctx.next('ship', { key: ctx.key })
    })
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    const before = await record()
    expect(await applyTo(harness, plan)).toEqual({ kind: 'refused', because: 'outdated' })
    expect(await record()).toEqual(before)
  })
})

async function planOf(
  { store, clock }: OperatorHarness,
  word: 'answer' | 'timeout',
  price = 9,
): Promise<ChangePlan> {
  const lookup = { reader: NO_READER, store, now: clock.now() }
  const details = { step: 'quote', answer: { quoteId: 'q1', price } }
  return planDecision('flow#trip/k', word, details, lookup)
}

async function applyTo(
  { store, clock }: OperatorHarness,
  plan: ChangePlan | undefined,
  messenger = awsMessenger({ sqs: cloud.sqs }),
): Promise<ApplyResult> {
  if (plan?.kind !== 'change') throw new Error(`no plan: ${plan?.because}`)
  return applyPlan(store, plan, { by: 'ann', why: '', force: true, now: clock.now(), messenger })
}

describe('awaits', () => {
  const waiting = async (ids: string | readonly string[] = 'q1') => {
    const { harness, trip } = await openTrip()
    const log: unknown[] = []
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', ids, () => {}, { timeout: '1h' }),
    )
    const quote = trip.answerHandler(
      'quote',
      ({ price }, ctx) =>
        log.push(ctx.answers.size < 2 ? price : [...ctx.answers.keys()].toSorted()),
      { onTimeout: () => log.push('timed out') },
    )
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    await emptyAll(cloud)
    return { harness, trip, log, quote }
  }
  const complete = ['decide', 'trip/k', 'answer', '--step', 'quote', '--answer'] as const

  /** Applies the command, while the function of the step polls its queue. */
  async function whileServing(
    { harness, quote }: Awaited<ReturnType<typeof waiting>>,
    ...args: readonly string[]
  ) {
    harness.clock.sleep = async () => void (await deliver(cloud, 'quotes', quote))
    const applied = await harness.apply(...args, '--json')
    type Reported = { outcome: string; because?: string; message?: string }
    return { ...applied, ...(JSON.parse(applied.out) as Reported) }
  }

  it('complete answers as the outside system would; the second time there is nothing to do', async () => {
    const open = await waiting()
    const { harness, log } = open
    expect((await harness.cli('ls', '--status', 'awaiting', '--stage', 'quote')).out).toMatch(
      /waits for q1\n1 in total/,
    )
    expect((await harness.cli('explain', 'trip/k')).out).toContain('external ids: q1')
    const answer = '{"quoteId":"q1","price":7}'
    expect((await harness.cli(...complete, answer)).out).not.toContain('receipt')
    expect(await receive(cloud, 'quotes')).toEqual([])
    const applied = await whileServing(open, ...complete, answer)
    expect(applied).toMatchObject({ code: 0, outcome: 'taken', receipt: 'accepted' })
    expect(log).toEqual([7])
    expect(await harness.item('flow#trip/k', 'await#quote#r1')).toMatchObject({ operatorBy: 'ann' })
    const audit = await harness.cli('explain', '--history')
    expect(audit.out).toMatch(/decide answer.*taken/)
  })

  it('complete with an answer that the schema refuses: the step still waits, and takes the next', async () => {
    const open = await waiting()
    const { harness, log } = open
    const refused = await whileServing(open, ...complete, '{"quoteId":"q1","price":"seven"}')
    expect(refused).toMatchObject({ code: 1, outcome: 'refused' })
    expect(refused.because).toMatch(/the schema refuses the payload: .*expected number/)
    expect(log).toEqual([])
    expect((await harness.cli('explain', 'trip/k')).out).toContain('by hand was refused: rejected')
    const [deadLetter] = await receive(cloud, 'dead')
    expect(refused.message).toBe(deadLetter?.messageAttributes['uniquerequestid']?.stringValue)
    const better = await whileServing(open, ...complete, '{"quoteId":"q1","price":7}')
    expect(better).toMatchObject({ code: 0, outcome: 'taken' })
    expect(log).toEqual([7])
  })

  it('complete needs no external id where one is open; the function refuses the answer of another', async () => {
    const open = await waiting()
    const plan = await open.harness.cli(...complete, '{"quoteId":"q9","price":1}')
    expect(plan.out).toContain('the payload does not contain the external id q1 as it is')
    expect(plan.out).toContain('all fields of it; --schema FILE#EXPORT checks it')
    const refused = await whileServing(open, ...complete, '{"quoteId":"q9","price":1}')
    expect(refused).toMatchObject({ code: 1, outcome: 'refused' })
    expect(refused.because).toContain('unknown step')
    const args = [...complete, '{"quoteId":"q1","price":1}', '--external-id', 'q9'] as const
    expect((await open.harness.cli(...args)).out).toContain('receipt: unknown')
  })

  it('complete says that an answer is still on its way, and does not call it accepted', async () => {
    const { harness, log, quote } = await waiting()
    const answer = '{"quoteId":"q1","price":7}'
    const applied = await harness.apply(...complete, answer)
    expect(applied).toMatchObject({ code: 3 })
    expect(applied.out).toContain('Sent, and not taken yet')
    expect(applied.out).not.toContain('accepted')
    // Typed again: a second copy changes nothing.
    expect(await harness.apply(...complete, answer, '--wait', '0s')).toMatchObject({ code: 0 })
    // The copies are delivered at once: the second one may have to wait until the handler of the first has ended.
    expect(await deliver(cloud, 'quotes', quote)).toMatchObject({ came: 2 })
    await deliver(cloud, 'quotes', quote)
    expect(await receive(cloud, 'quotes')).toEqual([])
    expect(log).toEqual([7])
    const again = await harness.apply(...complete, answer)
    expect(again.code).toBe(0)
    expect(again.out).toContain('Nothing to do: the step has taken this answer before')
    const other = await harness.apply(...complete, '{"quoteId":"q1","price":8}', '--json')
    expect(JSON.parse(other.out)).toMatchObject({ outcome: 'impossible', receipt: 'superseded' })
  })

  it('complete sends nothing that a schema of the project refuses', async () => {
    const { harness } = await waiting()
    const schema = ['--schema', `${import.meta.dirname}/quoteSchema.ts#Quote`] as const
    const bad = await harness.apply(...complete, '{"quoteId":"q1","price":"x"}', ...schema)
    expect(bad).toMatchObject({ code: 1 })
    expect(bad.out).toContain('Not possible: the schema refuses the payload: price')
    expect((await harness.cli(...complete, '{"quoteId":"q1","price":1}', ...schema)).code).toBe(0)
    const none = ['--schema', `${import.meta.dirname}/quoteSchema.ts#Other`] as const
    const wrong = await harness.cli(...complete, '{"quoteId":"q1","price":1}', ...none)
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.err).toContain("expected the export 'Other'")
    expect(await receive(cloud, 'quotes')).toEqual([])
  })

  it('complete counts for a join, which continues with the last', async () => {
    const open = await waiting(['q1', 'q2'])
    const first = await open.harness.apply(
      ...complete,
      '{"quoteId":"q1","price":1}',
      '--wait',
      '0s',
    )
    expect(first.out).toContain('waits for 1 more')
    await deliver(cloud, 'quotes', open.quote)
    expect(open.log).toEqual([])
    expect(await whileServing(open, ...complete, '{"quoteId":"q2","price":2}')).toMatchObject({
      outcome: 'taken',
    })
    expect(open.log).toEqual([['q1', 'q2']])
  })

  it('complete for an id that a join does not wait for sends nothing', async () => {
    const { harness } = await waiting(['q1', 'q2'])
    const { code, out } = await harness.apply(...complete, '{"quoteId":"q9","price":1}')
    expect(code).toBe(1)
    expect(out).toContain('receipt: unknown')
    expect(await receive(cloud, 'quotes')).toEqual([])
    expect(await harness.apply('decide', 'trip/k', 'timeout', '--step', 'other')).toMatchObject({
      code: 4,
    })
  })

  it('fail continues with onTimeout; the second time there is nothing to do', async () => {
    const { harness, trip, log, quote } = await waiting()
    const fail = ['decide', 'trip/k', 'timeout', '--step', 'quote'] as const
    expect((await harness.apply(...fail)).code).toBe(0)
    expect((await harness.apply(...fail)).out).toContain('Nothing to do')
    await deliver(cloud, 'quotes', quote)
    expect(log).toEqual(['timed out'])
    expect((await harness.apply(...fail)).out).not.toContain('Done')
    expect(await trip.answer('quote', { quoteId: 'q1', price: 1 })).toBe('superseded')
  })

  it('fail sends its message by the same command when the queue refused it before', async () => {
    const { harness, log, quote } = await waiting()
    const refusing = {
      ...awsMessenger({ sqs: cloud.sqs }),
      send: async () => [new Error('the queue is away')],
    }
    const refused = applyTo(harness, await planOf(harness, 'timeout'), refusing)
    await expect(refused).rejects.toThrow('Run the command again')
    expect(await receive(cloud, 'quotes')).toEqual([])
    const again = await harness.apply('decide', 'trip/k', 'timeout', '--step', 'quote')
    expect(again.out).toContain('Done')
    await deliver(cloud, 'quotes', quote)
    expect(log).toEqual(['timed out'])
  })

  it('fail after more time was given ends the waiting again', async () => {
    const { harness, trip, log, quote } = await waiting()
    await harness.apply('decide', 'trip/k', 'timeout', '--step', 'quote')
    await trip.extendTimeout('quote', 'q1', '1h')
    await emptyAll(cloud)
    const again = await harness.apply('decide', 'trip/k', 'timeout', '--step', 'quote')
    expect(again.out).toContain('Done')
    await deliver(cloud, 'quotes', quote)
    expect(log).toEqual(['timed out'])
  })

  it('complete by two operators with two answers: one is told that it is not accepted', async () => {
    const open = await waiting()
    const { harness, quote, log } = open
    const first = [...complete, '{"quoteId":"q1","price":7}', '--json'] as const
    const second = [...complete, '{"quoteId":"q1","price":8}', '--json'] as const
    let other: Promise<{ out: string }> | undefined
    // The second one plans and applies after the first has sent its answer, and before a function takes it.
    harness.clock.sleep = async () => {
      if (other !== undefined) return void (await deliver(cloud, 'quotes', quote))
      other = harness.apply(...second)
      await other
    }
    const { out } = await harness.apply(...first)
    const outcomes = [out, (await other)?.out ?? ''].map((text) => JSON.parse(text) as object)
    expect(outcomes).toMatchObject([{ receipt: 'accepted' }, { receipt: 'conflict' }])
    expect(log).toEqual([7])
    expect(await receive(cloud, 'dead')).toHaveLength(1)
  })

  it.for(['answer', 'timeout'] as const)(
    'an answer from outside that arrives first makes the plan to %s outdated',
    async (verb) => {
      const { harness, trip, log, quote } = await waiting()
      const plan = await planOf(harness, verb)
      expect(await trip.answer('quote', { quoteId: 'q1', price: 3 })).toBe('accepted')
      expect(await applyTo(harness, plan)).toEqual({ kind: 'refused', because: 'outdated' })
      expect(await deliver(cloud, 'quotes', quote)).toEqual({ came: 1, kept: 0 })
      expect(log).toEqual([3])
    },
  )

  it('a timeout that fires first makes the plan to fail outdated', async () => {
    const { harness, log, quote } = await waiting()
    const explained = async () => (await harness.cli('explain', 'trip/k')).out
    expect(await explained()).toContain('nothing to do, its answer or its timeout continues')
    harness.clock.advance(2 * HOUR)
    expect(await explained()).toContain('its timeout was lost: lineclear sweep --apply')
    const plan = await planOf(harness, 'timeout')
    await harness.cli('sweep', '--apply')
    await deliver(cloud, 'quotes', quote)
    expect(await applyTo(harness, plan)).toEqual({ kind: 'refused', because: 'outdated' })
    expect(log).toEqual(['timed out'])
  })

  it('of a run that is over is not answered', async () => {
    const { harness, trip } = await waiting()
    await trip.reset('k')
    const args = [...complete, '{"quoteId":"q1","price":7}', '--request', 'r1', '--apply'] as const
    const { code, out } = await harness.cli(...args)
    expect(code).toBe(1)
    expect(out).toContain('receipt: superseded')
  })

  it('of a run that was reset is not listed', async () => {
    const { harness } = await waiting()
    expect((await harness.cli('ls')).out).toContain('waits for q1')
    await harness.apply('decide', 'trip/k', 'free')
    expect((await harness.cli('ls')).out).toContain('Nothing is open')
  })
})

describe('sweep', () => {
  it('shows what is due, ends it with --apply, and lists dead requests until they are closed', async () => {
    const { harness, trip, record } = await openTrip({ giveUpAfter: '1h' })
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    await emptyAll(cloud)
    expect(await harness.cli('sweep')).toMatchObject({
      code: 0,
      out: 'sweep once\nNothing to do: nothing is due.',
    })
    harness.clock.advance(HOUR + 2 * MINUTE)
    expect((await harness.cli('explain', 'trip/k')).out).toContain(
      'lineclear sweep --search frees the key',
    )
    const plan = await harness.cli('sweep', '--search')
    expect(plan.out).toContain('To search the table, and sweep')
    expect(await record()).toHaveProperty('uniquerequestid', 'r1')
    const applied = await harness.cli('sweep', '--search', '--apply', '--json')
    const outcome = { outcome: 'applied', found: 1, looked: 1, freed: 1 }
    expect(JSON.parse(applied.out)).toMatchObject(outcome)
    expect((await harness.cli('explain', '--history', '--action', 'sweep')).out).toMatch(
      /sweep +once +- +applied/,
    )
    expect(await record()).not.toHaveProperty('uniquerequestid')
    expect((await harness.cli('ls', '--status', 'dead')).out).toContain('trip/k r1')
    harness.clock.advance(2 * MINUTE)
    expect((await harness.cli('sweep', '--apply')).code).toBe(1)
    expect((await harness.apply('decide', 'trip/k', 'drop', '--request', 'r1')).code).toBe(0)
    const again = await harness.apply('decide', 'trip/k', 'drop', '--request', 'r1')
    expect(again.out).toContain('Nothing to do')
    expect((await harness.cli('ls')).out).toContain('Nothing')
  })
})
