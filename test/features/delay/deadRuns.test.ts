import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { defineFlow, type Store, TerminalError } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { delayedCloud, type DelayedCloud, HOUR, MINUTE } from './delayedCloud.ts'

const NOTHING = { sent: 0, waiting: 0, notKnown: 0, failed: 0 }
const schema = z.object({ key: z.string() })

/** Books, and reminds outside in an hour; with `shipsIn` it ships so much later. `ship` dies until it is repaired. */
function trip(cloud: DelayedCloud, given: { store?: Store; shipsIn?: '2h' } = {}) {
  const { shipsIn, store = cloud.store } = given
  const flow = defineFlow({
    name: 'trip',
    ...cloud.options,
    store,
    process: 'every',
    giveUpAfter: '4h',
    key: ({ key }) => key,
    stages: {
      book: { schema, queueUrl: cloud.queueUrl('book') },
      ship: { schema, queueUrl: cloud.queueUrl('ship') },
    },
  })
  const shipped: string[] = []
  let isBroken = true
  return {
    flow,
    shipped,
    repair: () => void (isBroken = false),
    book: flow.stageHandler('book', async (booking, ctx) => {
      await ctx.next('ship', booking, shipsIn === undefined ? {} : { delay: shipsIn })
      await ctx.send(cloud.queueUrl('reminders'), booking, { delay: '1h' })
    }),
    ship: flow.stageHandler('ship', ({ key }) => {
      if (isBroken) throw new TerminalError('not yet')
      shipped.push(key)
    }),
  }
}

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
    await cloud.clients.sqs.send(
      new SendMessageBatchCommand({ QueueUrl: cloud.queueUrl(queue), Entries }),
    )
    return { batchItemFailures: [] }
  })
}

/** For how long the oldest message has been due, as the sweeper reports it now. */
async function oldest(cloud: DelayedCloud): Promise<number | undefined> {
  let reported: number | undefined
  const metrics = {
    addDimension() {},
    addMetric: (name: string, _unit: string, value: number) => {
      if (name === 'oldestDelayed') reported = value
    },
    publishStoredMetrics() {},
  }
  await cloud.sweep({ metrics })
  return reported
}

describe('what a dead run has stored', () => {
  async function died(cloud: DelayedCloud, given?: Parameters<typeof trip>[1]) {
    const { flow, book, ship, ...rest } = trip(cloud, given)
    await flow.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await cloud.deliver('book', book)
    await cloud.deliver('ship', ship)
    expect(cloud.messages('dead')).toHaveLength(1)
    return { flow, book, ship, ...rest }
  }

  it('waits for its redrive, and is then sent', async () => {
    const cloud = delayedCloud()
    const { ship, repair } = await died(cloud)
    cloud.clock.advance(HOUR)
    expect((await cloud.sweep()).delayed).toEqual({ ...NOTHING, waiting: 1 })
    repair()
    await redrive(cloud, 'ship')
    await cloud.deliver('ship', ship)
    cloud.clock.advance(HOUR)
    expect((await cloud.sweep()).delayed).toEqual({ ...NOTHING, sent: 1 })
    expect(cloud.messages('reminders')).toMatchObject([{ payload: { key: 'k' } }])
  })

  it('is sent after its redrive, whatever write of the end was lost and whatever ran since', async () => {
    const cloud = delayedCloud()
    let outages = 0
    const store: Store = {
      ...cloud.store,
      update: async (updates) => {
        const isHit = updates.some(({ key: { sk } }) => sk.startsWith('dead#')) && outages++ === 0
        return isHit
          ? updates.map(() => ({ kind: 'failed', error: new Error('no answer') }))
          : cloud.store.update(updates)
      },
    }
    const { flow, book, ship, repair } = await died(cloud, { store })
    repair()
    await redrive(cloud, 'ship')
    await cloud.drain({ ship })
    expect(outages).toBeGreaterThan(0)
    await flow.start({ key: 'k' }, { uniqueRequestId: 'r2' })
    await cloud.drain({ book, ship })
    cloud.clock.advance(2 * HOUR)
    await cloud.sweep()
    expect(cloud.messages('reminders')).toHaveLength(2)
    expect(await cloud.waiting()).toEqual([])
  })

  it('counts as due since it first was, in each run of the sweeper', async () => {
    const cloud = delayedCloud()
    await died(cloud)
    cloud.clock.advance(HOUR)
    expect(await oldest(cloud)).toBe(0)
    for (const minutes of [1, 12, 90, 100]) {
      cloud.clock.advance(MINUTE)
      await cloud.sweep()
      cloud.clock.set(cloud.clock.now() + minutes * MINUTE)
      const [row] = await cloud.waiting()
      expect(await oldest(cloud)).toBe(cloud.clock.now() - Number(row?.['due']))
    }
  })

  it('is sent when SQS has no dead letter any more that could be redriven', async () => {
    const cloud = delayedCloud()
    await died(cloud)
    cloud.clock.advance(13 * 24 * HOUR)
    expect((await cloud.sweep()).delayed).toEqual({ ...NOTHING, waiting: 1 })
    cloud.clock.advance(24 * HOUR)
    expect((await cloud.sweep()).delayed).toEqual({ ...NOTHING, sent: 1 })
  })
})

describe('what a run has stored that was given up', () => {
  it.each(['the next request', 'the sweeper'])(
    'is sent although it has no dead letter, when %s has given it up',
    async (who) => {
      const cloud = delayedCloud()
      const { flow, book, ship, shipped, repair } = trip(cloud, { shipsIn: '2h' })
      await flow.start({ key: 'k' }, { uniqueRequestId: 'r1' })
      await cloud.deliver('book', book)
      // Nothing was sent until the run was out of time.
      cloud.clock.advance(5 * HOUR)
      if (who === 'the next request') {
        await flow.start({ key: 'k' }, { uniqueRequestId: 'r2' })
        await cloud.deliver('book', book)
      }
      await cloud.sweep()
      await cloud.sweep()
      expect(cloud.messages('reminders').map(({ payload }) => payload)).toContainEqual({ key: 'k' })
      await cloud.deliver('ship', ship)
      // The stage knows that its run is dead, and its message becomes the dead letter.
      expect(cloud.messages('dead')).toMatchObject([{ carried: { reason: 'abandoned' } }])
      cloud.clock.advance(3 * HOUR)
      await cloud.sweep()
      repair()
      await cloud.drain({ book, ship })
      await redrive(cloud, 'ship')
      await cloud.drain({ book, ship })
      expect(shipped).toHaveLength(who === 'the sweeper' ? 1 : 2)
      expect(await cloud.waiting()).toEqual([])
    },
  )
})
