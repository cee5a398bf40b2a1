import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliver, emptyAll, receive, sendCopy } from '../../flow/flowHarness.ts'
import { counting, tripOn } from '../../flow/trip.ts'
import { countOf } from './counts.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

interface Behaviour {
  readonly ids?: readonly string[]
  /** Called before the price is judged. */
  readonly before?: (ctx: { write(name: string, write: never): Promise<unknown> }) => unknown
  /** Another branch that is still at work. */
  readonly beside?: boolean
  readonly order?: 'every'
}

const REOPEN = ['decide', 'trip/k', 'again', '--step', 'quote'] as const
const HOUR = 3_600_000

/** A run that waits for a quote. Its handler throws for a price of 666. */
async function asking({ ids = ['q1'], before, beside = false, order }: Behaviour = {}) {
  const harness = await operatorHarness(cloud)
  const retry = { maxAttempts: 1, delay: () => 0 }
  const trip = tripOn(cloud, harness as never, { retry, ...(order && { order }) })
  const log: unknown[] = []
  const book = trip.stageHandler('book', async (_booking, ctx) => {
    if (beside) await ctx.next('ship', { key: ctx.key })
    await ctx.awaitStep('quote', ids, () => {}, { timeout: '1h' })
  })
  const quote = trip.answerHandler(
    'quote',
    async ({ price }, ctx) => {
      await before?.(ctx)
      if (price === 666) throw new Error('no such price')
      log.push(ctx.answers.size < 2 ? price : Object.fromEntries(ctx.answers))
    },
    {
      onTimeout: () => {
        if (log.push('timed out') === 1) throw new Error('no price at all')
      },
    },
  )
  const ship = trip.stageHandler('ship', () => {})
  await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  await deliver(cloud, 'book', book)
  const bodyOf = (quoteId: string, price: number) => ({ quoteId, price })
  return {
    harness,
    trip,
    log,
    book,
    ship,
    deliverQuotes: () => deliver(cloud, 'quotes', quote),
    /** As the outside system. */
    answer: async (price: number, quoteId = 'q1') => {
      const receipt = await trip.answer('quote', bodyOf(quoteId, price))
      await deliver(cloud, 'quotes', quote)
      return receipt
    },
    complete: async (price: number, quoteId = 'q1') => {
      harness.clock.sleep = async () => void (await deliver(cloud, 'quotes', quote))
      const body = JSON.stringify(bodyOf(quoteId, price))
      const command = [
        'decide',
        'trip/k',
        'answer',
        '--step',
        'quote',
        '--answer',
        body,
        '--json',
      ] as const
      return JSON.parse((await harness.apply(...command)).out) as { outcome: string }
    },
    record: () => harness.item('flow#trip/k', 'stage'),
  }
}

describe('decide again', () => {
  it('of a run that died in the handler of a wrong answer: the right answer continues it, once', async () => {
    const { harness, log, answer, complete, record } = await asking()
    await answer(666)
    expect(await record()).not.toHaveProperty('uniquerequestid')
    const [deadLetter] = await receive(cloud, 'dead')
    expect((await complete(7)).outcome).toBe('impossible')
    expect((await harness.cli('explain', 'trip/k')).out).toContain(`lineclear ${REOPEN.join(' ')}`)
    expect(await harness.apply(...REOPEN, '--why', 'wrong price')).toMatchObject({ code: 0 })
    expect((await harness.cli('explain', '--history')).out).toMatch(/decide again.*wrong price/)
    expect((await harness.cli('ls')).out).toMatch(/awaiting +trip\/k .*waits for q1\n1 in total$/)
    const waiting = (await harness.cli('explain', 'trip/k', '--request', 'r1')).out
    expect(waiting).toContain('it continues with the next answer of step quote')
    expect(waiting).toContain('if r1 is delivered now: dropped: the request waits for an answer')
    expect(waiting).toContain('lineclear dlq discard dead --id r1')
    expect(waiting).not.toContain('lineclear dlq redrive')
    expect((await harness.apply(...REOPEN)).out).toContain('Nothing to do: it waits already')
    expect((await complete(7)).outcome).toBe('taken')
    expect(log).toEqual([7])
    if (deadLetter === undefined) throw new Error('no dead letter')
    await sendCopy(cloud, 'quotes', deadLetter)
    expect(await complete(7)).toMatchObject({
      outcome: expect.stringMatching(/nothing|impossible/),
    })
    expect(log).toEqual([7])
    expect(await record()).not.toHaveProperty('uniquerequestid')
    expect((await harness.apply(...REOPEN)).out).toMatch(
      /Not possible: .*has completed|run is over/,
    )
  })

  it('whose next answer is wrong, too, is listed as dead again', async () => {
    const { harness, answer } = await asking()
    await answer(666)
    await harness.apply(...REOPEN)
    await answer(666)
    expect((await harness.cli('ls')).out).toMatch(/dead +trip\/k r1 .*no such price\n1 in total$/)
    const dead = (await harness.cli('explain', 'trip/k', '--request', 'r1')).out
    expect(dead).toContain('lineclear dlq redrive')
  })

  it('lets the outside system answer again, by queue or by call', async () => {
    const { harness, log, answer } = await asking()
    await answer(666)
    await harness.apply(...REOPEN)
    await answer(8)
    expect(log).toEqual([8])
  })

  it('lets the dead letter of the first answer be redriven, too', async () => {
    const { harness, log, answer, deliverQuotes } = await asking()
    await answer(666)
    const [deadLetter] = await receive(cloud, 'dead')
    await harness.apply(...REOPEN)
    if (deadLetter === undefined) throw new Error('no dead letter')
    await sendCopy(cloud, 'quotes', { ...deadLetter, body: '{"quoteId":"q1","price":9}' })
    await deliverQuotes()
    expect(log).toEqual([9])
  })

  it('lets its dead letter be corrected by the id of the run, unless the run has several', async () => {
    const { harness, log, answer, deliverQuotes } = await asking()
    await answer(666)
    const edit = ['dlq', 'edit', 'dead', '--id', 'r1', '--set', 'price=9'] as const
    await harness.apply(...REOPEN)
    expect(await harness.apply(...edit)).toMatchObject({ code: 0 })
    const [corrected] = await receive(cloud, 'dead')
    if (corrected === undefined) throw new Error('no dead letter')
    await sendCopy(cloud, 'quotes', corrected)
    await deliverQuotes()
    expect(log).toEqual([9])
    await sendCopy(cloud, 'dead', corrected)
    await sendCopy(cloud, 'dead', corrected)
    expect(await harness.cli(...edit.slice(0, -1), 'price=8')).toMatchObject({
      code: 1,
      out: expect.stringContaining('several dead letters are of the run r1'),
    })
  })

  it('while another stage of the run is at work', async () => {
    const { harness, log, answer, complete, ship } = await asking({ beside: true })
    await answer(666)
    expect(await harness.apply(...REOPEN)).toMatchObject({ code: 0 })
    expect((await complete(7)).outcome).toBe('taken')
    expect(log).toEqual([7])
    await deliver(cloud, 'ship', ship)
    expect((await harness.cli('ls')).out).toContain('Nothing is open')
  })

  it('of an answer whose message is gone: the step waits, and a late copy begins nothing', async () => {
    const { harness, trip, log, complete, deliverQuotes } = await asking()
    expect(await trip.answer('quote', { quoteId: 'q1', price: 3 })).toBe('accepted')
    const [lost] = await receive(cloud, 'quotes')
    await emptyAll(cloud)
    expect(await harness.apply(...REOPEN)).toMatchObject({ code: 0 })
    expect((await complete(7)).outcome).toBe('taken')
    if (lost === undefined) throw new Error('nothing was sent')
    await sendCopy(cloud, 'quotes', lost)
    await deliverQuotes()
    expect(log).toEqual([7])
  })

  it('of one answer of a join that waits for others', async () => {
    const { harness, log, answer, complete } = await asking({ ids: ['q1', 'q2'] })
    await answer(1, 'q1')
    expect(await harness.apply(...REOPEN)).toMatchObject({ code: 0 })
    expect((await complete(2, 'q2')).outcome).toBe('taken')
    expect(log).toEqual([])
    await answer(5, 'q1')
    expect(log).toEqual([{ q1: { quoteId: 'q1', price: 5 }, q2: { quoteId: 'q2', price: 2 } }])
  })

  it('after a timeout whose handler died', async () => {
    const { harness, log, complete, deliverQuotes } = await asking()
    harness.clock.advance(2 * HOUR)
    await harness.cli('sweep', '--apply')
    await deliverQuotes()
    expect(log).toEqual(['timed out'])
    expect(await harness.apply(...REOPEN)).toMatchObject({ code: 0 })
    expect((await complete(7)).outcome).toBe('taken')
    expect(log).toEqual(['timed out', 7])
  })

  it('and no answer comes: its timeout continues the run, also after the time limit of the run', async () => {
    const { harness, log, answer, deliverQuotes, record } = await asking()
    log.push('begun')
    await answer(666)
    expect(await harness.apply(...REOPEN)).toMatchObject({ code: 0 })
    harness.clock.advance(30 * HOUR)
    await harness.cli('sweep', '--apply')
    await deliverQuotes()
    expect(log).toEqual(['begun', 'timed out'])
    expect(await record()).not.toHaveProperty('uniquerequestid')
    expect((await harness.cli('ls')).out).toContain('Nothing is open')
  })

  it('is refused while the handler has effects, until they are named', async () => {
    const made = (table: string) => counting(table) as never
    const { harness, log, answer, complete } = await asking({
      before: (ctx) => ctx.write('seat', made(table())),
    })
    function table(): string {
      return harness.tableName
    }
    await answer(666)
    const refused = await harness.apply(...REOPEN)
    expect(refused.code).toBe(1)
    expect(refused.out).toContain('its handler has made seat with that answer')
    expect(refused.out).toContain('--keep seat')
    expect(await harness.apply(...REOPEN, '--keep', 'seat')).toMatchObject({ code: 0 })
    await complete(7)
    expect(log).toEqual([7])
    expect(await countOf(cloud, harness.tableName)).toBe(1)
  })

  it('is refused when the handler has completed', async () => {
    const { harness, answer } = await asking({ beside: true })
    await answer(7)
    const refused = await harness.apply(...REOPEN)
    expect(refused.code).toBe(1)
    expect(refused.out).toContain('Not possible: its handler has completed with that answer')
  })

  it('is refused when a newer request has started since', async () => {
    const { harness, trip, book, answer } = await asking()
    await answer(666)
    harness.clock.advance(1_000)
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r2' })
    await deliver(cloud, 'book', book)
    const refused = await harness.apply(...REOPEN, '--request', 'r1')
    expect(refused.code).toBe(1)
    expect(refused.out).toContain('a newer request of the key has started since')
  })
})
