import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { defineFlow, RetryableError, recordHandler, TerminalError } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { writeEntry } from '../../src/claim/stage/stageEntry.ts'
import { writeEnds } from '../../src/claim/stage/stageRecord.ts'
import { digestOf } from '../../src/claim/stage/version.ts'
import { judgeDelayed } from '../../src/delay/judgeDelayed.ts'
import { delayedCloud, type DelayedCloud, HOUR, MINUTE } from './delayedCloud.ts'

const NOTHING = { sent: 0, void: 0, waiting: 0, unreadable: 0, failed: 0 }
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
    book: flow.handle('book', async (booking, ctx) => {
      await ctx.send('ship', booking, { delay: '2h' })
      await ctx.sendTo(cloud.queueUrl('reminders'), booking, { delay: '1h' })
    }),
    ship: flow.handle('ship', ({ key }) => void shipped.push(key)),
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
    const book = flow.handle('book', (booking, ctx) => ctx.send('ship', booking, { delay: '2h' }))
    await flow.start({ key: 'k' })
    await cloud.deliver('book', book)
    expect(await cloud.waiting()).toEqual([])
    expect(cloud.messages('dead')[0]?.carried.error).toContain('giveUpAfter')
  })
})

describe('what a dead run has stored', () => {
  it('waits for its redrive, and is then sent', async () => {
    const cloud = delayedCloud()
    const flow = defineFlow({
      name: 'trip',
      ...cloud.options,
      key: ({ key }) => key,
      stages: {
        book: { schema, queueUrl: cloud.queueUrl('book') },
        ship: { schema, queueUrl: cloud.queueUrl('ship') },
      },
    })
    const book = flow.handle('book', async (booking, ctx) => {
      await ctx.send('ship', booking)
      await ctx.sendTo(cloud.queueUrl('reminders'), booking, { delay: '1h' })
    })
    let isBroken = true
    const ship = flow.handle('ship', () => {
      if (isBroken) throw new TerminalError('not yet')
    })
    await flow.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await cloud.deliver('book', book)
    await cloud.deliver('ship', ship)
    expect(cloud.messages('dead')).toHaveLength(1)
    cloud.clock.advance(HOUR)
    expect((await cloud.sweep()).delayed).toEqual({ ...NOTHING, waiting: 1 })
    expect((await cloud.sweep()).delayed).toEqual(NOTHING)
    isBroken = false
    await redrive(cloud, 'ship')
    await cloud.deliver('ship', ship)
    cloud.clock.advance(HOUR)
    expect((await cloud.sweep()).delayed).toEqual({ ...NOTHING, sent: 1 })
    expect(cloud.messages('reminders')).toMatchObject([{ payload: { key: 'k' } }])
  })
})

/** Sends the dead letters back to their queue, as they are. */
async function redrive(cloud: DelayedCloud, queue: string): Promise<void> {
  await cloud.deliver('dead', async ({ Records }) => {
    const Entries = Records.map(({ body, messageAttributes }, index) => ({
      Id: String(index),
      MessageBody: body,
      MessageAttributes: Object.fromEntries(
        Object.entries(messageAttributes).map(([name, { dataType, stringValue }]) => [
          name,
          { DataType: dataType, StringValue: stringValue },
        ]),
      ),
    }))
    await cloud.sqs.send(new SendMessageBatchCommand({ QueueUrl: cloud.queueUrl(queue), Entries }))
    return { batchItemFailures: [] }
  })
}

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
        .sendTo(cloud.queueUrl('reminders'), payload, { delay })
        .catch((error: unknown) => errors.push(error))
    })
    cloud.send('orders', {})
    await cloud.deliver('orders', handler)
    expect(String(errors[0])).toContain(named)
    expect(await cloud.waiting()).toEqual([])
  })
})

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
    statusShard: 'dead#1',
    dueAt: 1,
  }
  const { statusShard: _shard, ...closed } = parked

  it.each([
    ['of a single record', { ...row, recordPk: undefined }, {}, { kind: 'send' }],
    ['whose run has its key', row, { record: running }, { kind: 'send' }],
    [
      'whose run is being ended',
      row,
      { record: { ...running, ending: 'superseded', notBefore: 1 } },
      { kind: 'wait', until: 60_000 },
    ],
    ['whose run has completed', row, { record }, { kind: 'send' }],
    [
      'whose run was undone',
      row,
      { record: { ...record, last: writeEnds([{ digest: digestOf('r1'), as: 'undone' }]) } },
      { kind: 'void' },
    ],
    ['whose run was forgotten by the table', row, {}, { kind: 'send' }],
    ['whose run is dead', row, { record, parked }, { kind: 'wait', until: HOUR }],
    ['whose dead run was closed', row, { record, parked: closed }, { kind: 'send' }],
    [
      'whose run was superseded',
      row,
      { record, parked: { ...closed, ending: 'superseded', notBefore: 1 } },
      { kind: 'void' },
    ],
    [
      'whose run was reset',
      row,
      { record, parked: { ...parked, ending: 'reset', notBefore: 1 } },
      { kind: 'void' },
    ],
    [
      'whose run was given up, and may be redriven',
      row,
      { record, parked: { ...parked, ending: 'abandoned', notBefore: 1 } },
      { kind: 'wait', until: HOUR },
    ],
    [
      'whose run is being undone',
      row,
      { record, parked: { ...parked, undo: 'due' } },
      { kind: 'void' },
    ],
    [
      'whose record is of a newer version',
      row,
      { record: { ...record, order: 'random' } },
      { kind: 'unreadable' },
    ],
    [
      'whose parked run is undone in a way of a newer version',
      row,
      { record, parked: { ...parked, undo: 'half' } },
      { kind: 'unreadable' },
    ],
    [
      'whose parked run is of a newer version',
      row,
      { record, parked: { ...parked, fence: 'x' } },
      { kind: 'unreadable' },
    ],
  ] as const)('%s', (_what, sender, seen, verdict) => {
    const whole = { record: undefined, parked: undefined, ...seen }
    expect(judgeDelayed(sender, whole, 0)).toEqual(verdict)
  })
})
