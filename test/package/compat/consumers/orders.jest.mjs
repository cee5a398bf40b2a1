import { expect, test } from '@jest/globals'
import { recordHandler } from 'lineclear'
import { memoryStore, sqsEvent } from 'lineclear/testing'

test('an order is accepted', async () => {
  const handler = recordHandler({ name: 'orders', store: memoryStore() }, () => {})
  expect(await handler(sqsEvent({ orderId: 'o1' }), {})).toEqual({ batchItemFailures: [] })
})
