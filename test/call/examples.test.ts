import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { restEvent } from './httpEvents.ts'

// Modules of examples make their clients when they are loaded, and another file may have loaded them for a cloud that is gone.
beforeEach(() => void vi.resetModules())

it('payments API: twenty parallel calls on one key, one charge, twenty equal answers', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const { run } = await import('../../examples/payments-api/run.ts')
  const { payments, bookings, refunds } = await run(20, () => {})
  expect(payments.map(({ api }) => api)).toEqual([
    'REST API',
    'HTTP API',
    'REST API with middy',
    'REST API with ctx',
  ])
  expect(bookings).toEqual({ booked: 1, cents: 1_200, messages: 1 })
  for (const result of payments) {
    expect(result).toMatchObject({
      calls: 20,
      charges: 1,
      answers: 1,
      withoutKey: 400,
      withOtherPayload: 422,
    })
  }
  expect(refunds).toEqual({ calls: 4, refunds: 2, failedForGood: 2 })
})

it('provider webhook: three callbacks a transaction, one entry each, also when queueing failed, and none for strangers', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const { run } = await import('../../examples/provider-webhook/run.ts')
  expect(await run(20, () => {})).toEqual({
    transactions: 20,
    callbacks: 60,
    failed: 4,
    unauthorized: 4,
    entries: 20,
    cents: 2_000,
  })
})

describe('migrating: a duplicate is run once, before and after', () => {
  let cloud: LocalCloud
  beforeAll(async () => {
    cloud = await startLocalCloud({
      tables: { lineclear: tableDefinition(), idempotency: { hash: 'id' }, locks: { hash: 'id' } },
    })
  })
  beforeEach(() => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    for (const [name, value] of Object.entries(cloud.environment)) vi.stubEnv(name, value)
  })
  afterAll(async () => {
    vi.resetModules()
    await cloud.stop()
  })

  it.each([
    ['Powertools', () => import('../../examples/migrating/powertools.before.ts')],
    ['Lineclear', () => import('../../examples/migrating/powertools.after.ts')],
  ])('a payment with %s', async (_library, load) => {
    const { handler } = await load()
    const { chargesMade } = await import('../../examples/payments-api/payments.ts')
    const event = restEvent({
      headers: { 'Idempotency-Key': crypto.randomUUID() },
      body: { cents: 1200 },
      requestContext: { authorizer: { principalId: 'customer-1' } },
    })
    const first = await handler(event, lambdaContext())
    const second = await handler(event, lambdaContext())
    expect(first.statusCode).toBe(201)
    expect(second.body).toBe(first.body)
    expect(chargesMade()).toBe(1)
  })

  it.each([
    ['a lock table', () => import('../../examples/migrating/lockTable.before.ts'), undefined],
    [
      'Lineclear',
      () => import('../../examples/migrating/lockTable.after.ts'),
      { paymentId: 'payment-1', cents: -1200 },
    ],
  ])('a refund with %s', async (_with, load, duplicate) => {
    const { refundOnce } = await load()
    const { refundsMade } = await import('../../examples/payments-api/payments.ts')
    expect(await refundOnce('payment-1')).toMatchObject({ cents: -1200 })
    expect(await refundOnce('payment-1')).toEqual(duplicate)
    expect(refundsMade()).toBe(1)
  })
})
