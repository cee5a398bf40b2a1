import { expect, it, vi } from 'vitest'
import { run as runPayments } from '../../examples/payments-api/run.ts'
import { run as runWebhook } from '../../examples/provider-webhook/run.ts'

it('payments API: twenty parallel calls on one key, one charge, twenty equal answers', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const { payments, refunds } = await runPayments(20, () => {})
  expect(payments.map(({ api }) => api)).toEqual(['REST API', 'HTTP API', 'REST API with middy'])
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
}, 60_000)

it('provider webhook: three callbacks a transaction, one entry each, also when queueing failed', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  expect(await runWebhook(20, () => {})).toEqual({
    transactions: 20,
    callbacks: 60,
    refused: 4,
    entries: 20,
    cents: 2_000,
  })
}, 60_000)
