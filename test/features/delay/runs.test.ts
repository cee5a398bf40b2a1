import { defineFlow, RetryableError, recordHandler } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { writeEntry } from '../../../src/library/protocol/claim/stage/stageEntry.ts'
import { versionOf } from '../../../src/library/protocol/claim/stage/version.ts'
import { judgeDelayed } from '../../../src/library/features/delay/judgeDelayed.ts'
import { delayedCloud, type DelayedCloud, HOUR, MINUTE } from './delayedCloud.ts'

const NOTHING = { sent: 0, waiting: 0, notKnown: 0, failed: 0 }
const schema = z.object({ key: z.string() })

/** Books, ships two hours later, and asks somebody outside to remind the customer in an hour. */
function trip(cloud: DelayedCloud) {
  const flow = defineFlow({
    name: 'trip',
    ...cloud.options,
    key: ({ key }) => key,
    onConflict: 'supersede',
    stages: {
      book: { schema, queueUrl: cloud.queueUrl('book') },
      ship: { schema, queueUrl: cloud.queueUrl('ship') },
    },
  })
  const shipped: string[] = []
  return {
    flow,
    shipped,
    book: flow.stageHandler('book', async (booking, ctx) => {
      await ctx.next('ship', booking, { delay: '2h' })
      await ctx.send(cloud.queueUrl('reminders'), booking, { delay: '1h' })
    }),
    ship: flow.stageHandler('ship', ({ key }) => void shipped.push(key)),
  }
}

describe('a stage that is sent to in two hours', () => {
  it('runs on time, in its run', async () => {
    const cloud = delayedCloud()
    const { flow, book, ship, shipped } = trip(cloud)
    await flow.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await cloud.deliver('book', book)
    expect(await cloud.waiting()).toHaveLength(2)
    cloud.clock.advance(2 * HOUR - MINUTE)
    expect((await cloud.sweep()).delayed).toEqual({ ...NOTHING, sent: 2 })
    await cloud.drain({ ship })
    expect(shipped).toEqual(['k'])
    expect(cloud.messages('reminders')).toHaveLength(1)
  })

  it('does not run when its run was reset: its message comes and is stale', async () => {
    const cloud = delayedCloud()
    const { flow, book, ship, shipped } = trip(cloud)
    await flow.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await cloud.deliver('book', book)
    await flow.reset('k')
    cloud.clock.advance(2 * HOUR)
    await cloud.sweep()
    await cloud.drain({ ship })
    expect(shipped).toEqual([])
    expect(cloud.messages('dead')).toEqual([])
  })

  it('is refused at once when the run would be over by then', async () => {
    const cloud = delayedCloud()
    const flow = defineFlow({
      name: 'trip',
      ...cloud.options,
      key: ({ key }) => key,
      giveUpAfter: '1h',
      stages: {
        book: { schema, queueUrl: cloud.queueUrl('book') },
        ship: { schema, queueUrl: cloud.queueUrl('ship') },
      },
    })
    const book = flow.stageHandler('book', (booking, ctx) =>
      ctx.next('ship', booking, { delay: '2h' }),
    )
    await flow.start({ key: 'k' })
    await cloud.deliver('book', book)
    expect(await cloud.waiting()).toEqual([])
    expect(cloud.messages('dead')[0]?.carried.error).toContain('giveUpAfter')
  })
})

describe('a retry in two hours', () => {
  const failing = (cloud: DelayedCloud, ran: number[]) =>
    recordHandler({ name: 'orders', ...cloud.options }, (_order, ctx) => {
      ran.push(ctx.attempt)
      if (ctx.attempt === 1) throw new RetryableError('closed', { retryAfter: 2 * HOUR })
    })

  it('is a row, and nothing is left on the queue', async () => {
    const cloud = delayedCloud()
    const ran: number[] = []
    const handler = failing(cloud, ran)
    cloud.send('orders', { orderId: 'o1' })
    await cloud.deliver('orders', handler)
    expect(cloud.messages('orders')).toEqual([])
    expect(await cloud.waiting()).toMatchObject([{ queue: cloud.queueArn('orders') }])
    cloud.clock.advance(2 * HOUR - MINUTE)
    await cloud.sweep()
    await cloud.drain({ orders: handler })
    expect(ran).toEqual([1, 2])
    expect(cloud.messages('dead')).toEqual([])
    expect(await cloud.waiting()).toEqual([])
  })

  it('that is too large for a row stays hidden on its queue', async () => {
    const cloud = delayedCloud()
    const ran: number[] = []
    cloud.send('orders', { x: 'x'.repeat(70_000) })
    await cloud.deliver('orders', failing(cloud, ran))
    expect(await cloud.waiting()).toEqual([])
    expect(cloud.messages('orders')).toHaveLength(1)
  })
})

describe('refused before anything is sent', () => {
  it.each([
    ['a message above 64 KB', 'x'.repeat(65_537), '1h', '65536'],
    ['a delay longer than the retention', {}, '31d', 'retention'],
  ] as const)('%s', async (_what, payload, delay, named) => {
    const cloud = delayedCloud()
    const errors: unknown[] = []
    const handler = recordHandler({ name: 'orders', ...cloud.options }, async (_order, ctx) => {
      await ctx
        .send(cloud.queueUrl('reminders'), payload, { delay })
        .catch((error: unknown) => errors.push(error))
    })
    cloud.send('orders', {})
    await cloud.deliver('orders', handler)
    expect(String(errors[0])).toContain(named)
    expect(await cloud.waiting()).toEqual([])
  })
})

const SEND = { kind: 'send' } as const
const FORTNIGHT = 14 * 24 * HOUR
const RUN = { name: 'trip', key: 'k', id: 'r1', epoch: 1, sentAt: 1, from: 'book' }
const text = (StringValue: string) => ({ DataType: 'String', StringValue })

describe('the verdict on a row', () => {
  const row = { recordPk: 'flow#trip/k', uniqueRequestId: 'r1' }
  const record = { pk: 'flow#trip/k', sk: 'stage', epoch: 3, fence: 9 }
  const running = {
    ...record,
    uniquerequestid: 'r1',
    giveUpAt: 99,
    'stage:book': writeEntry({ status: 'dead', epoch: 3, reason: 'abandoned' }),
  }
  const parked = {
    pk: 'flow#trip/k',
    sk: 'dead#r1',
    uniquerequestid: 'r1',
    epoch: 2,
    fence: 8,
    created: new Date(0).toISOString(),
    statusShard: 'dead#1',
    dueAt: 1,
    'stage:book': writeEntry({ status: 'dead', epoch: 2, reason: 'terminal' }),
  }
  const { statusShard: _shard, ...closed } = parked
  const abandoned = writeEntry({ status: 'dead', epoch: 2, reason: 'abandoned' })
  const newest = versionOf(1, 'r2')
  const message = { body: '{}', attributes: { uniquerequestid: text('r1') } }
  const toStage = {
    body: '{}',
    attributes: { lineclear: text(JSON.stringify({ format: 1, flow: RUN })) },
  }

  it.each([
    ['of a single record', { ...row, recordPk: undefined }, {}, { kind: 'send' }],
    ['whose run has its key', row, { record: running }, { kind: 'send' }],
    ['whose run has completed', row, { record }, { kind: 'send' }],
    ['whose run was forgotten by the table', row, {}, { kind: 'send' }],
    ['whose run is dead', row, { record, parked }, { kind: 'wait', until: HOUR }],
    [
      'whose run is dead, nearly for as long as SQS keeps its dead letter',
      row,
      { record, parked: { ...parked, created: new Date(2_000 - FORTNIGHT).toISOString() } },
      { kind: 'wait', until: 2_000 },
    ],
    [
      'whose run has been dead for longer than SQS keeps its dead letter',
      row,
      { record, parked: { ...parked, created: new Date(-FORTNIGHT).toISOString() } },
      { kind: 'send' },
    ],
    [
      'whose dead run a newer request has followed',
      row,
      { record: { ...record, newest }, parked },
      { kind: 'send' },
    ],
    [
      'whose dead run other requests have followed, in a flow that runs every one',
      row,
      { record: { ...record, newest, process: 'every' }, parked },
      { kind: 'wait', until: HOUR },
    ],
    ['to a stage of a run that is dead', { ...row, message: toStage }, { record, parked }, SEND],
    ['that is a retry of a run that is dead', { ...row, message }, { record, parked }, SEND],
    ['whose dead run was closed', row, { record, parked: closed }, { kind: 'send' }],
    [
      'whose run was given up, so that it has no dead letter',
      row,
      { record, parked: { ...parked, 'stage:book': abandoned } },
      { kind: 'send' },
    ],
    [
      'whose record is of a newer version',
      row,
      { record: { ...record, process: 'random' } },
      { kind: 'notKnown', error: expect.any(Error) },
    ],
    [
      'whose parked run is of a newer version',
      row,
      { record, parked: { ...parked, 'stage:book': 'odd' } },
      { kind: 'notKnown', error: expect.any(Error) },
    ],
    [
      'whose parked run is of a newer version',
      row,
      { record, parked: { ...parked, fence: 'x' } },
      { kind: 'notKnown', error: expect.any(Error) },
    ],
  ] as const)('%s', (_what, sender, seen, verdict) => {
    const whole = { record: undefined, parked: undefined, ...seen }
    expect(judgeDelayed(sender, whole, 0)).toEqual(verdict)
  })
})
