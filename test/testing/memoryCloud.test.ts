import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Context, SQSEvent } from 'aws-lambda'
import {
  onceForever,
  recordHandler,
  type RecordContext,
  StoreUnavailableError,
  TerminalError,
  type HandlerResult,
} from 'lineclear'
import { memoryCloud, type MemoryCloud, memoryStore, sqsEvent } from 'lineclear/testing'
import { describe, expect, it, vi } from 'vitest'

const QUEUES = {
  orders: { deadLetter: { queue: 'dead', maxReceiveCount: 5 } },
  dead: {},
  mail: {},
  receipts: {},
  'ledger.fifo': {},
}
const TOPICS = { paid: { subscriptions: [{ queue: 'receipts' }] } }
const open = (): MemoryCloud => memoryCloud({ queues: QUEUES, topics: TOPICS })

function ordersOn(
  { store, clients, clock, logger }: MemoryCloud,
  work: (payload: unknown, ctx: RecordContext) => HandlerResult,
) {
  return recordHandler({ name: 'orders', store, clients, clock, logger }, work)
}

describe('a handler on the memory cloud', () => {
  it('sends, publishes and ends, and everything can be looked at', async () => {
    const cloud = open()
    const orders = ordersOn(cloud, async (_, ctx) => {
      await ctx.send(cloud.queueUrl('mail'), { to: 'a' }, { attributes: { tenant: 't', n: 2 } })
      await ctx.publish(cloud.topicArn('paid'), { paid: 'o1' })
    })
    cloud.send('orders', { orderId: 'o1' }, { attributes: { uniquerequestid: 'r-1' } })
    const delivered = await cloud.deliver('orders', orders)
    expect(delivered).toEqual({ received: 1, acknowledged: 1, returned: 0 })
    expect(cloud.messages('orders')).toEqual([])
    expect(cloud.messages('mail')).toMatchObject([
      { payload: { to: 'a' }, attributes: { tenant: 't', n: '2' }, state: 'ready' },
    ])
    expect(cloud.messages('receipts')).toMatchObject([
      { payload: { paid: 'o1' }, carried: { hops: 1 } },
    ])
    expect(cloud.published('paid')).toMatchObject([{ payload: { paid: 'o1' } }])
  })

  it('is tried again later: a delayed copy, that time makes ready', async () => {
    const cloud = open()
    let runs = 0
    const orders = ordersOn(cloud, () => {
      runs += 1
      if (runs === 1) throw new Error('not yet')
    })
    cloud.send('orders', { orderId: 'o1' })
    await cloud.deliver('orders', orders)
    expect(cloud.messages('orders')).toMatchObject([
      { state: 'delayed', carried: { resendNumber: 1 } },
    ])
    await expect(cloud.deliver('orders', orders)).resolves.toMatchObject({ received: 0 })
    cloud.clock.advance(3_000)
    await expect(cloud.deliver('orders', orders)).resolves.toMatchObject({ acknowledged: 1 })
    expect(runs).toBe(2)
    expect(cloud.messages('orders')).toEqual([])
  })

  it('is dead-lettered when its attempts are used up, and drain moves the time on', async () => {
    const cloud = open()
    const orders = ordersOn(cloud, () => {
      throw new Error('never')
    })
    cloud.send('orders', { orderId: 'o1' })
    const began = cloud.clock.now()
    expect(await cloud.drain({ orders })).toEqual({ invocations: 6, deadLetters: 1 })
    expect(await cloud.drain({ orders })).toEqual({ invocations: 0, deadLetters: 0 })
    expect(cloud.messages('dead')).toMatchObject([
      { payload: { orderId: 'o1' }, carried: { reason: 'exhausted', attempts: 6 } },
    ])
    // 62 s of delays, each spread by 20 %.
    expect(cloud.clock.now() - began).toBeGreaterThan(49_000)
    expect(cloud.lines.some(({ message }) => message === 'dead-lettered')).toBe(true)
  })

  it('takes what its queue takes at most, and a dead letter is shortened to that', async () => {
    const dead = { maximumMessageSize: 1_024 }
    const orders = { ...dead, deadLetter: { queue: 'dead', maxReceiveCount: 5 } }
    const cloud = memoryCloud({ queues: { orders, dead } })
    cloud.send('orders', 'x'.repeat(1_024))
    expect(() => cloud.send('orders', 'x'.repeat(1_025))).toThrow('shorter than 1024 bytes')
    expect(cloud.messages('orders')).toHaveLength(1)
    const failing = memoryCloud({ queues: { orders, dead } })
    failing.send('orders', { text: 'x'.repeat(400) })
    const work = () => {
      throw new TerminalError('y'.repeat(2_000))
    }
    await failing.drain({ orders: ordersOn(failing, work) })
    const [letter] = failing.messages('dead')
    expect(letter?.body).toContain('x'.repeat(400))
    expect(letter?.carried.error?.length).toBeLessThan(600)
  })

  it('drain counts what SQS moves itself, and dead letters on a queue that no policy names', async () => {
    const cloud = open()
    const byHand = (event: SQSEvent) => ({
      batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
    })
    cloud.send('orders', {})
    expect(await cloud.drain({ orders: byHand })).toMatchObject({ deadLetters: 1 })
    const { store, clients, clock, logger } = cloud
    const mails = recordHandler(
      {
        name: 'mails',
        store,
        clients,
        clock,
        logger,
        deadLetterQueueUrl: cloud.queueUrl('receipts'),
      },
      () => {
        throw new TerminalError('no such address')
      },
    )
    cloud.send('mail', { to: 'a' })
    cloud.send('mail', { to: 'b' })
    expect(await cloud.drain({ mail: mails })).toEqual({ invocations: 1, deadLetters: 2 })
  })

  it('what a queue does not take is refused as AWS refuses it', async () => {
    const cloud = open()
    const long = 'x'.repeat(1_100_000)
    expect(() => cloud.send('orders', long)).toThrow('shorter than 1048576 bytes')
    expect(() => cloud.send('ledger.fifo', {})).toThrow('MessageGroupId is missing')
    expect(() => cloud.send('ledger.fifo', {}, { groupId: 'g' })).toThrow('MessageDeduplicationId')
    expect(() => cloud.publish('paid', 'x'.repeat(300_000))).toThrow('shorter than 262144 bytes')
    const spaced = new SendMessageCommand({
      QueueUrl: cloud.queueUrl('orders'),
      MessageBody: 'x',
      MessageAttributes: { 'a b': { DataType: 'String', StringValue: 'x' } },
    })
    await expect(cloud.clients.sqs.send(spaced)).rejects.toThrow('the name of the attribute a b')
    const orders = ordersOn(cloud, (_, ctx) =>
      ctx.send(cloud.queueUrl('mail').replace('mail', 'male'), { to: 'a' }),
    )
    cloud.send('orders', {})
    await cloud.deliver('orders', orders)
    // A deployment may make the queue: the record waits for it.
    expect([cloud.messages('orders').length, cloud.messages('dead')]).toEqual([1, []])
    const errors = cloud.lines.filter(({ level }) => level === 'error')
    expect(JSON.stringify(errors)).toMatch("there is no queue 'male'")
  })

  it('a FIFO queue keeps its order, and takes a deduplication id once in five minutes', async () => {
    const cloud = open()
    const seen: unknown[] = []
    const ledger = ordersOn(cloud, (payload) => void seen.push(payload))
    for (const n of [1, 2]) {
      cloud.send('ledger.fifo', { n }, { groupId: 'g', deduplicationId: `d${n}` })
      cloud.send('ledger.fifo', { n }, { groupId: 'g', deduplicationId: `d${n}` })
    }
    await cloud.drain({ 'ledger.fifo': ledger })
    expect(seen).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('a batch that throws stays, and SQS itself moves it after so many receives', async () => {
    const cloud = open()
    const broken = () => Promise.reject(new Error('cannot start'))
    cloud.send('orders', { orderId: 'o1' })
    for (let n = 0; n < 5; n++) {
      await expect(cloud.deliver('orders', broken)).rejects.toThrow('cannot start')
      expect(cloud.messages('orders')).toMatchObject([{ state: 'inFlight' }])
      cloud.clock.advance(30_000)
    }
    await expect(cloud.deliver('orders', broken)).resolves.toMatchObject({ received: 0 })
    expect(cloud.messages('dead')).toMatchObject([{ payload: { orderId: 'o1' } }])
  })

  it('what a handler throws is thrown by drain, and its batch comes again with the next one', async () => {
    const cloud = open()
    let runs = 0
    const orders = ordersOn(cloud, () => void (runs += 1))
    const outage = new StoreUnavailableError('no answer')
    vi.spyOn(cloud.store, 'create').mockRejectedValueOnce(outage)
    cloud.send('orders', { orderId: 'o1' })
    await expect(cloud.drain({ orders })).rejects.toMatchObject({ cause: outage })
    expect(runs).toBe(0)
    await cloud.drain({ orders })
    expect([runs, cloud.messages('orders')]).toEqual([1, []])
  })

  it('what never ends is said, not waited for', async () => {
    const cloud = memoryCloud({ queues: { orders: {} } })
    const orders = () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] })
    cloud.send('orders', {})
    await expect(cloud.drain({ orders })).rejects.toThrow('after 1000 invocations')
  })

  it('what never ends names the queues that are not empty, and the cause', async () => {
    const cloud = memoryCloud({ queues: { orders: {}, mail: {} } })
    const orders = ordersOn(cloud, () => {
      throw new TerminalError('no such order')
    })
    cloud.send('orders', {})
    const cause = /redelivered to orders; last warning or error: .*: .*has no redrive policy/
    await expect(cloud.drain({ mail: orders, orders })).rejects.toThrow(cause)
  })

  it('a put whose key has another name is refused with both names', async () => {
    const cloud = memoryCloud({ queues: QUEUES, tables: { stock: { hash: 'sku' } } })
    let error: unknown
    const orders = ordersOn(cloud, async (_, ctx) => {
      const write = { TableName: 'stock', Key: { id: 'a' }, put: { available: 1 } }
      error = await ctx.write('stock', write).catch((thrown: unknown) => thrown)
    })
    cloud.send('orders', {})
    await cloud.deliver('orders', orders)
    expect(String(error)).toContain(
      'its key is "sku" (a text), and what was given has "id", but no "sku"',
    )
  })

  it('names that are not described, commands that are not known and options that do not exist', async () => {
    const cloud = open()
    expect(() => cloud.queueUrl('order')).toThrow('no queue "order"; expected one of orders')
    expect(() => cloud.published('mail')).toThrow('no topic "mail"')
    const unknown: object = { queue: {} }
    expect(() => memoryCloud(unknown)).toThrow('memoryCloud: "queue" is not known here')
    const filtered: object = { subscriptions: [{ queue: 'mail', filterPolicy: {} }] }
    expect(() => memoryCloud({ queues: { mail: {} }, topics: { paid: filtered } })).toThrow(
      '"filterPolicy" is not known here',
    )
    const lost = new SendMessageCommand({ QueueUrl: 'https://a/1/none', MessageBody: 'x' })
    await expect(cloud.clients.sqs.send(lost)).rejects.toMatchObject({ name: 'QueueDoesNotExist' })
  })
})

describe('a store in memory and no queues', () => {
  const cannotReach = (what: string) => ({
    code: 'CONFIG',
    message: expect.stringContaining(what) as string,
  })
  const common = { name: 'orders', store: memoryStore() }

  it.each([
    ['ctx.send', (_: unknown, ctx: RecordContext) => ctx.send('https://sqs.x/1/mail', {}), 'sqs'],
    [
      'ctx.publish',
      (_: unknown, ctx: RecordContext) => ctx.publish('arn:aws:sns:x:1:t', {}),
      'sns',
    ],
    ['a retry', () => Promise.reject(new Error('again')), 'sqs'],
    [
      'a dead letter',
      () => Promise.reject(Object.assign(new Error('x'), { code: 'TERMINAL' })),
      'sqs',
    ],
  ])('%s reaches no network: it says what to pass', async (_, work, option) => {
    const handler = recordHandler({ ...common, logger: open().logger }, work)
    await expect(handler(sqsEvent({ a: 1 }), {} as Context)).rejects.toMatchObject(
      cannotReach(`${option}: expected a client`),
    )
  })

  it('thenEnqueue too', async () => {
    const events = onceForever({ store: memoryStore(), name: 'events' })
    await expect(
      events.thenEnqueue('e-1', {}, { queueUrl: 'https://sqs.x/1/mail' }),
    ).rejects.toThrow('memoryCloud')
  })

  it('a handler that sends nothing needs none', async () => {
    const handler = recordHandler(common, () => {})
    await expect(handler(sqsEvent({ a: 1 }), {} as Context)).resolves.toEqual({
      batchItemFailures: [],
    })
  })
})
