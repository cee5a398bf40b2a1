import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { refunder } from './refunds.ts'

it('runs once for each key, and gives the first answer again', async () => {
  const { store, clock, logger } = memoryCloud({ queues: {} })
  const keys: string[] = []
  const handler = refunder({ store, clock, logger }, async (amount, idempotencyKey) => {
    keys.push(idempotencyKey)
    return `receipt ${keys.length} of ${amount}`
  })
  const refund = { refundId: 'r1', amount: 5 }
  expect([await handler(refund), await handler(refund)]).toEqual([
    'receipt 1 of 5',
    'receipt 1 of 5',
  ])
  expect(keys).toEqual(['r1'])
})
