import { type FlowEnd, RetryableError, sweepHandler, TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { inCalm, notIn } from '../proof/hostile/mode.ts'
import { withoutRepeats } from '../proof/hostile/withoutRepeats.ts'
import {
  deliver,
  emptyAll,
  flowHarness,
  receive,
  send,
  sendCopy,
  startFlowCloud,
} from './flowHarness.ts'
import { counting, tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const HOURS = 3_600_000

type Options = Parameters<typeof tripOn>[2]

/** A trip whose bad ends go to the queue `outside`. */
function ending(options: Options = {}) {
  const harness = flowHarness(cloud)
  const failures = { queueUrl: cloud.queueUrl('outside') }
  const trip = tripOn(cloud, harness, { failures, retry: { maxAttempts: 2 }, ...options })
  const ends: FlowEnd[] = []
  const failed = trip.failureHandler(async (end, ctx) => {
    ends.push(end)
    await ctx.write('told', counting(`${end.as} ${end.uniqueRequestId}`))
  })
  const { store, clock, options: own } = harness
  const sweep = sweepHandler({ store, clock, logger: own.logger, clients: own.clients })
  return {
    harness,
    trip,
    failed,
    /** Each once, also where the attempt that was told it was killed and told again. */
    ends: () => withoutRepeats(ends),
    /** The sweeper runs when all calls of the run are over, and the failure handler gets what it has sent. */
    async told(): Promise<void> {
      clock.advance(2 * HOURS)
      await sweep()
      await deliver(cloud, 'outside', failed)
    },
  }
}

const stop = { ifUnknown: 'stop' } as const

describe('the failure handler of a flow', () => {
  const KILLED = 'a call that is killed has an unknown outcome, and its run dies of that'

  it(
    'learns what a superseded run has made, and takes it back once',
    notIn(['killed'], KILLED),
    async () => {
      const { harness, trip, ends, told } = ending({
        onConflict: 'supersede',
        retry: { maxAttempts: 5, delay: '1h' },
      })
      const at = harness.clock.now() - 10_000
      const keys: string[] = []
      const book = trip.stageHandler('book', async ({ n }, ctx) => {
        if (n === 2) return
        await ctx.write('seat', counting('seats'))
        await ctx.call(
          'charge',
          ({ idempotencyKey }) => (keys.push(idempotencyKey), 'receipt 5'),
          stop,
        )
        await ctx.call('rate', () => 7)
        await ctx.call('label', () => Promise.reject(new Error('reset'))).catch(() => {})
        throw new RetryableError('later')
      })
      await trip.start({ key: 'k', n: 1 }, { uniqueRequestId: 'r1', sentAt: at })
      await deliver(cloud, 'book', book)
      await trip.start({ key: 'k', n: 2 }, { uniqueRequestId: 'r2', sentAt: at + 1 })
      await deliver(cloud, 'book', book)
      await told()
      expect(ends()).toMatchObject([
        { as: 'superseded', final: true, key: 'k', uniqueRequestId: 'r1', by: 'r2', died: [] },
      ])
      const [end] = ends() as [FlowEnd]
      expect(end.made).toEqual([
        { stage: 'book', name: 'seat', kind: 'write', outcome: 'made' },
        { stage: 'book', name: 'charge', kind: 'call', outcome: 'made', result: 'receipt 5' },
      ])
      expect(end.keyOf('book', 'charge')).toBe(keys[0])
      expect(await end.callOf('book', 'rate')).toEqual({ outcome: 'made', result: 7 })
      expect(await end.callOf('book', 'label')).toEqual({ outcome: 'unknown' })
      await told()
      expect(harness.count('superseded r1')).toBe(1)
    },
  )

  it('is not told before the last call of the run can have landed', async () => {
    const { harness, trip, ends, told } = ending()
    const book = trip.stageHandler('book', async () => {
      await trip.reset('k')
      throw new TerminalError('cut off')
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    const row = harness.store.items().find(({ sk }) => sk === 'later')
    inCalm('time', () => expect(Number(row?.['due'])).toBeGreaterThan(harness.clock.now()))
    await told()
    expect(ends()).toMatchObject([{ as: 'reset', final: true, uniqueRequestId: 'r1' }])
  })

  it('learns of each death of a run that is redriven, and of no completed one', async () => {
    const { harness, trip, ends, told } = ending()
    const state = { broken: true }
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.write('seat', counting('seats'))
      if (state.broken) throw new TerminalError('no such account')
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    await told()
    const [letter] = await receive(cloud, 'dead')
    if (letter === undefined) throw new Error('no letter')
    await sendCopy(cloud, 'book', letter)
    await deliver(cloud, 'book', book)
    await told()
    expect(harness.count('dead r1')).toBe(2)
    const [end, ...others] = ends()
    expect(end).toMatchObject({
      as: 'dead',
      final: false,
      died: [{ stage: 'book', reason: 'terminal' }],
      made: [{ stage: 'book', name: 'seat', kind: 'write', outcome: 'made' }],
    })
    for (const other of others) expect(other).toMatchObject({ as: 'dead', made: end?.made })
    state.broken = false
    const [again] = await receive(cloud, 'dead')
    if (again === undefined) throw new Error('no second letter')
    await sendCopy(cloud, 'book', again)
    await deliver(cloud, 'book', book)
    await told()
    expect([harness.count('dead r1'), harness.count('seats')]).toEqual([2, 1])
  })

  it('learns of a run that the sweeper has given up', async () => {
    const { harness, trip, ends, told } = ending({ giveUpAfter: '1h' })
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.write('seat', counting('seats'))
      await ctx.next('pay', { key: ctx.key, price: 5 })
      throw new RetryableError('its message is lost')
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    await receive(cloud, 'book')
    await told()
    await told()
    expect(harness.count('dead r1')).toBe(1)
    expect(ends()).toMatchObject([
      { as: 'dead', final: false, died: [{ stage: 'book', reason: 'abandoned' }] },
    ])
  })

  it('refuses what is not the end of a run of its flow', async () => {
    const { failed, ends, harness } = ending()
    const other = {
      flow: 'cart',
      key: 'k',
      uniqueRequestId: 'r',
      epoch: 1,
      as: 'dead',
      died: [],
    }
    await send(cloud, 'outside', { hello: 1 })
    await send(cloud, 'outside', other)
    await deliver(cloud, 'outside', failed)
    expect(ends()).toEqual([])
    const kinds = harness.settled.map(({ kind }) => kind)
    expect(kinds).toContain('failed')
    expect(kinds).not.toContain('completed')
  })

  it('needs the option, and no stage of its name', () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    expect(() => trip.failureHandler(() => {})).toThrow('the option failures')
    expect(() => tripOn(cloud, harness, { failures: { queueUrl: '' } })).toThrow(
      'failures.queueUrl',
    )
    const js = ending().trip.failureHandler as (handler: unknown) => unknown
    expect(() => js('no')).toThrow('expected a function (end, ctx)')
  })
})
