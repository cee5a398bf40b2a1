import { beforeEach, expect, it, vi } from 'vitest'

// Modules of examples make their clients when they are loaded, and another file may have loaded them for a cloud that is gone.
beforeEach(() => void vi.resetModules())

it('payments API: twenty parallel calls on one key, one charge, twenty equal answers', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const { run } = await import('../../examples/payments-api/run.ts')
  const { payments, bookings, refunds, payouts, statements } = await run(20, () => {})
  expect(payments.map(({ api }) => api)).toEqual([
    'REST API',
    'HTTP API',
    'REST API with middy',
    'web-standard handler',
    'REST API with ctx',
    'function URL with ctx',
  ])
  expect(bookings).toEqual({ booked: 2, cents: 2_400, messages: 2 })
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
  // The first one is empty, and the last one a draft.
  expect(statements).toEqual(['1', '2', '2 again', 'RejectedError', '3'])
  expect(payouts).toEqual({ calls: 3, payouts: 1, waitForAnOperator: 2 })
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
