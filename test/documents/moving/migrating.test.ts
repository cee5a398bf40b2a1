import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { sqsEvent, sqsRecord } from 'lineclear/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { rowsOf } from '../../../examples/rows.ts'
import { restEvent } from '../../call/httpEvents.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { testProvider } from './provider.ts'

const MINUTE = 60_000
const PAYMENTS = '../../../examples/payments-api/payments.ts'

const provider = testProvider()
let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    tables: {
      lineclear: tableDefinition(),
      stock: { hash: 'sku' },
      idempotency: { hash: 'id' },
      locks: { hash: 'id' },
      processed: { hash: 'id' },
      executions: { hash: 'Id' },
    },
  })
  // The modules of examples make their clients when they are loaded.
  vi.resetModules()
  vi.doMock(PAYMENTS, () => provider.module)
})
beforeEach(() => {
  provider.reset()
  vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  for (const [name, value] of Object.entries(cloud.environment)) vi.stubEnv(name, value)
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true })
})
afterEach(() => void vi.useRealTimers())
afterAll(async () => {
  vi.doUnmock(PAYMENTS)
  vi.resetModules()
  await cloud.stop()
})

const pass = (milliseconds: number): void => void vi.setSystemTime(Date.now() + milliseconds)
const orders = () => import('../../../examples/migrating/orders.after.ts')
const refunds = () => import('../../../examples/migrating/refund.after.ts')

const order = (sku: string) => sqsRecord({ sku, cents: 500 }, { sentAt: Date.now() })
const reservedOf = async (sku: string): Promise<unknown> =>
  (await rowsOf(cloud, 'stock')).find((row) => row['sku'] === sku)?.['reserved']

describe('consumers', () => {
  it.each([
    ['Powertools batch', () => import('../../../examples/migrating/powertoolsBatch.before.ts'), 2],
    ['Lineclear', orders, 1],
  ])('%s: died between its write and its end', async (name, load, reserved) => {
    const { handler } = await load()
    const event = sqsEvent(order(name))
    const gate = provider.holdNext()
    const dead = handler(event, lambdaContext())
    await gate.reached
    pass(36_000)
    await handler(event, lambdaContext())
    expect(await reservedOf(name)).toBe(reserved)
    gate.open()
    await dead
    expect(await reservedOf(name)).toBe(reserved)
  })

  it.each([
    ['middy', () => import('../../../examples/migrating/middyBatch.before.ts'), 2],
    ['Lineclear', orders, 1],
  ])('%s: a message that is delivered again after its end', async (_, load, charges) => {
    const { handler } = await load()
    const event = sqsEvent(order('again'))
    await handler(event, lambdaContext())
    await handler(event, lambdaContext())
    expect(provider.made()).toBe(charges)
  })

  it.each([
    ['a look, then a put', () => import('../../../examples/migrating/lookup.before.ts'), 2],
    ['Lineclear', orders, 1],
  ])('%s: two deliveries at once', async (_, load, charges) => {
    const { handler } = await load()
    const event = sqsEvent(order('twice'))
    const gate = provider.holdNext()
    const first = handler(event, lambdaContext())
    await gate.reached
    await handler(event, lambdaContext())
    gate.open()
    await first
    expect(provider.made()).toBe(charges)
  })

  it.each([
    ['Locker', () => import('../../../examples/migrating/locker.before.ts'), 1],
    ['Lineclear', orders, 2],
  ])('%s: of two orders one is slow, and writes after its lock', async (name, load, reserved) => {
    const { handler } = await load()
    const sku = `${name} slow`
    const gate = provider.holdNext()
    const late = handler(sqsEvent(order(sku)), lambdaContext())
    await gate.reached
    pass(12_000)
    await handler(sqsEvent(order(sku)), lambdaContext())
    gate.open()
    await late
    expect(provider.made()).toBe(2)
    expect(await reservedOf(sku)).toBe(reserved)
  })
})

describe('functions', () => {
  it.each([
    ['Powertools', 'late', () => import('../../../examples/migrating/powertools.before.ts')],
    ['Lineclear', 'first', () => import('../../../examples/migrating/powertools.after.ts')],
  ])('%s: after a late attempt the %s answer is replayed', async (_, replayed, load) => {
    const { handler } = await load()
    const event = restEvent({
      headers: { 'Idempotency-Key': crypto.randomUUID() },
      body: { cents: 1200 },
      requestContext: { authorizer: { principalId: 'customer-1' } },
    })
    const gate = provider.holdNext()
    const late = handler(event, lambdaContext())
    await gate.reached
    pass(36_000)
    const first = await handler(event, lambdaContext())
    gate.open()
    await late
    const replay = await handler(event, lambdaContext())
    expect(replay.body === first.body ? 'first' : 'late').toBe(replayed)
  })

  it.each([
    ['middy', () => import('../../../examples/migrating/middyIdempotency.before.ts'), 2],
    ['Lineclear', () => import('../../../examples/migrating/middyIdempotency.after.ts'), 1],
  ])('%s: a duplicate while the first runs, and one after it', async (_, load, charges) => {
    const { handler } = await load()
    const event = { orderId: crypto.randomUUID(), cents: 500 }
    const gate = provider.holdNext()
    const first = handler(event, lambdaContext())
    await gate.reached
    // Powertools refuses a duplicate, and this one frees the key; with Lineclear it waits for the answer.
    const duplicate = handler(event, lambdaContext()).catch(() => {})
    if (charges === 2) await duplicate
    const third = handler(event, lambdaContext())
    if (charges === 2) await third
    gate.open()
    await Promise.all([first, duplicate, third])
    expect(provider.made()).toBe(charges)
  })

  it.each([
    ['idempotender', () => import('../../../examples/migrating/idempotender.before.ts'), 3],
    ['Lineclear', refunds, 1],
  ])('%s: three calls after one that died', async (name, load, made) => {
    const { refundOnce } = await load()
    const gate = provider.holdNext()
    const dead = refundOnce(name)
    await gate.reached
    pass(16 * MINUTE)
    await Promise.all([refundOnce(name), refundOnce(name), refundOnce(name)])
    expect(provider.made()).toBe(made)
    gate.open()
    await dead
  })

  it.each([
    ['a lock table', () => import('../../../examples/migrating/lockTable.before.ts'), undefined],
    ['Lineclear', refunds, { paymentId: 'payment-1', cents: -1200 }],
  ])('%s: a refund after one that died, and after that', async (name, load, receipt) => {
    const { refundOnce } = await load()
    const gate = provider.holdNext()
    const dead = refundOnce(`${name} died`)
    await gate.reached
    pass(16 * MINUTE)
    for (const _ of ['the next', 'a repeat']) {
      expect(await refundOnce(`${name} died`)).toEqual(receipt)
    }
    expect(provider.made()).toBe(receipt === undefined ? 0 : 1)
    gate.open()
    await dead
  })
})
