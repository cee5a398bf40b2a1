import {
  defineFlow,
  type RecordContext,
  recordHandler,
  RetryableError,
  storedDelays,
  sweepHandler,
  TerminalError,
} from 'lineclear'
import { memoryCloud, sqsRecord } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { readDeadLetter } from '../../src/tools/operator/dlq/deadLetter.ts'
import { toPutBack, toOutbound } from '../../src/tools/operator/dlq/send.ts'
import { quietLogger } from './quietLogger.ts'

const DEAD = { deadLetter: { queue: 'dead', maxReceiveCount: 9 } }

function open() {
  const cloud = memoryCloud({
    queues: {
      orders: DEAD,
      charge: DEAD,
      paid: DEAD,
      dead: {},
      'orders.fifo': {},
      'dead.fifo': {},
    },
    tables: { stock: { hash: 'sku' } },
  })
  const { store, clients, clock } = cloud
  const options = { store, clients, clock, logger: quietLogger() }
  const groupsOn = (queue: string) => cloud.messages(queue).map(({ groupId }) => groupId)
  return { ...cloud, options, groupsOn }
}

it('a handler sees the tenant of a fair queue, and memoryCloud delivers it', async () => {
  const { options, send, deliver } = open()
  const seen: unknown[] = []
  const handler = recordHandler({ ...options, name: 'orders' }, async (_payload, ctx) => {
    seen.push(ctx.envelope.tenant)
  })
  send('orders', {}, { groupId: 'tenant-a' })
  send('orders', {})
  await deliver('orders', handler)
  await deliver('orders', handler)
  expect(seen).toEqual(['tenant-a', undefined])
})

it('a retry, a stored retry and a dead letter keep their tenant', async () => {
  const { options, send, deliver, groupsOn, messages, clock } = open()
  const fails = [
    new RetryableError('no', { retryAfter: '1m' }),
    new RetryableError('no', { retryAfter: '2h' }),
    new TerminalError('never'),
  ]
  const handler = recordHandler(
    { ...options, name: 'orders', delays: storedDelays() },
    async () => {
      throw fails.shift() ?? new Error('again')
    },
  )
  send('orders', {}, { groupId: 'tenant-a' })
  await deliver('orders', handler)
  expect(messages('orders')).toMatchObject([{ groupId: 'tenant-a', carried: { resendNumber: 1 } }])
  clock.advance(61_000)
  await deliver('orders', handler)
  expect(groupsOn('orders')).toEqual([])
  clock.advance(2 * 3_600_000)
  await sweepHandler({ ...options })()
  expect(messages('orders')).toMatchObject([{ groupId: 'tenant-a', carried: { resendNumber: 2 } }])
  await deliver('orders', handler)
  expect(groupsOn('dead')).toEqual(['tenant-a'])
})

function flowOn({ options, queueUrl }: ReturnType<typeof open>) {
  const schema = z.object({ key: z.string() })
  return defineFlow({
    ...options,
    name: 'booking',
    key: (payload) => payload.key,
    stages: {
      reserve: { schema, queueUrl: queueUrl('orders') },
      charge: { schema, queueUrl: queueUrl('charge'), final: true },
    },
  })
}

it('the messages of a run keep the tenant of its request', async () => {
  const cloud = open()
  const flow = flowOn(cloud)
  await flow.start({ key: 'k' }, { groupId: 'tenant-a' })
  expect(cloud.groupsOn('orders')).toEqual(['tenant-a'])
  await cloud.deliver(
    'orders',
    flow.stageHandler('reserve', async (payload, ctx) => void (await ctx.next('charge', payload))),
  )
  expect(cloud.groupsOn('charge')).toEqual(['tenant-a'])
  await expect(flow.start({ key: 'k' }, { groupId: '' })).rejects.toThrow(
    'groupId: expected a text',
  )
})

it('the group of a FIFO queue is no tenant, and no standard queue gets it', async () => {
  const { options, send, deliver, queueUrl, groupsOn } = open()
  const seen: unknown[] = []
  const handler = recordHandler({ ...options, name: 'orders' }, async (_payload, ctx) => {
    seen.push(ctx.envelope.tenant)
    await ctx.send(queueUrl('charge'), {})
  })
  send('orders.fifo', {}, { groupId: 'g', deduplicationId: 'd' })
  await deliver('orders.fifo', handler)
  expect(seen).toEqual([undefined])
  expect(groupsOn('charge')).toEqual([undefined])
})

it('a dead letter that is redriven, or put back, keeps its tenant', () => {
  const record = sqsRecord({ n: 1 })
  const attributes = { ...record.attributes, MessageGroupId: 'tenant-a' }
  const letter = readDeadLetter({ ...record, attributes }, 0)
  const url = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders'
  expect(toOutbound(letter, url)).toMatchObject({ groupId: 'tenant-a' })
  expect(toPutBack(letter)).toMatchObject({ groupId: 'tenant-a' })
})

const Order = z.object({
  key: z.string(),
  sku: z.string().default('pear'),
  asks: z.string().optional(),
})
const reserved = (sku: string, by: number) =>
  ({ TableName: 'stock', Key: { sku }, add: { reserved: by } }) as const

/** A run of tenant-a that waits for its payment. */
async function waiting(cloud: ReturnType<typeof open>, timeout: { timeout?: '1h' } = {}) {
  const { options, queueUrl, deliver } = cloud
  const flow = defineFlow({
    ...options,
    name: 'paying',
    key: ({ key }) => key,
    onConflict: 'supersede',
    stages: {
      order: { schema: Order, queueUrl: queueUrl('orders') },
      charge: { schema: Order, queueUrl: queueUrl('charge'), final: true },
    },
    awaitingSteps: {
      paid: {
        schema: z.object({ key: z.string(), id: z.string() }),
        queueUrl: queueUrl('paid'),
        id: ({ id }) => id,
        ...timeout,
      },
    },
  })
  const order = flow.stageHandler('order', async ({ key, sku, asks = key }, ctx) => {
    await ctx.write('reserve', reserved(sku, 1))
    await ctx.awaitStep('paid', `payment-${asks}`, () => {})
  })
  const tenants: unknown[] = []
  const paid = flow.answerHandler(
    'paid',
    async (_answer, ctx) => {
      tenants.push(ctx.envelope.tenant)
      await ctx.next('charge', { key: ctx.key })
    },
    { onTimeout: async (ctx) => void (await ctx.next('charge', { key: ctx.key })) },
  )
  await flow.start({ key: 'k' }, { groupId: 'tenant-a' })
  await deliver('orders', order)
  return { flow, order, paid, tenants }
}

const ANSWER = { key: 'k', id: 'payment-k' }

it('a run keeps its tenant after an answer without one, or with another', async () => {
  for (const groupId of [undefined, 'tenant-b']) {
    const cloud = open()
    const { paid, tenants } = await waiting(cloud)
    cloud.send('paid', ANSWER, groupId === undefined ? {} : { groupId })
    await cloud.deliver('paid', paid)
    expect([tenants, cloud.groupsOn('charge')]).toEqual([['tenant-a'], ['tenant-a']])
  }
})

it("groupId: 'inherit' of the handler of an answer, or of a timeout, is the tenant of its run", async () => {
  for (const body of [ANSWER, undefined]) {
    const cloud = open()
    const { flow } = await waiting(cloud, { timeout: '1h' })
    const sendOn = async (ctx: Pick<RecordContext, 'send'>): Promise<void> =>
      void (await ctx.send(cloud.queueUrl('charge'), {}, { groupId: 'inherit' }))
    const paid = flow.answerHandler('paid', (_answer, ctx) => sendOn(ctx), { onTimeout: sendOn })
    if (body === undefined) cloud.clock.advance(3_600_000)
    else cloud.send('paid', body, { groupId: 'tenant-b' })
    for (const _each of cloud.messages('paid')) await cloud.deliver('paid', paid)
    expect(cloud.groupsOn('charge')).toEqual(['tenant-a'])
  }
})

it('an answer of flow.answer has the tenant of its run', async () => {
  const cloud = open()
  const { flow } = await waiting(cloud)
  await flow.answer('paid', ANSWER)
  expect(cloud.groupsOn('paid')).toEqual(['tenant-a'])
})

it('an answer that several runs wait for goes to each with its tenant', async () => {
  const cloud = open()
  const { flow, order, paid } = await waiting(cloud)
  for (const key of ['k2', 'k3']) await flow.start({ key, asks: 'k' }, { groupId: `tenant-${key}` })
  await cloud.deliver('orders', order)
  cloud.send('paid', ANSWER)
  await cloud.deliver('paid', paid)
  expect(cloud.groupsOn('paid')).toEqual(['tenant-a', 'tenant-k2', 'tenant-k3'])
})

it('a timeout that the sweeper sends again has the tenant of its run', async () => {
  const cloud = open()
  const { paid } = await waiting(cloud, { timeout: '1h' })
  expect(cloud.groupsOn('paid')).toEqual(['tenant-a'])
  cloud.clock.advance(3_600_000)
  const lose = async (): Promise<void> => {}
  await cloud.deliver('paid', lose)
  cloud.clock.advance(3_600_000)
  await sweepHandler({ ...cloud.options })()
  expect(cloud.groupsOn('paid')).toEqual(['tenant-a'])
  await cloud.deliver('paid', paid)
  expect(cloud.groupsOn('charge')).toEqual(['tenant-a'])
})

it("groupId: 'inherit' sends under the tenant of the message, and without one if it has none", async () => {
  const { options, send, deliver, groupsOn, queueUrl } = open()
  const handler = recordHandler({ ...options, name: 'orders' }, async (_payload, ctx) => {
    await ctx.send(queueUrl('paid'), {}, { groupId: 'inherit' })
  })
  send('orders', {}, { groupId: 'tenant-a' })
  send('orders', {})
  await deliver('orders', handler)
  await deliver('orders', handler)
  expect(groupsOn('paid')).toEqual(['tenant-a', undefined])
})

it('the log lines of a message with a tenant name it', async () => {
  const { options, send, deliver, logger, lines } = open()
  const handler = recordHandler({ ...options, logger, name: 'orders' }, async (_payload, ctx) => {
    ctx.logger.info('works')
  })
  send('orders', {}, { groupId: 'tenant-a' })
  await deliver('orders', handler)
  const works = lines.find(({ message }) => message === 'works')
  expect(works?.fields).toMatchObject({ tenant: 'tenant-a' })
})
