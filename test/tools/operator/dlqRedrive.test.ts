import type { SQSRecord } from 'aws-lambda'
import {
  defineFlow,
  recordHandler,
  type RecordHandlerOptions,
  snsTopic,
  TerminalError,
} from 'lineclear'
import { type LocalCloud, mapQueue } from 'lineclear/local'
import { memoryStore } from 'lineclear/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { groupDeadLetters } from '../../../src/tools/operator/dlq/look.ts'
import { redriveDeadLetters } from '../../../src/tools/operator/dlq/redrive.ts'
import { type PlannedLetter, plannedOf } from '../../../src/tools/operator/dlq/bound.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { type FlowHarness, flowHarness } from '../../flow/flowHarness.ts'
import { counting } from '../../flow/trip.ts'
import { expectDeliveries, expectLastDelivery } from '../../proof/hostile/expectDeliveries.ts'
import { withoutRepeats } from '../../proof/hostile/withoutRepeats.ts'
import {
  count,
  deliver,
  emptyAll,
  hand,
  hide,
  moveBySqs,
  receive,
  send,
  startDlqCloud,
} from './dlqHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const redrive = (options: object = {}) =>
  redriveDeadLetters({ queue: 'dead', sqs: cloud.sqs, to: 'orders', mode: 'apply', ...options })

const Order = z.object({ n: z.number() })
const LEASE_OVER = 60_000

/** A consumer whose handler does one effect and one outside call, and then what the test says. */
function saleConsumer(harness: FlowHarness, then: () => void, schema: z.ZodType = Order) {
  const calls: string[] = []
  const handler = recordHandler(
    { name: 'orders', schema, retry: { maxAttempts: 2, delay: () => 0 }, ...harness.options },
    async (_order, ctx) => {
      await ctx.write('sale', counting('sales'))
      await ctx.call('charge', ({ idempotencyKey }) => calls.push(idempotencyKey))
      then()
    },
  )
  return { handler, calls }
}

it('a dead letter stays that would go to another queue than its plan has shown', async () => {
  await send(cloud, 'dead', { n: 1 })
  const planned: PlannedLetter[] = []
  await redrive({ mode: 'plan', onPlanned: (each: PlannedLetter) => planned.push(each) })
  const elsewhere = await redrive({ to: 'other', only: planned })
  expect(elsewhere).toMatchObject({ moved: 0, stays: { elsewhere: 1 } })
  expect(await redrive({ only: planned })).toMatchObject({ moved: 1 })
})

it('a queue that fills as fast as it is looked at is looked at once', async () => {
  await send(cloud, 'dead', { n: 1 })
  const look = async (letters: readonly unknown[]) => {
    for (const _each of letters) await send(cloud, 'dead', { n: 2 })
  }
  const { looked, more } = await groupDeadLetters({ queue: 'dead', sqs: cloud.sqs, look })
  expect(looked).toBeLessThan(200)
  expect(more).toBe(true)
})

describe('a redriven dead letter', () => {
  it('finds its source queue by itself, and names its consumer', async () => {
    const harness = flowHarness(cloud)
    let broken = true
    const { handler } = saleConsumer(harness, () => {
      if (broken) throw new TerminalError('never')
    })
    await send(cloud, 'orders', { n: 1 })
    await deliver(cloud, 'orders', handler)
    const { groups } = await groupDeadLetters({ queue: 'dead', sqs: cloud.sqs })
    expect(groups).toMatchObject([{ origin: 'orders', reason: 'terminal', count: 1 }])
    broken = false
    expect(await redrive({ to: undefined })).toMatchObject({ moved: 1 })
    await deliver(cloud, 'orders', handler)
    expect(harness.count('sales')).toBe(1)
    expect([count(cloud, 'orders'), count(cloud, 'dead')]).toEqual([0, 0])
  })

  it.each([
    ['exhausted', () => new Error('down')],
    ['terminal', () => new TerminalError('never')],
  ])('%s: runs again, and no effect is repeated', async (_reason, error) => {
    const harness = flowHarness(cloud)
    let broken = true
    const { handler, calls } = saleConsumer(harness, () => {
      if (broken) throw error()
    })
    await send(cloud, 'orders', { n: 1 })
    for (let times = 0; times < 3; times++) await deliver(cloud, 'orders', handler)
    expect(count(cloud, 'dead')).toBe(1)
    broken = false
    expect(await redrive()).toMatchObject({
      moved: 1,
      stamped: 0,
      ended: 'complete',
      to: { [await urlIn('orders')]: 1 },
    })
    expect(count(cloud, 'dead')).toBe(0)
    await deliver(cloud, 'orders', handler)
    expectLastDelivery(harness.settled, { kind: 'completed' })
    expect(harness.count('sales')).toBe(1)
    expect(calls).toHaveLength(1)
  })

  it('refused by its schema: runs, once the schema accepts it', async () => {
    const harness = flowHarness(cloud)
    await send(cloud, 'orders', { n: 'one' })
    await deliver(cloud, 'orders', saleConsumer(harness, () => {}).handler)
    expectDeliveries(harness.settled, [{ kind: 'deadLettered', reason: 'rejected' }])
    await redrive()
    await deliver(cloud, 'orders', saleConsumer(harness, () => {}, z.unknown()).handler)
    expectLastDelivery(harness.settled, { kind: 'completed' })
  })

  it('refused again: is seen on the queue, and the next one is not sent', async () => {
    const store = memoryStore()
    const options = {
      name: 'orders',
      schema: Order,
      store,
      logger: quietLogger(),
      clients: { sqs: cloud.sqs },
    }
    const handler = recordHandler(options, () => {})
    const mapping = mapQueue({ cloud, queue: 'orders', handler, logger: quietLogger() })
    for (const n of ['one', 'two', 'three']) await send(cloud, 'orders', { n })
    await vi.waitFor(() => expect(count(cloud, 'dead')).toBe(3), { timeout: 300_000 })
    const ramp = { store, stopAfter: 1, lookFor: 5_000 }
    const planned: PlannedLetter[] = []
    await redrive({ mode: 'plan', onPlanned: (each: PlannedLetter) => planned.push(each) })
    expect(await redrive({ ramp, only: planned })).toMatchObject({
      ended: 'failing',
      moved: 1,
      untried: 2,
      missing: 0,
      watched: { failed: 1, open: 0 },
    })
    await vi.waitFor(() => expect(count(cloud, 'dead')).toBe(3), { timeout: 300_000 })
    expect(await redrive({ ramp: { ...ramp, stopAfter: 9 } })).toMatchObject({
      ended: 'complete',
      moved: 3,
      watched: { failed: 3, open: 0, done: 0 },
    })
    await mapping.stop()
  })

  it('of a flow: resumes at the stage that died, in its run', async () => {
    const harness = flowHarness(cloud)
    let broken = true
    const flow = defineFlow({
      name: 'trip',
      key: ({ key }) => key,
      stages: {
        book: { schema: z.object({ key: z.string() }), queueUrl: cloud.queueUrl('book') },
        pay: {
          schema: z.object({ key: z.string() }),
          queueUrl: cloud.queueUrl('pay'),
          final: true,
        },
      },
      retry: { maxAttempts: 2, delay: () => 0 },
      ...harness.options,
    })
    const book = flow.stageHandler('book', async (_booking, ctx) => {
      await ctx.write('seat', counting('seats'))
      await ctx.next('pay', { key: ctx.key })
    })
    const pay = flow.stageHandler('pay', async (_payment, ctx) => {
      await ctx.write('money', counting('payments'))
      if (broken) throw new Error('the bank is closed')
    })
    await flow.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    for (let times = 0; times < 3; times++) await deliver(cloud, 'pay', pay)
    broken = false
    expect(await redrive({ to: 'pay' })).toMatchObject({ moved: 1 })
    await deliver(cloud, 'pay', pay)
    expectLastDelivery(harness.settled, { kind: 'completed' })
    expect([harness.count('seats'), harness.count('payments')]).toEqual([1, 1])
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
    expect(await redrive({ to: 'pay' })).toMatchObject({ moved: 0, looked: 0 })
  })

  it('keeps its identity, its marks and what a newer version has written, byte for byte', async () => {
    const lineclear =
      '{"format":1,"resendNumber":0,"hops":0,"death":3,"reason":"terminal","of tomorrow":{"x":1}}'
    const attributes = {
      uniquerequestid: { DataType: 'String', StringValue: 'r1' },
      lineclear: { DataType: 'String', StringValue: lineclear },
      exact: { DataType: 'Number.money', StringValue: '1.50' },
      bytes: { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255, 7) },
    }
    await send(cloud, 'dead', ' {"n": 1}\n', { attributes, groupId: 'tenant' })
    await redrive()
    const [record] = await receive(cloud, 'orders')
    expect(record).toMatchObject({
      body: ' {"n": 1}\n',
      attributes: { MessageGroupId: 'tenant' },
      messageAttributes: {
        uniquerequestid: { stringValue: 'r1' },
        lineclear: { stringValue: lineclear },
        exact: { dataType: 'Number.money', stringValue: '1.50' },
        bytes: { dataType: 'Binary', binaryValue: 'AP8H' },
      },
    })
  })
})

function carriedBy(record: SQSRecord | undefined): unknown {
  return JSON.parse(record?.messageAttributes['lineclear']?.stringValue ?? 'null')
}

async function urlIn(queue: string): Promise<string> {
  const { GetQueueUrlCommand } = await import('@aws-sdk/client-sqs')
  const { QueueUrl = '' } = await cloud.sqs.send(new GetQueueUrlCommand({ QueueName: queue }))
  return QueueUrl
}

describe('a dead letter that SQS has moved', () => {
  /** Its function is killed after the effect, until maxReceiveCount is reached. */
  async function crash(harness: FlowHarness, options: { id?: (payload: unknown) => string } = {}) {
    let die = true
    const handler = recordHandler(
      { name: 'orders', ...harness.options, ...options },
      async (_, ctx) => {
        await ctx.write('sale', counting('sales'))
        if (die) await new Promise(() => {})
      },
    )
    const messageId = await send(cloud, 'orders', { n: 1 })
    const records = await receive(cloud, 'orders')
    // It comes to its deadline when the cloud of this test may be gone.
    handler({ Records: records }, lambdaContext(10_000)).catch(() => {})
    while (harness.count('sales') === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    die = false
    for (const record of records) await hide(cloud, 'orders', record)
    await moveBySqs(cloud, 'orders')
    harness.clock.advance(LEASE_OVER)
    expect(count(cloud, 'dead')).toBe(1)
    return { handler, messageId }
  }

  it('goes back to its queue under the id that it had: its effect is not repeated', async () => {
    const harness = flowHarness(cloud)
    const { handler, messageId } = await crash(harness)
    expect(await redrive({ to: undefined })).toMatchObject({ moved: 1, stamped: 1 })
    const records = await receive(cloud, 'orders')
    expect(records[0]?.messageId).not.toBe(messageId)
    expect(carriedBy(records[0])).toMatchObject({ messageId })
    expect(records[0]?.messageAttributes).not.toHaveProperty('uniquerequestid')
    await hand(cloud, 'orders', records, handler)
    expectLastDelivery(harness.settled, { kind: 'completed' })
    expect(harness.count('sales')).toBe(1)
  })

  it('is recognised by its payload by a consumer with id(payload)', async () => {
    const harness = flowHarness(cloud)
    const { handler } = await crash(harness, { id: () => 'tx-1' })
    expect(await redrive({ to: undefined })).toMatchObject({ moved: 1, stamped: 1 })
    await deliver(cloud, 'orders', handler)
    expectLastDelivery(harness.settled, { kind: 'completed' })
    expect(harness.count('sales')).toBe(1)
    expect(harness.lines.at(-1)).toMatchObject({ uniquerequestid: 'tx-1' })
  })

  it('twice keeps the id that it had at first', async () => {
    const harness = flowHarness(cloud)
    const { handler, messageId } = await crash(harness)
    await redrive({ to: undefined })
    await moveBySqs(cloud, 'orders')
    expect(await redrive({ to: undefined })).toMatchObject({ moved: 1, stamped: 0 })
    const records = await receive(cloud, 'orders')
    expect(carriedBy(records[0])).toMatchObject({ messageId })
    await hand(cloud, 'orders', records, handler)
    expect(harness.count('sales')).toBe(1)
  })

  it('from SNS is recognised by the id of SNS, or by its SQS id where the topic is not opened', async () => {
    const { PublishCommand } = await import('@aws-sdk/client-sns')
    const TopicArn = cloud.topicArn('paid')
    const harness = flowHarness(cloud)
    const ids: string[] = []
    const consumer = (envelopes: NonNullable<RecordHandlerOptions['envelopes']>) =>
      recordHandler({ name: 'other', ...harness.options, envelopes }, (_, ctx) => {
        ids.push(ctx.uniqueRequestId)
      })
    const { MessageId } = await cloud.sns.send(new PublishCommand({ TopicArn, Message: '{"n":1}' }))
    const [first] = await receive(cloud, 'other')
    if (first === undefined) throw new Error('nothing came')
    await hide(cloud, 'other', first)
    await moveBySqs(cloud, 'other')
    await redrive({ to: undefined })
    const [record] = await receive(cloud, 'other')
    if (record === undefined) throw new Error('nothing came')
    expect(record.body).toBe(first.body)
    expect(record.messageId).not.toBe(first.messageId)
    await hand(cloud, 'other', [record], consumer([snsTopic(TopicArn)]))
    await hand(cloud, 'other', [record], consumer([]))
    expect(ids).toEqual([MessageId, first.messageId])
  })

  it('with ten attributes of its own is wrapped, and its consumer sees them all', async () => {
    const harness = flowHarness(cloud)
    const seen: unknown[] = []
    const handler = recordHandler({ name: 'orders', ...harness.options }, (payload, ctx) => {
      seen.push(payload, Object.keys(ctx.envelope.attributes).length, ctx.uniqueRequestId)
    })
    const attributes = Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [`a${n}`, { DataType: 'String', StringValue: 'x' }]),
    )
    const messageId = await send(cloud, 'orders', { n: 1 }, { attributes })
    await moveBySqs(cloud, 'orders')
    await redrive()
    await deliver(cloud, 'orders', handler)
    expect(withoutRepeats(seen)).toEqual([{ n: 1 }, 10, messageId])
  })

  it('keeps the time of its first sending, by which flows order requests', async () => {
    const harness = flowHarness(cloud)
    const times: number[] = []
    const handler = recordHandler({ name: 'orders', ...harness.options }, (_, ctx) => {
      times.push(ctx.sentAt)
    })
    await send(cloud, 'orders', { n: 1 })
    await moveBySqs(cloud, 'orders')
    const [moved] = await receive(cloud, 'dead')
    if (moved === undefined) throw new Error('nothing was moved')
    await hide(cloud, 'dead', moved)
    await new Promise((resolve) => setTimeout(resolve, 5))
    await redrive()
    await deliver(cloud, 'orders', handler)
    expect(times).toEqual([Number(moved.attributes.SentTimestamp)])
  })
})

describe('what a run has not seen of its plan', () => {
  const only = ['a', 'b', 'c', 'd', 'e'].map((messageId) => ({ messageId }))
  it.each([
    [
      'gone, once the whole queue was looked at',
      true,
      { missing: 2, untried: 0, missingLetters: ['b', 'c', 'd', 'e'] },
    ],
    ['not tried, when it has ended early', false, { missing: 0, untried: 2, missingLetters: [] }],
  ])('is %s; what earlier runs have done is neither', (_, complete, unseen) => {
    const planned = plannedOf({ only, dealtWith: 2 })
    planned.see(['a', 'x'])
    const missingLetters = unseen.missingLetters.map((messageId) => ({ messageId }))
    expect(planned.unseen(complete)).toEqual({ ...unseen, missingLetters })
  })
})
